"""Columns are read wherever they lie in memory: the same value, and no copy of what can be read."""

import numpy as np
import pytest
from support.compare import identical, listed
from support.layouts import LAYOUTS

import skmetrics_ext as sx
from skmetrics_ext import kernels

RNG = np.random.default_rng(1)
CODES = RNG.integers(0, 3, 40)
OTHER = RNG.integers(0, 3, 40)
SCORE = RNG.integers(0, 16, 40) / 16
PROBA = RNG.dirichlet(np.ones(3), 40)
WEIGHT = RNG.integers(0, 9, 40) / 8
NAMES = np.array(["a", "bb", "ccc"])

CALLS = {
    "area": (sx.roc_auc_score, CODES > 0, SCORE),
    "area, float32": (sx.roc_auc_score, CODES > 0, SCORE.astype(np.float32)),
    "area, large integers": (sx.roc_auc_score, CODES > 0, CODES + 2**60),
    "area, classes": (sx.roc_auc_score, CODES, PROBA),
    "precision": (sx.average_precision_score, (CODES > 0).astype(np.int64), SCORE),
    "curve": (sx.roc_curve, (CODES > 0).astype(np.int16), SCORE),
    "steps": (sx.precision_recall_curve, (CODES > 0).astype(np.uint32), SCORE),
    "loss": (sx.log_loss, CODES, PROBA),
    "table": (sx.confusion_matrix, CODES, OTHER),
    "table, bytes": (sx.confusion_matrix, CODES.astype(np.int8), OTHER.astype(np.uint8)),
    "table, text": (sx.confusion_matrix, NAMES[CODES], NAMES[OTHER]),
    "table, floats": (sx.confusion_matrix, CODES.astype(float), OTHER.astype(float)),
    "means": (sx.f1_score, CODES, OTHER),
}


def value(function, true, response, weight):
    options = {} if weight is None else {"sample_weight": weight}
    if function is sx.roc_auc_score and response.ndim == 2:
        options["multi_class"] = "ovo"
    if function is sx.f1_score:
        options["average"] = "macro"
    return listed(function(true, response, **options))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_same_value_from_every_layout(name, layout, weighted):
    function, true, response = CALLS[name]
    weight = WEIGHT if weighted else None
    lay = LAYOUTS[layout]
    found = value(function, lay(true), lay(response), None if weight is None else lay(weight))
    assert found == value(function, true, response, weight)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_kernels_read_every_layout(layout):
    lay = LAYOUTS[layout]
    dense = kernels.rank_table(SCORE, CODES, 3, WEIGHT)
    for found, expected in zip(
        kernels.rank_table(lay(SCORE), in_native_order(lay(CODES)), 3, lay(WEIGHT)),
        dense,
        strict=True,
    ):
        assert found.tolist() == expected.tolist()
    identical(
        kernels.pair_wins(lay(PROBA), in_native_order(lay(CODES)), 3, None),
        kernels.pair_wins(PROBA, CODES, 3, None),
    )


def in_native_order(codes):
    """Codes are made by `encode`, which swaps no bytes."""
    return codes if codes.dtype == np.int64 else codes.astype(np.int64)


READ = sorted(set(LAYOUTS) - {"swapped bytes", "swapped records"})


@pytest.mark.parametrize("layout", READ)
def test_native_kernels_leave_none_of_them_to_numpy(layout):
    if "native" not in kernels.available():
        pytest.skip("the native kernels are not built")
    from skmetrics_ext.kernels import _compiled

    lay = LAYOUTS[layout]
    marks = lay(np.minimum(CODES, 1))
    for score in (lay(SCORE), lay(SCORE.astype(np.float32)), lay(CODES + 2**60)):
        for weight in (None, lay(WEIGHT), lay(CODES)):
            assert _compiled.ranked_wins(score, marks, weight) is not None
            assert _compiled.ranked_precision(score, marks, weight) is not None
            assert _compiled.ranked_steps(score, marks, weight, True) is not None
            assert _compiled.placements(score, marks, weight) is not None
            assert _compiled.precision_slopes(score, marks, weight) is not None
            assert _compiled.ranked_squares(score, marks) is not None
            assert _compiled.rank_table(score, lay(CODES), 3, weight) is not None
    assert _compiled.pair_wins(lay(PROBA), lay(CODES), 3, lay(WEIGHT), 1) is not None
    assert _compiled.confusion(lay(CODES), lay(OTHER), 3) is not None
    assert _compiled.encode_integers([lay(CODES), lay(OTHER.astype(np.int8))], 4, 99) is not None
    assert _compiled.resampled_wins(
        np.random.default_rng(0).bit_generator.capsule, marks, lay(np.sort(CODES)), 2, True
    )
