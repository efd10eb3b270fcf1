"""Rankings read in ranges of scores: each row of the registry says how, and what it says is true.

What a stretch of a ranking adds, or the scores of it that decide, is asked of every row; together
they have to give what its kernel gives of all scores at once.
"""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import undefined_allowed
from support.samples import grid_scores, integers, weights

from skmetrics_ext import METRICS
from skmetrics_ext.metrics.rankings.ranking_kernels import around, corners, gini
from skmetrics_ext.metrics.spec import WHOLE, Ranges
from skmetrics_ext.registry import find, parameters_of
from skmetrics_ext.registry.table import SPECS
from skmetrics_ext.tallies import RankTally, Stretch, Wins

NAMES = [name for name, row in SPECS.items() if row.tally == "ranks"]
# By parameter: values beside the default and those that the names of scorers set.
FURTHER = {
    "max_fpr": (0.3, 1.0),
    "tpr_range": ((0.55, 0.9),),
    "standardize": (False,),
    "interpolation": ("davis_goadrich_unit",),
    "method": ("interpolated",),
    "severity_ratio": (0.2,),
    "prevalence": (0.1,),
}


# The rates that are read where another one reaches a target.
TARGETS = {
    "sensitivity_at_specificity": "specificity",
    "specificity_at_sensitivity": "sensitivity",
    "precision_at_recall": "recall",
    "recall_at_precision": "precision",
}


def settings_of(name):
    """The row's metric with all that its scorers set, and with further values of each."""
    row = SPECS[name]
    listed = list(row.scorers.values()) or [dict(row.params)]
    found = [find(row.function, params) for params in listed]
    for parameter, values in FURTHER.items():
        if found[0].takes(parameter):
            found += [found[0].with_params(**{parameter: value}) for value in values]
    return found


def given_to(function, metric):
    """Those parameters of the metric that a term of it has."""
    names = list(parameters_of(function))[1:]
    return {name: metric.options[name] for name in names}


def stretches(tally, cuts):
    """The parts of a ranking between cuts, each with what stands above it."""
    whole = tally.mass.sum(axis=-1)
    for start, stop in pairwise([0, *sorted(cuts), len(tally.thresholds)]):
        part = RankTally(tally.thresholds[start:stop], tally.mass[:, start:stop])
        if stop > start:
            yield Stretch.of(part, tally.mass[:, :start].sum(axis=-1), whole)


def read_in_parts(metric, ranges, tally, cuts):
    """Value from the stretches between cuts, as ``ranges`` says."""
    ranges = ranges.given(metric.options)
    term = ranges.term or metric.spec.kernel
    parts = list(stretches(tally, cuts))
    if ranges.kind == "wins":
        found = sum(float(share_won(part)) for part in parts)
        return metric.kernel(Wins.of_area(np.array(found)))
    elif ranges.kind == "sum":
        found = np.asarray(math.fsum(float(term(p, **given_to(term, metric))) for p in parts))
    elif ranges.kind == "places":
        kept = []
        for part in parts:
            last = len(part.thresholds) - 1
            own = np.append(term(part, **given_to(term, metric)), [0, last])
            kept.append(part.only(np.unique(own[(own >= 0) & (own <= last)])))
        return metric.kernel(RankTally.combine(kept))
    else:
        return metric.kernel(RankTally.combine(parts))
    finish = ranges.finish
    return found if finish is None else finish(found, **given_to(finish, metric))


def share_won(part):
    """Of all pairs those of a positive row of a stretch that are ranked rightly, ties half."""
    fp, _, negative, positive = part.steps()
    below = negative - (fp[1:] + fp[:-1]) / 2
    return (part.positive * below).sum() / (negative * positive)


@st.composite
def rankings(draw, response, weighted):
    n_rows = draw(st.integers(2, 40))
    score = draw(grid_scores(n_rows) | integers(0, 1000, n_rows).map(lambda x: x / 1000))
    codes = draw(integers(0, 1, n_rows))
    codes[:2] = 0, 1
    weight = draw(weights(n_rows)) if weighted else None
    score = np.abs(score) if response == "probabilities" else score
    return RankTally.from_scores(score, codes, 2, weight)


def check_parts(metric, ranges, tally, cuts, weighted=False):
    with undefined_allowed():
        whole = metric.kernel(tally)
        got = read_in_parts(metric, ranges, tally, cuts)
    # Sums of float weights lose a digit or two where two sums are nearly equal.
    np.testing.assert_allclose(got, whole, rtol=1e-10 if weighted else 1e-12, atol=1e-12)


# --------------------------------------------------------------------------- the law


@pytest.mark.parametrize("name", NAMES)
def test_a_row_says_how_it_reads_ranges(name):
    ranges = SPECS[name].ranges
    assert ranges is not None, "it is a ranking: metrics.spec.Ranges, or WHOLE if all else fails"
    for one in (ranges, *([ranges.instead[1]] if ranges.instead else [])):
        assert one.kind in ("wins", "sum", "places", "whole")
        assert one.term is None or one.kind in ("sum", "places")
        assert one.term is not None or one.kind != "places"
        assert one.finish is None or one.kind == "sum"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_parts_give_what_the_kernel_gives_of_the_whole(name, weighted, data):
    metric = data.draw(st.sampled_from(settings_of(name)))
    if weighted and metric.params.get("interpolation") == "davis_goadrich_unit":
        metric = find(name)  # it steps from one row to the next
    tally = data.draw(rankings(metric.spec.response, weighted))
    cuts = data.draw(st.lists(st.integers(0, len(tally.thresholds)), max_size=4))
    check_parts(metric, metric.spec.ranges, tally, cuts, weighted)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("method", ["step", "interpolated"])
def test_scores_that_reach_a_target_exactly_decide(name, method):
    """Also where the rate is reached again far away from where it was before."""
    # A precision of 1/2, of 1/3 or of 3/4 at the last positive row.
    for first, gap, more in ((1, 5, 4), (1, 8, 3), (7, 4, 5)):
        codes = np.array([1] * first + [0] * gap + [1] * more + [0] * 10)
        tally = RankTally.from_scores(-np.arange(len(codes)), codes, 2, None)
        for target in (1 / 5, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1.0):
            metric = find(name, {TARGETS[name]: target, "method": method})
            for cuts in ((), (4,), (7, 9), (10, 16)):
                check_parts(metric, metric.spec.ranges, tally, cuts)


@pytest.mark.parametrize("name", NAMES)
def test_only_what_needs_all_scores_says_so(name):
    """A row that says "whole" without need costs memory: calibration alone does."""
    assert (SPECS[name].ranges is WHOLE) == name.endswith(
        ("calibration_error", "calibration_index")
    )


# --------------------------------------------------------------------------- and it finds faults

SCORE = np.random.default_rng(3).normal(size=60).round(1)
TALLY = RankTally.from_scores(SCORE, (SCORE + np.arange(60) % 3 > 0.7).astype(int), 2, None)
CUTS = (25,)


def first_score(stretch):
    return around(1)


WRONG = [
    ("ks_statistic_score", Ranges("sum")),
    ("roc_auc_score", Ranges("sum")),
    ("equal_error_rate", Ranges("wins")),
    ("gini_score", Ranges("places", corners)),
    ("lift_score", Ranges("places", first_score)),
    ("equal_error_rate", Ranges("places", first_score)),
    ("h_measure_score", Ranges("places", first_score)),
    ("average_precision_score", Ranges("places", corners)),
    ("average_precision_score", Ranges("sum", gini)),
    ("partial_roc_auc_score", Ranges("sum")),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_row_that_says_it_wrongly_is_found(name, wrong):
    metric = find(name)
    check_parts(metric, metric.spec.ranges, TALLY, CUTS)
    with pytest.raises((AssertionError, AttributeError)):
        check_parts(metric, wrong, TALLY, CUTS)


def test_a_row_that_says_nothing_is_found():
    row = replace(METRICS["lift_score"], ranges=None)
    with pytest.raises((AssertionError, AttributeError)):
        check_parts(replace(find("lift_score"), spec=row), row.ranges, TALLY, CUTS)
