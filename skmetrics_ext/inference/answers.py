"""The one choice of interval and test for statistics that are made of others.

A leaf has the interval of its metric. Multiples and functions of one statistic have its bounds,
moved. The difference of one metric on the same rows is compared as two models are, on other rows
as two samples are. A mean has the t interval of the contributions of all rows, on the scale of its
range. Anything else has a t interval of the joined contributions of operands on the same rows
(delta method), and over other rows MOVER (Zou & Donner 2008, Statistics in Medicine 27(10),
1693-1702). Statistics without contributions are drawn, rows that operands share once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.algebra import (
    CLOSE,
    OTHER_FOLDS,
    Expression,
    Folds,
    Function,
    Leaf,
    Linear,
    Mapped,
    Missing,
    related,
)
from skmetrics_ext.inference.compare import compare_pairs, is_ratio, share_beyond
from skmetrics_ext.inference.compare_samples import difference_of_samples, distances_of, inverted
from skmetrics_ext.inference.draws import bootstrap
from skmetrics_ext.inference.draws.atoms import (
    Atoms,
    RowDesign,
    Scatter,
    block_sizes,
    draw_counts,
    joined_codes,
)
from skmetrics_ext.inference.draws.samples import FoldMean
from skmetrics_ext.inference.linearized import (
    Contributions,
    Linearized,
    column_of,
    correlation,
    ways_end_to_end,
)
from skmetrics_ext.inference.margins import OPPOSITE, Asked
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import Bounds, quantile, tail_probability
from skmetrics_ext.inference.tests import fold_tests
from skmetrics_ext.numeric import Array
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError

Block = list[tuple[Leaf, Linearized]]  # leaves of the same rows

_NAN = float("nan")
_DRAWN = 1 << 20  # numbers that are drawn at once
SAME_ESTIMATE = "the same estimate on both sides"
_PERCENTILE = "bootstrap"
_SHARED = (
    "no interval: a metric without influence values, of rows that are shared in part, cannot be "
    "drawn here"
)
NO_SPREAD = f"{notes.NO_SPREAD}: {notes.NO_WIDTH}"


def blocks_of(x: Expression, asked: Asked) -> tuple[list[Block], bool]:
    """The leaves by the rows that they have, and whether blocks share rows of a source."""
    blocks: list[Block] = []
    shares = False
    for leaf in x.operands():
        own = leaf, asked.read(leaf)
        relations = [related(own, block[0]) for block in blocks]
        shares = shares or "shared" in relations
        if "same" in relations:
            blocks[relations.index("same")].append(own)
        else:
            blocks.append([own])
    return blocks, shares


def null_of(x: Expression) -> float | None:
    """The value of a difference or a ratio if nothing differs; None for other statistics."""
    if isinstance(x, Mapped):
        null = null_of(x.operand)
        return None if null is None else float(x.function.of(null))
    if not isinstance(x, Linear):
        return None
    if len(x.terms) == 1:
        ((factor, term),) = x.terms
        null = null_of(term)
        return None if null is None else factor * null + x.offset
    factors = [factor for factor, _ in x.terms]
    return 0.0 if factors and not x.offset and min(factors) < 0 < max(factors) else None


def answer(x: Expression, asked: Asked) -> Estimate:
    """The interval of a statistic, and the test of the claim if there is one."""
    if isinstance(x, Missing):
        return asked.result(x.value, note=x.reason)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan where undefined
        if isinstance(x, Mapped):
            found = _through(x.function, x.operand, x.value, asked)
            return replace(found, method=f"{found.method}, {x.label}")
        if any(isinstance(leaf, Folds) for leaf in x.operands()):
            return _over_folds(x, asked)
        if isinstance(x, Leaf):
            return _leaf(x, asked)
        assert isinstance(x, Linear)
        if not x.terms:
            return asked.result(x.value, (x.offset, x.offset), 0.0, note=SAME_ESTIMATE)
        scale, core = _scaled(x)
        if core is x:
            return _sum(x, asked)
        multiple = Function(
            lambda y: scale * y + x.offset, lambda _: scale, lambda y: (y - x.offset) / scale
        )
        found = _through(multiple, core, x.value, asked)
        note = "; ".join(dict.fromkeys(filter(None, [found.note, x.note])))
        return replace(found, note=note, statistic=np.sign(scale) * found.statistic)


def _scaled(x: Linear) -> tuple[float, Expression]:
    """A factor and a statistic of which this is the multiple, but for the offset."""
    factors = np.array([factor for factor, _ in x.terms])
    scale = factors[0] if len(factors) == 1 else np.abs(factors).max()
    if len(factors) > 1 and (factors > 0).all():
        scale = factors.sum()  # of a mean
    terms = x.terms
    if len(terms) == 2 and factors[0] < 0 < factors[1]:
        terms = terms[::-1]  # -b + a is a - b
    is_plain = abs(scale - 1) < CLOSE and not x.offset and terms is x.terms
    if is_plain and len(terms) > 1:
        return 1.0, x
    divided = tuple(
        (1.0 if f == scale else -1.0 if f == -scale else f / scale, t) for f, t in terms
    )
    return float(scale), divided[0][1] if len(divided) == 1 else Linear(divided, 0.0, x.note)


def _through(function: Function, operand: Expression, value: float, asked: Asked) -> Estimate:
    """The estimate of a function of a statistic, whose bounds it maps."""
    slope, claim = float(function.slope(operand.value)), asked.claim
    if claim is not None:
        parts = claim.parts if slope > 0 else [(null, OPPOSITE[side]) for null, side in claim.parts]
        claim = claim._replace(parts=tuple((float(function.inverse(n)), side) for n, side in parts))
    inner = answer(operand, asked.about(claim))
    ends = [float(function.of(end)) for end in (inner.low, inner.high)]
    low, high = ends if slope > 0 else ends[::-1]
    error = abs(slope) * inner.standard_error
    return replace(inner, value=value, low=low, high=high, standard_error=error)


def _leaf(x: Leaf, asked: Asked) -> Estimate:
    """The interval of the metric, and the level at which it reaches the null value."""
    statistic = asked.read(x)
    found = interval_of(statistic, asked.method, asked.level, asked.plan)
    assert isinstance(found, Estimate)
    return _with_p_value(found, statistic, asked)


def _with_p_value(found: Estimate, statistic: Linearized, asked: Asked) -> Estimate:
    """The interval of one statistic, with the test of the claim if there is one."""
    if asked.claim is None or not np.isfinite(found.low + found.high):
        return found
    reach = distances_of(statistic, found.method, asked.plan)
    return replace(found, p_value=inverted(found.value, reach, asked, found.method))


def _over_folds(x: Expression, asked: Asked) -> Estimate:
    """Nadeau and Bengio's t interval of a sum of values, over the folds that all of them have."""
    slopes, claim = x.operands(), asked.claim
    leaves = [leaf for leaf in slopes if isinstance(leaf, Folds)]
    if len(leaves) < len(slopes) or any(leaf.source is not leaves[0].source for leaf in leaves):
        raise InvalidParameterError(OTHER_FOLDS)
    common = [fold for fold in leaves[0].by_fold if all(fold in leaf.by_fold for leaf in leaves)]
    if len(common) < 2:
        both = "both are " * (len(leaves) == 2)
        few = f"{both}defined on {len(common)} folds; at least 2 are needed"
        return replace(asked.result(x.value, note=few), value=_NAN)
    each = np.array([[leaf.by_fold[fold] for fold in common] for leaf in leaves])
    factors = np.array([slopes[leaf] for leaf in leaves])
    n_train, n_test = each[0, :, 1], each[0, :, 2]
    share = float(n_test.mean() / n_train.mean())
    total, ends, error = fold_tests.corrected_mean(factors @ each[..., 0], share, asked.level)
    shift = x.value - float(factors @ [leaf.value for leaf in leaves])
    value, low, high = total + shift, ends[0] + shift, ends[1] + shift
    if len(leaves) == 1:
        low, high = max(low, x.bounds[0]), min(high, x.bounds[1])
    note = "" if error > 0 or claim is not None else fold_tests.NO_SPREAD
    found = asked.result(x.value, (low, high), error, "corrected resampled t", note)
    found = replace(found, value=value)
    if claim is None:
        return found if error > 0 else replace(found, low=_NAN, high=_NAN)

    def tail(null: float, side: str) -> float:
        t = fold_tests.t_value(value - null, error)
        return float(tail_probability(t, len(common) - 1, side))

    p_value, null = claim.tested(tail)
    return replace(found, p_value=p_value, statistic=fold_tests.t_value(value - null, error))


# --------------------------------------------------------------------------- sums


def _sum(x: Linear, asked: Asked) -> Estimate:
    """A sum of two or more statistics."""
    sides = None if asked.method == "cv" else sides_of(x)
    if sides is not None and (of_models := differences_of_models([x], asked)):
        return of_models[0]
    blocks, shares = blocks_of(x, asked)
    statistics = {leaf: statistic for block in blocks for leaf, statistic in block}
    if sides is not None:
        first, second = statistics[sides[0]], statistics[sides[1]]
        shares = shares and first.has_influence and second.has_influence
        return difference_of_samples(first, second, asked, share_rows=shares, log=sides[2])
    if asked.method in bootstrap.BOOTSTRAP_METHODS or not all(
        statistic.has_influence for statistic in statistics.values()
    ):
        return _drawn(x, blocks, asked, share_rows=shares)
    if asked.method not in ("auto", "delta", "mover", "cv"):
        raise InvalidParameterError(
            f"method={asked.method!r} does not apply to {x.text()}; those that do are "
            f"{['auto', _PERCENTILE]}."
        )
    is_mean = min(factor for factor, _ in x.terms) > 0 and _are_of_one_metric([*statistics])
    if is_mean and all(isinstance(term, Leaf) for _, term in x.terms):
        return _mean(x, blocks, asked, share_rows=shares)
    return _by_contributions(x, blocks, asked, share_rows=shares)


def _are_of_one_metric(leaves: Sequence[Leaf]) -> bool:
    first = leaves[0].metric
    return all(x.metric.name == first.name and x.metric.params == first.params for x in leaves)


def sides_of(x: Expression) -> tuple[Leaf, Leaf, bool] | None:
    """Both sides of a difference of one metric, or of its logarithms (True) if it is a ratio."""
    terms = x.terms if isinstance(x, Linear) and not x.offset else ()
    if [factor for factor, _ in terms] != [1.0, -1.0]:
        return None
    log = all(isinstance(term, Mapped) and term.name == "log" for _, term in terms)
    first, second = (getattr(term, "operand", term) if log else term for _, term in terms)
    if not (isinstance(first, Leaf) and isinstance(second, Leaf)) or isinstance(first, Folds):
        return None
    is_one = _are_of_one_metric([first, second]) and (is_ratio(first.metric) or not log)
    return (first, second, log) if is_one else None


def differences_of_models(xs: Sequence[Expression], asked: Asked) -> list[Estimate]:
    """Differences of models on the same rows, compared at once; none if there are others."""
    sides = [each for each in map(sides_of, xs) if each is not None]
    leaves = list(dict.fromkeys(leaf for *both, _ in sides for leaf in both))
    logs = {log for *_, log in sides}
    if len(sides) < len(xs) or len(logs) > 1 or not _are_of_one_metric(leaves):
        return []
    if len(blocks_of(Linear(tuple((1.0, leaf) for leaf in leaves)), asked)[0]) > 1:
        return []
    pairs = [(asked.read(first), asked.read(second)) for first, second, _ in sides]
    claim, method = asked.test, asked.method
    null = claim.parts[0][0]
    if claim.margin is None and null:  # a limit, and not that nothing differs
        claim = claim._replace(margin=abs(null))
    if method == "auto" and logs == {False} and is_ratio(leaves[0].metric):
        has_influence = all(asked.read(leaf).has_influence for leaf in leaves)
        method = "delta" if has_influence else _PERCENTILE
    return compare_pairs(pairs, replace(asked, claim=claim, method=method))


# --------------------------------------------------------------------------- contributions


def joined(block: Block, slopes: dict[Leaf, float]) -> Linearized:
    """What each row contributes to a sum of statistics of the same rows."""
    (leaf, first), *others = block
    if not others:
        known = Contributions(slopes[leaf] * first.influence, first.atoms, first.ways)
        return Linearized(0.0, None, known=known._replace(of_counts=first.is_of_counts))
    total, ways = slopes[leaf] * first.by_row[0], first.by_row[1]
    for leaf, statistic in others:
        parts, own_ways = statistic.by_row
        total, ways = total + slopes[leaf] * parts, (*ways, *own_ways[1:])
    atoms = Atoms.each_row(total.shape[-1], first.design, first.origin.label)
    of_counts = all(statistic.is_of_counts for _, statistic in block)
    return Linearized(0.0, None, known=Contributions(total, atoms, ways, of_counts))


def _by_contributions(
    x: Linear, blocks: list[Block], asked: Asked, *, share_rows: bool
) -> Estimate:
    """The delta method within the same rows, MOVER over other rows."""
    slopes, value, claim = x.operands(), x.value, asked.claim
    parts = [joined(block, slopes) for block in blocks]
    errors = np.array([float(part.error) for part in parts])
    of_metrics = [notes.note_on_metric(leaf.metric) for leaf in slopes]
    few = [notes.few_effective(part) for part in parts]
    note = "; ".join(dict.fromkeys(filter(None, [*few, x.note, *of_metrics])))
    design: dict[str, Any] = {}
    if len(parts) == 1:
        design, note = parts[0].atoms.of_design(), notes.with_design(note, parts[0].atoms)
    if not np.isfinite([value, *errors]).all():
        return asked.result(x.value, note=note or "the variance cannot be estimated", **design)
    if not errors.max() > notes.ROUNDING * max(abs(value), 1.0):
        return asked.result(x.value, (value, value), 0.0, "delta", NO_SPREAD, **design)
    if len(parts) == 1:
        freedom, error = float(parts[0].freedom), float(errors[0])
        away = float(quantile(asked.level, freedom)) * error
        low, high = np.clip((value - away, value + away), *x.bounds).tolist()
        facts = Facts(freedom=freedom)
        found = asked.result(x.value, (low, high), error, "delta", note, facts=facts, **design)
        if claim is None:
            return found
        p_value, null = claim.tested(
            lambda null, side: float(tail_probability((value - null) / error, freedom, side))
        )
        return replace(found, p_value=p_value, statistic=(value - null) / error)
    ends = [_reach(block, part, slopes, asked) for block, part in zip(blocks, parts, strict=True)]
    related = np.eye(len(parts))
    if share_rows:
        related = np.array(
            [[correlation(a, b) if a is not b else 1.0 for b in parts] for a in parts]
        )

    def reach(level: Any) -> Bounds:
        down, up = (
            np.stack(np.broadcast_arrays(*side))
            for side in zip(*(end(level) for end in ends), strict=True)
        )
        return _summed(down, related), _summed(up, related)

    down, up = map(float, reach(asked.level))
    low, high = np.clip((value - down, value + up), *x.bounds).tolist()
    p_value = _NAN if claim is None else inverted(value, reach, asked, "mover")
    error = float(_summed(errors, related))
    return asked.result(x.value, (low, high), error, "mover", note, p_value=p_value)


def _summed(distances: Array, related: Array) -> Array:
    """The distance of a sum, from those of its parts (P, ...) and their correlations."""
    squares = np.einsum("i...,ij,j...->...", distances, related, distances)
    return np.sqrt(np.maximum(squares, 0.0))


def _reach(
    block: Block, part: Linearized, slopes: dict[Leaf, float], asked: Asked
) -> Callable[[Any], Bounds]:
    """Distances to the bounds of a block: of the interval of one statistic, else of t."""
    if len(block) > 1:
        return lambda level: (quantile(level, part.freedom) * part.error,) * 2
    ((leaf, statistic),) = block
    own = distances_of(statistic, "auto", asked.plan)
    size = abs(slopes[leaf])

    def reach(level: Any) -> Bounds:
        down, up = (size * away for away in own(level))
        return (down, up) if slopes[leaf] > 0 else (up, down)

    return reach


# --------------------------------------------------------------------------- means


def _mean(x: Linear, blocks: list[Block], asked: Asked, *, share_rows: bool) -> Estimate:
    """A mean, from the contributions of all rows, on the scale of its range."""
    slopes = x.operands()
    parts = [joined(block, slopes) for block in blocks]
    known = parts[0].known if len(parts) == 1 else _end_to_end(parts, share_rows=share_rows)
    assert known is not None
    first = blocks[0][0][1].origin
    origin = FoldMean(first.metric, x.value, known.atoms, first.data)
    statistic = Linearized(x.value, origin, x.bounds, known=known)
    found = interval_of(statistic, "cv", asked.level, asked.plan)
    assert isinstance(found, Estimate)
    return _with_p_value(found, statistic, asked)


def _end_to_end(parts: Sequence[Linearized], *, share_rows: bool) -> Contributions:
    """The contributions of the rows of several blocks, each of which is centred separately."""
    lengths = [part.by_row[0].shape[-1] for part in parts]
    block, ways = np.repeat(np.arange(len(parts)), lengths), ways_end_to_end(parts)
    column = partial(column_of, lengths=lengths)

    def of_designs(name: str, absent: Any = np.zeros) -> Array | None:
        values = [getattr(part.design, name) for part in parts]
        return None if all(each is None for each in values) else column(values, absent=absent)

    group, stratum = of_designs("group", np.arange), of_designs("stratum")
    if share_rows:  # a row, or a cluster, that two blocks hold is one unit
        group = of_designs("number" if group is None else "cluster", np.arange)
    elif group is not None:
        group = joined_codes([block, group])
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    if stratum is not None:
        stratum = np.unique(joined_codes([block, stratum]), return_inverse=True)[1]
    # Sums without rows: `rows` says how many rows an atom stands for.
    counts = [part.atoms.rows if part.atoms.codes is None else part.design.sizes for part in parts]
    sizes = None
    if not all(each is None or each.strides == (0,) for each in counts):
        sizes = column(counts, absent=np.ones)
    labels = [
        None if part.atoms.label is None else part.atoms.to_rows(part.atoms.label) for part in parts
    ]
    label = None if any(each is None for each in labels) else column(labels)
    design = RowDesign(of_designs("weight", np.ones), group, sizes, stratum)
    values = np.concatenate([part.by_row[0] for part in parts])
    return Contributions(values, Atoms.each_row(len(values), design, label), ways)


# --------------------------------------------------------------------------- draws


def _drawn(x: Linear, blocks: list[Block], asked: Asked, *, share_rows: bool) -> Estimate:
    """Percentiles of draws; the rows of a block are drawn once for all its statistics."""
    biased = [leaf for leaf in x.operands() if leaf.metric.spec.interval in notes.BIASED]
    if len(blocks) > 1 and (biased or share_rows):
        return asked.result(x.value, note=notes.BIASED_DIFFERENCE if biased else _SHARED)
    plan, rng = asked.plan, np.random.default_rng(bootstrap.seed_sequence(asked.plan.random_state))
    values: dict[Leaf, Array] = {}
    for block in blocks:
        design = block[0][1].design
        n_rows = len(block[0][1].atoms.of_row)
        rows = Atoms.each_row(n_rows, design, block[0][1].origin.label)
        scatters = [Scatter(statistic.atoms.of_row, len(statistic.atoms)) for _, statistic in block]
        drawn: dict[Leaf, list[Array]] = {leaf: [] for leaf, _ in block}
        for n in block_sizes(plan.most_draws, max(_DRAWN // n_rows, 1)):
            counts = draw_counts(rng, rows, n, plan.stratified)
            for (leaf, statistic), scatter in zip(block, scatters, strict=True):
                drawn[leaf].append(statistic.origin.statistic(scatter(counts)))
        values |= {leaf: np.concatenate(each) for leaf, each in drawn.items()}
    draws = x.draw(values)
    known = draws[~np.isnan(draws)]
    if 2 * len(known) < len(draws):
        return asked.result(x.value, note="undefined in most draws")
    low, high = np.quantile(known, [(1 - asked.level) / 2, (1 + asked.level) / 2])
    p_value = asked.claim.tested(partial(share_beyond, known))[0] if asked.claim else _NAN
    of_metrics = dict.fromkeys(notes.note_on_metric(leaf.metric) for leaf in x.operands())
    note = "; ".join(filter(None, [x.note, *of_metrics]))
    bounds, error = (float(low), float(high)), float(known.std(ddof=1))
    facts = Facts(draws=len(draws))
    return asked.result(x.value, bounds, error, _PERCENTILE, note, p_value=p_value, facts=facts)
