"""Several raters with missing ratings, against krippendorff 0.9.0, irrCAC 0.4.4 and definitions."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx
from skmetrics_ext import fleiss_kappa_score, gwet_ac1_score, krippendorff_alpha_score

N = None
RATINGS = [
    [3, 5, 3, 5, N],
    [3, 3, N, 3, 3],
    [5, 3, 3, 3, 3],
    [N, 5, N, 5, N],
    [3, N, 3, 5, 3],
    [N, N, N, N, N],
    [3, N, N, 3, 3],
    [N, 2, 1, 2, 2],
    [2, N, N, 1, 1],
    [N, 3, N, N, N],
    [N, N, 3, 2, 3],
    [5, 5, 5, 5, 3],
    [5, 5, 5, 3, N],
    [1, N, 2, 1, N],
    [3, 3, N, 2, 1],
    [5, 5, N, N, 5],
]
TABLE = np.array(RATINGS, dtype=float)
# krippendorff.alpha(TABLE.T, level_of_measurement=level)
ALPHA = {
    "nominal": 0.38063063063063085,
    "ordinal": 0.7282508804046554,
    "interval": 0.6899059024807528,
    "ratio": 0.6369895921984945,
}
# irrCAC.raw.CAC(TABLE without its empty row, weights=..., categories=[1, 2, 3, 5]): coefficient,
# standard error and interval of gwet(), coefficient and standard error of fleiss().
BY_WEIGHTS = {
    None: (0.46434272336156, 0.11213889938212, 0.22382870476904, 0.70485674195408),
    "linear": (0.66749509150329, 0.08412393170585, 0.48706720264528, 0.8479229803613),
    "quadratic": (0.81436350666077, 0.06896555202287, 0.66644710875721, 0.96227990456433),
    "ordinal": (0.79574010092108, 0.07908630766544, 0.62611684104368, 0.96536336079849),
}
FLEISS = {
    None: (0.39053500077837, 0.11319299965415),
    "linear": (0.57194474486285, 0.1155272982201),
    "quadratic": (0.71393752487067, 0.11498632535879),
    "ordinal": (0.67556117139884, 0.10874330094996),
}
FUNCTIONS = (krippendorff_alpha_score, gwet_ac1_score, fleiss_kappa_score)


@pytest.mark.parametrize("level", ALPHA)
def test_alpha_is_that_of_krippendorff(level) -> None:
    assert krippendorff_alpha_score(RATINGS, level=level) == pytest.approx(ALPHA[level], rel=1e-12)


@pytest.mark.parametrize("weights", BY_WEIGHTS)
def test_gwet_and_fleiss_are_those_of_irrcac(weights) -> None:
    value, error, low, high = BY_WEIGHTS[weights]
    fleiss, fleiss_error = FLEISS[weights]
    assert gwet_ac1_score(RATINGS, weights=weights) == pytest.approx(value, rel=1e-11)
    assert fleiss_kappa_score(RATINGS, weights=weights) == pytest.approx(fleiss, rel=1e-11)
    found = sx.confidence_interval("gwet_ac1", RATINGS, weights=weights)
    numbers = found.value, found.standard_error, found.low, found.high
    assert numbers == pytest.approx((value, error, low, high), rel=1e-11)
    found = sx.confidence_interval("fleiss_kappa", RATINGS, weights=weights)
    assert (found.value, found.standard_error) == pytest.approx((fleiss, fleiss_error), rel=1e-11)


def test_the_error_of_alpha_is_that_of_the_jackknife() -> None:
    several = TABLE[(~np.isnan(TABLE)).sum(axis=1) > 1]
    n = len(several)
    each = [krippendorff_alpha_score(np.delete(several, i, axis=0)) for i in range(n)]
    found = sx.confidence_interval("krippendorff_alpha", RATINGS)
    assert found.standard_error == pytest.approx(np.sqrt((n - 1) * np.var(each)), rel=1e-12)
    assert found.method == "delta"
    groups = np.arange(16) // 2  # those of a group are left out by their sum
    grouped = sx.confidence_interval("krippendorff_alpha", RATINGS, groups=groups)
    kept = groups[(~np.isnan(TABLE)).sum(axis=1) > 1]
    change = (n - 1) * (np.mean(each) - each) / n
    sums = np.array([change[kept == g].sum() for g in np.unique(kept)])
    wanted = np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum())
    assert grouped.standard_error == pytest.approx(wanted, rel=1e-12)
    assert grouped.n_groups == len(sums)


def test_fleiss_by_hand() -> None:
    """Pairs that agree: 1, 1, 1/3, 1/3, mean 2/3; shares 1/2, so chance 1/2."""
    ratings = [[0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert fleiss_kappa_score(ratings) == pytest.approx(1 / 3, rel=1e-14)


@pytest.mark.parametrize("score", FUNCTIONS)
@pytest.mark.parametrize("params", [{}, {"labels": [5, 3, 2]}, {"labels": [1, 2, 3, 4, 5]}])
def test_two_columns_are_two_raters(score, params) -> None:
    both = TABLE[:, [0, 3]]
    both = both[~np.isnan(both).any(axis=1)].astype(int)
    wanted = score(both[:, 0], both[:, 1], **params)
    assert score(both, **params) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("score", FUNCTIONS[1:])
@pytest.mark.parametrize("weights", ["linear", "quadratic", "ordinal", "matrix"])
def test_weights_of_two_columns(score, weights) -> None:
    """By the definition: disagreement as a share of the worst."""
    first, second = [1, 2, 2, 5, 5, 1], [1, 2, 5, 5, 2, 2]
    worst = {
        "linear": np.array([[0, 1, 4], [1, 0, 3], [4, 3, 0]]) / 4,
        "quadratic": np.array([[0, 1, 16], [1, 0, 9], [16, 9, 0]]) / 16,
        "ordinal": np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]]) / 3,
        "matrix": np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 2,
    }[weights]
    given = worst if weights == "matrix" else weights
    place = {1: 0, 2: 1, 5: 2}
    seen = np.mean([worst[place[a], place[b]] for a, b in zip(first, second, strict=True)])
    share = np.bincount([place[v] for v in first + second], minlength=3) / 12
    if score is fleiss_kappa_score:
        expected = share @ worst @ share
    else:
        expected = 1 - (9 - worst.sum()) / 6 * (share * (1 - share)).sum()
    assert score(first, second, weights=given) == pytest.approx(1 - seen / expected, rel=1e-13)


def test_alpha_by_its_definition() -> None:
    """Each value is compared with the others of its item, and with all values."""
    values = [[v for v in row if v is not None] for row in RATINGS]
    values = [row for row in values if len(row) > 1]
    everything = [v for row in values for v in row]
    seen = sum(
        (a - b) ** 2 / (len(row) - 1) for row in values for a, b in permutations(row, 2)
    ) / len(everything)
    expected = np.mean([(a - b) ** 2 for a, b in permutations(everything, 2)])
    found = krippendorff_alpha_score(RATINGS, level="interval")
    assert found == pytest.approx(1 - seen / expected, rel=1e-13)


TEXT = [[N if v is N else "abcde"[v - 1] for v in row] for row in RATINGS]
KIND = pd.CategoricalDtype(list("abcde"), ordered=True)
CONTAINERS = {
    "list": RATINGS,
    "object": np.array(RATINGS, dtype=object),
    "masked": np.ma.masked_invalid(TABLE),
    "pandas": pd.DataFrame(TABLE),
    "nullable": pd.DataFrame(TABLE).astype("Int64"),
    "polars": pl.DataFrame(RATINGS, orient="row"),
    "pyarrow": pa.table({str(j): [row[j] for row in RATINGS] for j in range(5)}),
    "text": TEXT,
    "frame of text": pd.DataFrame(TEXT),
    "categories": pd.DataFrame(TEXT).astype(KIND),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_any_container(kind) -> None:
    ratings = CONTAINERS[kind]
    assert krippendorff_alpha_score(ratings) == pytest.approx(ALPHA["nominal"], rel=1e-12)
    value, error = BY_WEIGHTS[None][:2]
    found = sx.confidence_interval("gwet_ac1", ratings)
    assert (found.value, found.standard_error) == pytest.approx((value, error), rel=1e-11)


def test_order_of_text_is_declared() -> None:
    with pytest.raises(ValueError, match="has no order: pass labels= in rising order"):
        krippendorff_alpha_score(TEXT, level="ordinal")
    for ratings, params in ((CONTAINERS["categories"], {}), (TEXT, {"labels": list("abcde")})):
        found = krippendorff_alpha_score(ratings, level="ordinal", **params)
        assert found == pytest.approx(ALPHA["ordinal"], rel=1e-12)


def test_weights_of_items_are_repeated_items() -> None:
    weight = np.arange(16) % 3
    repeated = np.repeat(TABLE, weight, axis=0)
    for score in FUNCTIONS:
        name = score.__name__.removesuffix("_score")
        assert score(TABLE, sample_weight=weight) == pytest.approx(score(repeated), rel=1e-12)
        options = {"sample_weight": weight, "weights_are": "frequency"}
        found = sx.confidence_interval(name, TABLE, **options)
        wanted = sx.confidence_interval(name, repeated)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


def test_estimates_of_one_table_can_be_subtracted() -> None:
    nominal = sx.confidence_interval("gwet_ac1", RATINGS)
    weighted = sx.confidence_interval("gwet_ac1", RATINGS, weights="linear")
    found = weighted - nominal
    assert found.value == pytest.approx(BY_WEIGHTS["linear"][0] - BY_WEIGHTS[None][0], rel=1e-10)
    assert found.standard_error < nominal.standard_error


def test_perfect_agreement_has_a_width() -> None:
    found = sx.confidence_interval("krippendorff_alpha", [[1, 1, 1], [2, 2, 2]] * 10)
    assert found.value == found.high == 1
    assert 0.5 < found.low < 0.9
    drawn = sx.confidence_interval("fleiss_kappa", RATINGS, method="bootstrap", n_resamples=200)
    assert drawn.low < FLEISS[None][0] < drawn.high


@pytest.mark.parametrize("score", FUNCTIONS)
def test_one_class_is_undefined(score) -> None:
    with pytest.warns(UserWarning, match="only one class occurs"):
        assert np.isnan(score([[2, 2], [2, None], [2, 2]]))


@pytest.mark.parametrize(
    ("ratings", "params", "message"),
    [
        ([1, 2, 1], {}, "ratings must be a table of items x raters"),
        ([[None, None], [None, None]], {}, "ratings hold no rating"),
        ([[1, "a"], ["a", "b"]], {}, "Mix of label input types"),
        ([[-1, 1], [1, 2]], {"level": "ratio"}, "needs numbers from 0 on, got -1"),
        ([[1, 2], [2, 2]], {"level": "cardinal"}, "level"),
    ],
)
def test_refused(ratings, params, message) -> None:
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha_score(ratings, **params)


def test_an_interval_needs_two_items() -> None:
    with pytest.raises(ValueError, match="must hold two items or more that several raters rated"):
        sx.confidence_interval("krippendorff_alpha", [[1, 2], [None, 1]])
    with pytest.raises(ValueError, match="y_pred is missing"):
        sx.confidence_interval("cohen_kappa", RATINGS)
    found = sx.confidence_interval("fleiss_kappa", [[1, 1], [1, 2]])
    assert found.value == pytest.approx((0.5 - 0.625) / 0.375)
