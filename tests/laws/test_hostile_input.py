"""Long texts, weights of any range, counts without end: an answer or an error, soon."""

import contextlib
import time
import tracemalloc
import warnings

import numpy as np
import pytest

import skmetrics_ext as sx
from skmetrics_ext.requirements import Requirement
from tests.support.many_models import all_differences

N = 100_000
TEXTS = {
    "blanks": " " * N + "x",
    "digits": "1" * N + "x",
    "number and blanks": "1" + " " * N + "x",
    "signs": ">" * N,
    "limits": ">=1" * N,
    "slashes": "/" * N + ">=",
    "dots": "a." * N + ">=x",
    "words": "worst:" * N + ">=",
    "dashes": "- " * N + "x",
    "dates": "2020-01-01 10:00" * N,
    "stars": "*_" * N + "]",
    "ampersands": "&a" * N,
    "letters": "a" * N + "\n",
    "quotes": "\\'\"" * N,
    "neg": "neg_" * N,
}
Y, P = np.array([0, 1, 1, 0, 1, 0] * 10), np.linspace(0.1, 0.9, 60)
GROUPS = np.array(["a", "b", "c"] * 20, dtype=object)


def _columns(text):
    pd = pytest.importorskip("pandas")
    data = pd.DataFrame({text: Y, "score": P, "g": [text] * 60})
    return sx.evaluate(data, true=text, score="score", metrics=["roc_auc"])


def _cells(text):
    pa = pytest.importorskip("pyarrow")
    from skmetrics_ext.datasets.roles import roles_of

    return roles_of(pa.table({"y": Y, text: [text, text + "1"] * 30}), chosen=False)


DOORS = {
    "requirement": Requirement.parse,
    "metric": lambda text: sx.confidence_interval(text, Y, P),
    "scorer": sx.get_scorer,
    "table": lambda text: sx.compute_metrics([text], Y, y_score=P),
    "constraint": lambda text: sx.optimal_threshold(Y, P, "f1", constraints=[(text, ">=", 0.5)]),
    "memory": lambda text: sx.evaluate(
        {"y": Y, "s": P},
        true="y",
        score="s",
        metrics=["roc_auc"],
        engine="duckdb",
        memory_limit=text,
    ),
    "method": lambda text: sx.confidence_interval("roc_auc", Y, P, method=text),
    "classes": lambda text: print(sx.confusion_matrix([text, "b"], [text, text])),
    "groups": lambda text: print(
        sx.compute_metrics(["roc_auc"], Y, y_score=P, by=np.where(GROUPS == "a", text, GROUPS))
    ),
    "column name": lambda text: print(_columns(text)),
    "cells": _cells,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("door", DOORS)
def test_no_text_takes_long(door, text):
    start = time.perf_counter()
    with warnings.catch_warnings(), contextlib.suppress(ValueError, TypeError):
        warnings.simplefilter("ignore")
        DOORS[door](TEXTS[text])
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("roc_auc>=0.75", ("roc_auc", ">=", 0.75, None, None, False)),
        (" forest/roc_auc.low >= 0.7 ", ("roc_auc", ">=", 0.7, "low", "forest", False)),
        ("a/b>c/worst: recall.value<1e-3\n", ("recall", "<", 0.001, "value", "a/b>c", True)),
        ("neg_log_loss>-0.5", ("neg_log_loss", ">", -0.5, None, None, False)),
    ],
)
def test_requirements_are_read_as_before(text, parts):
    assert Requirement.parse(text)[1:] == parts


@pytest.mark.parametrize(
    "text", ["/roc_auc>=1", ">=1", "a>b>=1", "roc_auc>=", "roc_auc>=nan", " >=1"]
)
def test_requirements_that_cannot_be_read(text):
    with pytest.raises(ValueError, match="cannot be read"):
        Requirement.parse(text)


WIDE = {
    "recall": lambda w: sx.recall_score([0, 1, 1], [0, 1, 1], sample_weight=w),
    "roc_auc": lambda w: sx.roc_auc_score([0, 1, 1], [0.1, 0.4, 0.5], sample_weight=w),
    "average_precision": lambda w: sx.average_precision_score(
        [0, 1, 1], [0.1, 0.4, 0.5], sample_weight=w
    ),
    "f1_macro": lambda w: sx.f1_score([0, 1, 1], [0, 1, 1], average="macro", sample_weight=w),
    "table": lambda w: sx.compute_metrics(["recall"], [0, 1, 1], [0, 1, 1], sample_weight=w)[
        "recall"
    ],
    "scorer": lambda w: sx.get_scorer("balanced_accuracy")._score_func(
        [0, 1, 1], [0, 1, 1], sample_weight=w
    ),
    "balanced_accuracy": lambda w: sx.balanced_accuracy_score(
        [0, 1, 1], [0, 1, 1], sample_weight=w
    ),
}


@pytest.mark.parametrize("door", WIDE)
@pytest.mark.parametrize("weight", [[1e300, 1e-300, 1e-300], [1e300, 1, 1], [1e-300, 1e-5, 1]])
def test_small_weights_count_or_are_refused(door, weight):
    """Every answer here is perfect, whatever the weights."""
    if weight[1] / weight[0] < 1e-307:
        with pytest.raises(ValueError, match="sample_weight spans too wide a range"):
            WIDE[door](weight)
    else:
        assert WIDE[door](weight) == 1


ENDLESS = {
    "confidence_interval": lambda n: sx.confidence_interval("f1", Y, P > 0.5, n_resamples=n),
    "compare": lambda n: sx.compare("f1", Y, P > 0.5, P > 0.4, n_resamples=n),
    "compare_samples": lambda n: sx.compare_samples("f1", Y, P > 0.5, Y, P > 0.4, n_resamples=n),
    "all differences": lambda n: all_differences("roc_auc", Y, {"a": P, "b": 1 - P}, n_resamples=n),
    "curve_band": lambda n: sx.curve_band("recall", Y, P, n_resamples=n),
    "optimal_threshold_interval": lambda n: sx.optimal_threshold(
        Y, P, n_resamples=n, interval=True
    ),
    "evaluate": lambda n: sx.evaluate(
        {"y": Y, "s": P}, true="y", score="s", metrics=["roc_auc"], n_resamples=n
    ),
}


@pytest.mark.parametrize("door", ENDLESS)
@pytest.mark.parametrize("n", [10**9, 10**30, 10**5000], ids=["9", "30", "5000"])
def test_draws_without_end_are_refused(door, n):
    with pytest.raises(ValueError, match="n_resamples may be at most 100,000,000"):
        ENDLESS[door](n)


def test_a_file_is_unpacked_once(tmp_path):
    """The memory that unpacking takes is what the arrays take."""
    from skmetrics_ext.plain_files import read_content, write_content

    array = np.zeros(5_000_000)
    path = tmp_path / "file"
    write_content(path, "Thing", 1, {"array": array, "text": 'é\\"' * 1000}, "content")
    tracemalloc.start()
    content = read_content(path, "Thing", 1, lambda content: content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(content["array"], array)
    content["array"][0] = 1  # one's own, as any array
    assert peak < 1.3 * array.nbytes
