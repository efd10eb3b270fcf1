"""Sums of sites that cannot share rows: saved, loaded, merged, compared, and coarsened."""

import json
import zipfile
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import log_loss, roc_auc_score

from skmetrics_ext import (
    Accumulator,
    confidence_interval,
    evaluate,
    expected_calibration_error,
    expected_cost,
    fbeta_score,
    get_scorer_names,
)

RNG = np.random.default_rng(0)
N = 900
SITE = np.array(["north", "south", "west"])[RNG.integers(0, 3, N)]
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = np.round(1 / (1 + np.exp(-(1.5 * Y - 0.7 + RNG.normal(size=N)))), 3)
PRED = (SCORE > 0.5).astype(int)
GRADE = RNG.integers(0, 3, N)
PROBA = RNG.dirichlet(np.ones(3), N)
COUNTED = ["accuracy", "f1", "matthews_corrcoef",
           "roc_auc", "average_precision", "ks_statistic"]  # fmt: skip
MEANS = ["log_loss", "brier_score"]


def rows_of(site):
    return {"y_true": Y[site == SITE], "y_score": SCORE[site == SITE], "y_pred": PRED[site == SITE]}


def accumulator_of(site=None, metrics=(*COUNTED, *MEANS), **options):
    accumulator = Accumulator(list(metrics), **options)
    rows = {"y_true": Y, "y_score": SCORE, "y_pred": PRED} if site is None else rows_of(site)
    accumulator.update(**rows)
    return accumulator


@pytest.fixture
def shared(tmp_path):
    """What another site reads of an accumulator."""

    def read(accumulator, **options):
        path = tmp_path / "site.skx"
        accumulator.save(path, **options)
        return Accumulator.load(path)

    return read


SITES = ["north", "south", "west"]


def test_whole_is_that_of_all_rows_to_the_last_bit(shared):
    parts = [shared(accumulator_of(site)) for site in SITES]
    merged = parts[0].merge(*parts[1:]).evaluation(intervals=True)
    frame = pd.DataFrame({"y": Y, "score": SCORE, "pred": PRED})
    whole = evaluate(frame, true="y", score="score", pred="pred", metrics=[*COUNTED, *MEANS],
                     intervals=True)  # fmt: skip
    for metric in COUNTED:
        assert repr(merged.row(metric)) == repr(whole.row(metric))
    for metric in MEANS:  # sums of floats
        found, right = merged.row(metric), whole.row(metric)
        assert [found.value, found.low, found.high] == pytest.approx(
            [right.value, right.low, right.high], rel=1e-11
        )
    assert merged.value("accuracy") == (Y == PRED).mean()
    auc = stats.mannwhitneyu(SCORE[Y == 1], SCORE[Y == 0]).statistic / (Y == 1).sum()
    assert merged.value("roc_auc") == pytest.approx(auc / (Y == 0).sum(), rel=1e-14)
    interval = confidence_interval("roc_auc", Y, SCORE)
    row = merged.row("roc_auc")
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high), rel=1e-12)


def test_sites_have_values_and_gaps_as_groups_of_rows_have(shared):
    sites = {site: shared(accumulator_of(site)) for site in SITES}
    found = Accumulator.evaluate_sites(sites, intervals=True)
    frame = pd.DataFrame({"y": Y, "score": SCORE, "pred": PRED, "site": SITE})
    right = evaluate(frame, true="y", score="score", pred="pred", metrics=[*COUNTED, *MEANS],
                     by="site", margins=True, intervals=True)  # fmt: skip
    for metric in COUNTED:
        for site in (*SITES, None):
            assert repr(found.row(metric, site)) == repr(right.row(metric, site))
    for metric in ("accuracy", "roc_auc", "log_loss"):
        gaps, expected = found.gaps(metric).frame(), right.gaps(metric).frame()
        pd.testing.assert_frame_equal(
            gaps.sort_values("site", ignore_index=True),
            expected.sort_values("site", ignore_index=True),
            rtol=1e-9,
        )


@pytest.mark.parametrize("labels", [None, ["a", "b", "c"]])
def test_classes_and_parameters_return(shared, labels):
    cost = partial(expected_cost, cost_matrix=np.arange(9.0).reshape(3, 3))
    names = np.array(["a", "b", "c"])
    metrics = {"cost": cost, "f1": "f1_macro", "f05": partial(fbeta_score, beta=0.5,
                                                              average="macro")}  # fmt: skip
    if labels:
        metrics |= {"auc": "roc_auc_ovr", "loss": "log_loss", "ece": partial(
            expected_calibration_error, target="classwise", n_bins=5)}  # fmt: skip
    accumulator = Accumulator(metrics, labels=labels)
    rows = {"y_score": PROBA} if labels else {}
    accumulator.update(names[GRADE], y_pred=names[PROBA.argmax(axis=1)], **rows)
    again = shared(accumulator)
    assert again.compute() == accumulator.compute()
    assert again.names == accumulator.names
    assert again.n_rows == N
    both = again.merge(accumulator)
    assert both.n_rows == 2 * N
    assert both.compute() == pytest.approx(accumulator.compute())


def test_goes_on_where_it_was_saved(shared):
    first = shared(accumulator_of("north"))
    first.update(**rows_of("south"))
    first.update(**rows_of("west"))
    assert first.compute() == pytest.approx(
        accumulator_of("north").merge(accumulator_of("south"), accumulator_of("west")).compute()
    )


@pytest.mark.parametrize("weight", [RNG.integers(0, 4, N), RNG.random(N)])
def test_weights_return(shared, weight):
    accumulator = Accumulator([*COUNTED, *MEANS])
    accumulator.update(Y, SCORE, weight, y_pred=PRED)
    assert shared(accumulator).compute() == accumulator.compute()


@pytest.mark.parametrize("bins", [None, 20])
def test_rows_of_weight_0_return(tmp_path, bins):
    """They are nan alone, and nothing to a site that has rows with weight."""
    empty = Accumulator([*COUNTED, *MEANS])
    empty.update(Y, SCORE, np.zeros(N), y_pred=PRED)
    empty.save(tmp_path / "empty.skx", bins=bins)
    empty = Accumulator.load(tmp_path / "empty.skx")
    assert empty.n_rows == N
    assert np.isnan(list(empty.compute().values())).all()
    weighted = Accumulator([*COUNTED, *MEANS])
    weighted.update(Y, SCORE, Y + 1.0, y_pred=PRED)
    for values in (empty.merge(weighted).compute(), weighted.merge(empty).compute()):
        expected = roc_auc_score(Y, SCORE, sample_weight=Y + 1.0)
        assert values["roc_auc"] == pytest.approx(expected, rel=1e-12)
        expected = log_loss(Y, SCORE, sample_weight=Y + 1.0)
        assert values["log_loss"] == pytest.approx(expected, rel=1e-12)


def test_all_metrics_of_two_classes_return(shared):
    kept = []
    for name in get_scorer_names():
        try:
            Accumulator([name]).update(Y, SCORE, y_pred=PRED)
        except ValueError:
            continue  # of other targets, or no single value
        kept.append(name)
    assert len(kept) > 60
    accumulator = accumulator_of(metrics=kept)
    assert repr(shared(accumulator).compute()) == repr(accumulator.compute())


# --------------------------------------------------------------------------- coarse files


def test_coarse_values_by_hand(shared):
    """Bins [0, 0.5) and [0.5, 1]: 2 negative and 1 positive rows below, 1 and 2 above."""
    accumulator = Accumulator(["roc_auc"])
    accumulator.update([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
    row = shared(accumulator, bins=2).evaluation().row("roc_auc")
    # Of 9 pairs 2 * 2 are ranked rightly, 2 + 2 are ties, 1 is ranked wrongly.
    assert row.value == pytest.approx(6 / 9)
    assert row.note == "scores in 2 bins; between 0.4444 and 0.8889 for any order within them"


@pytest.mark.parametrize("bins", [5, 100, [0.0, 0.3, 0.35, 0.4, 0.9, 1.0]])
def test_bounds_hold_the_values_of_the_rows(shared, bins):
    rows = accumulator_of()
    found = shared(rows, bins=bins).evaluation()
    for metric in ("roc_auc", "average_precision"):
        words = found.row(metric).note.split()
        low, high = float(words[5]), float(words[7])
        assert low - 5e-5 <= rows.compute()[metric] <= high + 5e-5
        assert low <= found.value(metric) <= high
    assert "no bound" in found.row("ks_statistic").note
    for metric in ("accuracy", "log_loss"):
        assert found.row(metric) == rows.evaluation().row(metric)


def test_coarsening_commutes_with_merging(shared):
    sites = [accumulator_of(site) for site in SITES]
    coarse = [shared(one, bins=50) for one in sites]
    whole = shared(sites[0].merge(*sites[1:]), bins=50)
    merged = coarse[0].merge(*coarse[1:])
    assert merged.n_distinct == whole.n_distinct <= 50
    assert merged.evaluation().row("roc_auc") == whole.evaluation().row("roc_auc")
    mixed = sites[0].merge(coarse[1], sites[2])
    assert mixed.evaluation().row("roc_auc") == whole.evaluation().row("roc_auc")


@pytest.mark.parametrize("least", [1, 5, 20])
def test_no_cell_is_smaller_than_min_cell(shared, least):
    sites = {}
    for site in SITES:
        part = shared(accumulator_of(site, ["roc_auc"]), bins=200, min_cell=least)
        sites[site] = part
        mass = part._stacks[0].whole().mass
        assert mass[mass > 0].min() >= least
        edges = part._edges[0]
        true, scores = Y[site == SITE], SCORE[site == SITE]
        for low, high in pairwise(edges):
            inside = (scores >= low) & ((scores < high) | (high == 1))
            for label in (0, 1):
                count = (inside & (true == label)).sum()
                assert count == 0 or count >= least
    found = Accumulator.evaluate_sites(sites, intervals=True)
    words = found.row("roc_auc").note.split()
    auc = accumulator_of(metrics=["roc_auc"]).compute()["roc_auc"]
    assert float(words[5]) - 5e-5 <= auc <= float(words[7]) + 5e-5


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"min_cell": 5}, "pass bins="),
        ({"bins": 10, "min_cell": 0}, "min_cell has to be an integer of 1 or more"),
        ({"bins": 10, "min_cell": 500}, r"true 1 predicted 1 \(377\)"),
        ({"bins": 0}, "bins has to be an integer of 1 or more"),
        ({"bins": [0, 0.5]}, "and scores from 0.022 to 0.968"),
        ({"bins": [1, 0]}, "bins must be finite numbers that rise"),
        ({"bins": ["low", "high"]}, "bins must hold numbers"),
        ({"bins": [0, np.inf]}, "finite numbers that rise"),
    ],
)
def test_refused_coarsening(tmp_path, options, error):
    accumulator = accumulator_of(metrics=["roc_auc"])
    with pytest.raises(ValueError, match=error):
        accumulator.save(tmp_path / "a.skx", **options)
    assert not (tmp_path / "a.skx").exists()


def test_small_cells_of_tables_and_weights_are_refused(tmp_path):
    few = Accumulator(["accuracy"])
    few.update([0] * 20 + [1] * 20, [0] * 18 + [1] * 22)
    with pytest.raises(ValueError, match=r"true 0 predicted 1 \(2\)"):
        few.save(tmp_path / "a.skx", min_cell=3)
    few.save(tmp_path / "a.skx", min_cell=2)
    weighted = Accumulator(["accuracy"])
    weighted.update([0, 1], [0, 1], [20, 20])
    with pytest.raises(ValueError, match="sums of weighted rows"):
        weighted.save(tmp_path / "a.skx", min_cell=2)
    binned = Accumulator([partial(expected_calibration_error, n_bins=4)])
    binned.update(Y, SCORE)
    with pytest.raises(ValueError, match="bins of expected_calibration_error"):
        binned.save(tmp_path / "a.skx", min_cell=60)


def test_bins_with_other_ends_do_not_merge(shared):
    one = shared(accumulator_of("north"), bins=10)
    other = shared(accumulator_of("south"), bins=[0, 0.5, 2])
    with pytest.raises(ValueError, match="do not merge"):
        one.merge(other)
    with pytest.raises(ValueError, match="bins go from 0 to 1, and scores from"):
        shared(accumulator_of("north", ["roc_auc"]), bins=10).update([0, 1], [0.5, 3.0])


# --------------------------------------------------------------------------- files


def test_the_same_sums_make_the_same_file_and_hold_no_row(tmp_path):
    accumulator_of().save(tmp_path / "a.skx")
    accumulator_of().save(tmp_path / "b.skx")
    assert (tmp_path / "a.skx").read_bytes() == (tmp_path / "b.skx").read_bytes()
    accumulator_of(metrics=["log_loss"]).save(tmp_path / "c.skx")
    with zipfile.ZipFile(tmp_path / "c.skx") as file:
        sizes = [np.load(file.open(name)).size for name in file.namelist()[1:]]
    assert max(sizes) < 10


def test_without_rows_there_is_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="No rows were given yet"):
        Accumulator(["accuracy"]).save(tmp_path / "a.skx")


def changed(path, edit):
    """The file after an edit of its content, a map of lists of pairs."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    head = json.loads(parts["report.json"])
    edit(head)
    parts["report.json"] = json.dumps(head).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)


def put(head, name, value):
    fields = head["content"]["map"]
    (pair,) = [pair for pair in fields if pair[0] == name]
    pair[1] = value


EDITS = {
    "another kind": (lambda head: head.update(kind="Report"), "holds a Report, not an Accumulator"),
    "a later version": (lambda head: head.update(version=2), "later version"),
    "no metric": (lambda head: put(head, "metrics", []), "metrics is empty"),
    "an unknown metric": (
        lambda head: put(head, "metrics", [{"map": [["name", "x"], ["metric", "x"],
                                                    ["params", {"map": []}]]}]),
        "not a valid scoring value",
    ),
    "no rankings": (lambda head: put(head, "ranks", []), "rankings do not fit"),
    "no losses": (lambda head: put(head, "moments", {"map": []}), "not those of its metrics"),
    "no state": (lambda head: put(head, "state", {"map": []}), "its state"),
    "other columns": (lambda head: put(head, "n_columns", 3), "damaged"),
    "bins that are none": (lambda head: put(head, "edges", {"tuple": [2]}), "no edges of its bins"),
    "nothing": (lambda head: head.pop("content"), "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_edited_files_are_refused(tmp_path, edit):
    accumulator_of().save(tmp_path / "a.skx")
    changed(tmp_path / "a.skx", EDITS[edit][0])
    with pytest.raises(ValueError, match=EDITS[edit][1]):
        Accumulator.load(tmp_path / "a.skx")


def test_sums_of_other_rows_are_refused(tmp_path):
    """One more row in the confusion table, or at the highest score, contradicts the others."""
    accumulator_of(metrics=["accuracy", "roc_auc", "log_loss"]).save(tmp_path / "a.skx")
    with zipfile.ZipFile(tmp_path / "a.skx") as file:
        parts = {name: file.read(name) for name in file.namelist()}
        arrays = {name: np.load(file.open(name)) for name in parts if name != "report.json"}
    counts = [name for name, array in arrays.items() if array.dtype.kind == "i" and array.ndim == 2]
    assert len(counts) == 2
    for changed_name in counts:
        arrays[changed_name][0, 0] += 1
        with zipfile.ZipFile(tmp_path / "b.skx", "w") as file:
            for name, part in parts.items():
                with file.open(name, "w") as stream:
                    if name != changed_name:
                        stream.write(part)
                    else:
                        np.lib.format.write_array(stream, arrays[name], version=(1, 0))
        arrays[changed_name][0, 0] -= 1
        with pytest.raises(ValueError, match="not hold"):
            Accumulator.load(tmp_path / "b.skx")


def test_reports_are_no_accumulators(tmp_path):
    (tmp_path / "a.skx").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is no file of an Accumulator, or is damaged"):
        Accumulator.load(tmp_path / "a.skx")
    with pytest.raises(FileNotFoundError):
        Accumulator.load(tmp_path / "none.skx")


@pytest.mark.parametrize("sites", [{}, [1], None])
def test_sites_have_names(sites):
    with pytest.raises(ValueError, match="sites must be a dict"):
        Accumulator.evaluate_sites(sites)


def test_small_cells_of_negatives_in_bins_are_refused(tmp_path):
    """In the upper bin are 20 positives and 2 negatives."""
    binned = Accumulator([partial(expected_calibration_error, n_bins=2)])
    binned.update([0] * 20 + [1] * 20 + [0] * 2, [0.25] * 20 + [0.75] * 22)
    with pytest.raises(ValueError, match=r"expected_calibration_error \(2\)"):
        binned.save(tmp_path / "a.skx", min_cell=3)
    binned.save(tmp_path / "a.skx", min_cell=2)


def test_one_site_with_float_weights_leaves_all_of_them_without_intervals():
    """Sums of float weights are no counts of rows, also where other sites have counts."""
    sites = {}
    for site, weight in (("counted", 2), ("weighted", 0.5)):
        sites[site] = Accumulator(["accuracy"])
        sites[site].update([0, 1, 1, 0], [0, 1, 0, 0], np.full(4, weight))
    found = Accumulator.evaluate_sites(sites, intervals=True, weights_are="frequency")
    low = {row.group: row.low for row in found}
    assert low["counted"] > 0
    assert np.isnan(low["weighted"])
    assert np.isnan(low[None])
