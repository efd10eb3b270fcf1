"""Public tallies and curves of lists are those of arrays; what is no field of theirs is named."""

import inspect
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from support.public import PUBLIC

import skmetrics_ext as sx
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally, ScoreSketch
from skmetrics_ext.tallies.merging import Merges

Y, S = [0, 1, 1, 0, 1, 0], [0.1, 0.8, 0.4, 0.4, 0.9, 0.2]
WEIGHT = [1.0, 2.5, 1.0, 0.5, 1.0, 2.0]
LABELS = ["a", "b", "c", "a", "b", "a"]

EXAMPLES = [
    ConfusionTally.from_predictions(LABELS, LABELS[::-1]),
    ConfusionTally.from_predictions(LABELS, LABELS[::-1], sample_weight=WEIGHT),
    ConfusionTally.from_predictions(Y, Y[::-1], groups=[0, 0, 0, 1, 1, 1]),
    Counts.from_predictions(LABELS, LABELS[::-1]),
    Counts.from_predictions(Y, Y[::-1], sample_weight=WEIGHT).of_class(1),
    RankTally.from_predictions(Y, S),
    RankTally.from_predictions(Y, S, sample_weight=WEIGHT),
    MomentTally.from_values(S, sample_weight=WEIGHT),
    MomentTally.stack([MomentTally.from_values(np.column_stack([S, Y]))] * 2),
    ScoreSketch.from_edges([0.3, 0.6]).update(Y, S),
    sx.gain_curve(Y, S),
    sx.lift_curve(Y, S),
    sx.risk_coverage_curve(Y, Y, confidence=S),
    sx.net_benefit_curve(Y, S, thresholds=[0.2, 0.5]),
    sx.precision_recall_gain_curve(Y, S),
    sx.calibration_curve_binned(Y, S, n_bins=3),
    sx.curve_band(
        "sensitivity_at_specificity", Y * 5, np.tile(S, 5) + np.linspace(0, 0.4, 30), at=[0.5, 0.8]
    ),
    *sx.roc_curves(Y, S).curves,
    *sx.precision_recall_curves(Y, S).curves,
]
# What a field holds where weights do: these are checked, other numbers may be anything.
WEIGHTS = {"table", "tp", "fp", "fn", "tn", "mass", "weight", "n_rows"}


def is_public(kind):
    if not isinstance(kind, type) or not is_dataclass(kind):
        return False
    return issubclass(kind, Merges) or kind.__name__.endswith(("Curve", "CurveBand"))


def test_all_public_ones_are_tried():
    public = set(filter(is_public, PUBLIC.values()))
    assert public <= {type(one) for one in EXAMPLES}


def arrays_of(example):
    return [f.name for f in fields(example) if isinstance(getattr(example, f.name), np.ndarray)]


def plain(value):
    """Anything that is read, so that it can be compared; nan is nan."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind, repr(value.tolist())
    if is_dataclass(value):
        return type(value).__name__, [plain(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return repr(value)


def readings(one):
    """All that can be asked without an argument."""
    found = {}
    for name in dir(type(one)):
        if name.startswith("_") or name in ("plot", "from_predictions"):
            continue
        asked = getattr(one, name)
        if callable(asked):
            if any(p.default is p.empty for p in inspect.signature(asked).parameters.values()):
                continue
            try:
                asked = asked()
            except ValueError as error:
                if not isinstance(error, TypeError):  # a refusal is both
                    raise
                asked = str(error)
        found[name] = plain(asked)
    return found


CASES = [pytest.param(one, id=f"{k}-{type(one).__name__}") for k, one in enumerate(EXAMPLES)]


@pytest.mark.parametrize("example", CASES)
def test_lists_and_tuples_say_what_arrays_say(example):
    def as_tuple(values):
        return tuple(map(as_tuple, values)) if isinstance(values, list) else values

    expected = readings(example)
    listed = {name: getattr(example, name).tolist() for name in arrays_of(example)}
    for changes in (listed, {name: as_tuple(values) for name, values in listed.items()}):
        assert readings(replace(example, **changes)) == expected
        for name, values in changes.items():
            one = replace(example, **{name: values})
            assert type(getattr(one, name)) is np.ndarray or np.ndim(values) == 0
            assert readings(one) == expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float32, object])
def test_narrow_numbers_are_widened(dtype):
    table = np.array([[100, 100], [100, 100]]).astype(dtype)
    tally = ConfusionTally([0, 1], table)
    assert tally.table.dtype.char in "ld"
    assert tally.counts().total.tolist() == [400, 400]
    assert RankTally([0.5, 0.1], table).wins().twice == 3 * 100 * 100 + 100 * 100


def wrong_for(example, name):
    """Values that are none of this field, each as it is said to be wrong."""
    values = getattr(example, name)
    found = {
        "None": None,
        "text": "abc",
        "an object": object(),
        "a dict": {1: 2},
        "rows of unlike lengths": [[1, 2], [3]],
        "words": np.full(values.shape, "x").tolist() if name != "classes" else [["x"]],
    }
    if name not in ("table", "mass"):  # which may have more of them
        found["an axis more"] = values[None].tolist()
    if values.ndim and values.shape[-1] > 1 and not isinstance(example, Counts):
        found["one fewer"] = values[..., :-1]
    if name in WEIGHTS and isinstance(example, Merges):
        for what, number in (("nan", np.nan), ("infinite", np.inf), ("negative", -1.0)):
            bad = values.astype(float)
            bad[(-1,) * values.ndim] = number
            found[what] = bad.tolist()
            if not isinstance(example, Counts):  # arrays of these are not looked at
                found[f"{what}, as an array"] = bad
    return found


@pytest.mark.parametrize("example", CASES)
def test_what_is_wrong_is_named(example):
    names = arrays_of(example)
    assert names
    for name in names:
        for what, value in wrong_for(example, name).items():
            with pytest.raises(ValueError) as raised:
                replace(example, **{name: value})
            assert isinstance(raised.value, TypeError)  # a refusal is both
            told = str(raised.value)
            assert any(own in told for own in names), (name, what, told)


def test_what_does_not_fit_together_is_refused():
    table = [[1, 2], [3, 4]]
    for make, told in (
        (lambda: ConfusionTally([0, 0], table), "classes must name each class once"),
        (
            lambda: ConfusionTally([0, 1, 2], table),
            r"table must be of shape \(..., 3, 3\)",
        ),
        (lambda: RankTally([0.1, 0.5], table), "thresholds must fall"),
        (lambda: RankTally([0.5, 0.5], table), "thresholds must fall"),
        (lambda: RankTally([0.5, np.nan], table), "thresholds"),
        (lambda: Counts([1], [1, 2], [1], [1]), "must be of one shape"),
        (lambda: MomentTally(2, [np.nan], [[0]], 2), "mean must be finite where"),
        (lambda: ConfusionTally.from_table([[1, 2], [3]]), "table must hold numbers"),
    ):
        with pytest.raises(ValueError, match=told):
            make()
    # Nothing is known of no rows.
    assert np.isnan(MomentTally(0, [np.nan], [[0]], 0).mean).all()


def test_curves_of_classes():
    curves = sx.roc_curves(LABELS, np.eye(3)[[0, 1, 2, 1, 1, 2]])
    assert replace(curves, classes=list("abc")).areas == curves.areas
    for classes in (["a", "b"], ["a", "a", "b"], None):
        with pytest.raises(ValueError, match=r"classes|curves"):
            replace(curves, classes=classes)


@pytest.mark.parametrize("axis", [0, 1, -1, -2, -3, 7])
@pytest.mark.parametrize("weight", [None, [1.0, 2.5, 1.0, 0.5, 1.0, 2.0]])
def test_only_leading_axes_are_pooled(axis, weight):
    one = ConfusionTally.from_predictions(Y, Y[::-1], sample_weight=weight)
    ranks = RankTally.from_predictions(Y, S, sample_weight=weight)
    for tally in (one, ranks):
        with pytest.raises(ValueError, match=r"one of the 0 leading axes"):
            tally.pool(axis)
    stacked = RankTally.stack([ranks, ranks])
    if axis in (0, -3):
        assert stacked.pool(axis).wins().twice == 4 * ranks.wins().twice
    else:
        with pytest.raises(ValueError, match=r"one of the 1 leading axes"):
            stacked.pool(axis)
