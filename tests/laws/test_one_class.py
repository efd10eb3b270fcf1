"""The law of one interval, for `labels`: an average over one class is the metric of that class.

Bounds, method and the presence of a note do not depend on the order of ``labels``, on the names of
classes, nor on how rows of other classes are divided among them; and a pooled rate that is the
accuracy has its interval.
"""

import inspect
from functools import cache, partial

import numpy as np
import pytest
from support.compare import undefined_allowed

import skmetrics_ext as sx

AVERAGED = [
    spec
    for spec in sx.METRICS.values()
    if spec.averages and "average" in inspect.signature(spec.function).parameters
]
AVERAGES = ["macro", "micro", "weighted"]
DESIGNS = ["plain", "groups", "frequency", "weights", "strata", "weights and groups"]
SEEDS = range(3)


@cache
def rows(seed):
    """True and predicted labels of 2 to 6 classes, some of them rare, absent or never predicted."""
    rng = np.random.default_rng(seed)
    n_classes, n = int(rng.integers(2, 7)), int(rng.integers(15, 120))
    y = rng.choice(n_classes, n, p=rng.dirichlet(np.full(n_classes, 2.0)))
    pred = np.where(rng.random(n) < rng.uniform(0.4, 1), y, rng.integers(0, n_classes, n))
    weight = rng.uniform(0.2, 2, n)
    designs = {
        "plain": {},
        "groups": {"groups": np.arange(n) // 3},
        "frequency": {"sample_weight": rng.integers(1, 4, n), "weights_are": "frequency"},
        "weights": {"sample_weight": weight},
        "strata": {"strata": np.arange(n) % 3},
        "weights and groups": {"sample_weight": weight, "groups": np.arange(n) // 2},
    }
    return n_classes, y, pred, designs


def said(metric, *arrays, **options):
    """The interval, or that it is refused."""
    try:
        with undefined_allowed():
            found = sx.confidence_interval(metric, *arrays, **options)
    except ValueError as error:
        if not isinstance(error, TypeError):  # a refusal is both
            raise
        return None
    if isinstance(found, list):
        (found,) = found
    return found


def differ(first, second):
    if first is None or second is None:
        return first is not second
    numbers = [[e.value, e.low, e.high, e.standard_error] for e in (first, second)]
    # Without an error the bounds follow from a millionth of a row more, and 1 - value after it.
    digits = 1e-9 if first.standard_error > 0 else 1e-7
    same = np.allclose(*numbers, rtol=digits, atol=1e-12, equal_nan=True)
    return not same or first.method != second.method or bool(first.note) != bool(second.note)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_average_over_one_class(seed, design):
    found, n_asked = [], 0
    n_classes, y, pred, designs = rows(seed)
    for place, spec in enumerate(AVERAGED[seed :: len(SEEDS)]):
        label = (place + seed) % n_classes
        ask = partial(said, spec.name, **designs[design])
        right = ask(y == label, pred == label, average="binary", pos_label=True)
        for average in [None, *AVERAGES]:
            n_asked += 1
            own = ask(y, pred, average=average, labels=[label])
            if differ(right, own):
                found.append(f"{spec.name}, {average}: {own}, right is {right}")
    assert n_asked > 35
    assert not found, f"{len(found)} differ:\n  " + "\n  ".join(found[:8])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_averages_over_two_classes(seed, design):
    found, n_asked = [], 0
    n_classes, y, pred, designs = rows(seed)
    rng = np.random.default_rng(seed)
    pair, names = rng.choice(n_classes, 2, replace=False), rng.permutation(n_classes)
    merged = [np.where(np.isin(column, pair), column, 99) for column in (y, pred)]
    listed = pair.tolist()
    for place, spec in enumerate(AVERAGED[seed :: len(SEEDS)]):
        average = AVERAGES[(place + seed) % 3]
        ask = partial(said, spec.name, average=average, **designs[design])
        right = ask(y, pred, labels=listed)
        others = {
            "other order": ask(y, pred, labels=listed[::-1]),
            "listed twice": ask(y, pred, labels=listed * 2),
            "others are one class": ask(*merged, labels=listed),
            "other names": ask(names[y], names[pred], labels=names[pair].tolist()),
        }
        n_asked += len(others)
        found += [
            f"{spec.name}, {average}, {way}: {own}, right is {right}"
            for way, own in others.items()
            if differ(right, own)
        ]
    assert n_asked > 35
    assert not found, f"{len(found)} differ:\n  " + "\n  ".join(found[:8])


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_rates_are_the_accuracy(design, seed):
    n_classes, y, pred, designs = rows(seed)
    ask = partial(said, **designs[design])
    right = ask("accuracy", y, pred)
    for name in ("recall_micro", "precision_micro", "f1_micro", "recall_weighted"):
        assert not differ(right, ask(name, y, pred)), name
    if n_classes == 2:
        assert not differ(right, ask("specificity_micro", y, pred))
    pair = [0, n_classes - 1]
    pooled, mean = (ask(f"recall_{name}", y, pred, labels=pair) for name in ("micro", "weighted"))
    assert not differ(pooled, mean)


@pytest.mark.parametrize("label", [0, 2])
def test_every_entry_point(label):
    """A share of one class at other entry points, against the recall of its own column."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 90)
    a, b = (np.where(rng.random(90) < share, y, rng.integers(0, 3, 90)) for share in (0.8, 0.6))
    group = np.arange(90) // 3
    recall = partial(sx.recall_score, average="macro", labels=[label])
    right = sx.confidence_interval("recall", y == label, a == label, groups=group)
    tables = [
        sx.confidence_interval(
            recall, y.astype(str), a.astype(str), groups=group, labels=[str(label)]
        ),
        sx.confidence_interval(
            "recall_micro", np.eye(3)[y], np.eye(3)[a], labels=[label], groups=group
        ),
    ]
    for own in tables:
        assert not differ(right, own)
    right = sx.confidence_interval("recall", y == label, a == label)
    stream = sx.Accumulator(["recall_macro"], labels=[label])
    for part in (slice(0, 40), slice(40, 90)):
        stream.update(y[part], y_pred=a[part])
    table = sx.compute_metrics(["recall_macro"], y, y_pred=a, intervals=True, labels=[label])
    report = sx.classification_report(y, a, labels=[label], confidence_level=0.95, output_dict=True)
    for row in (table.row("recall_macro"), stream.evaluation(intervals=True).row("recall_macro")):
        assert [row["low"], row["high"]] == pytest.approx([right.low, right.high], rel=1e-9)
        assert (row["method"], row["note"]) == (right.method, right.note)
    for heading in (str(label), "macro avg", "weighted avg", "micro avg"):
        ends = [report[heading][f"recall_{end}"] for end in ("low", "high")]
        assert ends == pytest.approx([right.low, right.high])
    for method in ("auto", "bootstrap", "permutation"):
        right = sx.compare("recall", y == label, a == label, b == label, method=method)
        own = sx.compare(recall, y, a, b, method=method)
        assert not differ(right, own)
        assert own.p_value == pytest.approx(right.p_value, nan_ok=True)
    north, south = slice(0, 40), slice(40, 90)
    right = sx.compare_samples(
        "recall", y[north] == label, a[north] == label, y[south] == label, a[south] == label
    )
    assert not differ(right, sx.compare_samples(recall, y[north], a[north], y[south], a[south]))
    # The same rows are recognised, whichever classes a metric reads.
    both = sx.confidence_interval(recall, y, a) - sx.confidence_interval("accuracy", y, a)
    one = sx.confidence_interval("recall", y, a, average=None, rows="all")[label]
    assert "mover" not in both.method
    assert one.value == pytest.approx(sx.confidence_interval(recall, y, a).value)


def test_a_class_without_predictions_has_no_freedom_of_its_own():
    """Degrees of freedom do not depend on where a class without rows is listed."""
    y, pred = np.array([2] * 4 + [0] * 36), np.array([2, 2, 0, 0, 1, 1, *[0] * 34])
    group = np.arange(40) // 2
    ends = [
        sx.confidence_interval("f1_micro", y, pred, labels=labels, groups=group)
        for labels in ([1, 2], [2, 1])
    ]
    assert not differ(*ends)
