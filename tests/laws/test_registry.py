"""The registry itself: every row can be tested, and says what is true of it."""

import inspect
from dataclasses import fields
from importlib import import_module

import pytest
from support.rows import NAMES, OF_ONE_LABEL, settings_of, signature
from support.samples import OF_LABELS

import skmetrics_ext
from skmetrics_ext import METRICS
from skmetrics_ext.results import MetricSpec


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_a_public_function_or_a_statistic(name):
    spec = METRICS[name]
    module = import_module(spec.function.__module__)
    assert getattr(module, spec.function.__name__) is spec.function  # so that it can be pickled
    assert spec.name == name == spec.function.__name__
    if hasattr(spec.function, "statistic"):
        assert f"- ``{name}``" in skmetrics_ext.confusion_statistic.__doc__
    else:
        assert getattr(skmetrics_ext, name) is spec.function
        assert name in skmetrics_ext.__all__
    assert "sample_weight" in signature(spec)


@pytest.mark.parametrize("name", NAMES)
def test_laws_reach_every_variant_of_a_row(name):
    """A metric that refused everything would pass every law."""
    spec = METRICS[name]
    reached = [params for params, _ in settings_of(name)]
    for params in spec.variants.values():
        assert {**spec.params, **params} in reached
    kinds = {kind for _, kind in settings_of(name)}
    assert ("multilabel" if spec.ranks_labels else "binary") in kinds


def test_metrics_of_the_order_of_labels_take_rows_of_several_labels_only():
    for name in set(NAMES) - set(OF_ONE_LABEL):
        kinds = {kind for _, kind in settings_of(name)}
        assert {"multilabel"} <= kinds <= set(OF_LABELS), name
    assert "graded" in {kind for _, kind in settings_of("ndcg_score")}


@pytest.mark.parametrize("name", NAMES)
def test_a_row_has_known_facts(name):
    spec = METRICS[name]
    assert spec.tally in ("hits", "marks", "counts", "confusion", "ranks", "moments")
    assert spec.response in ("labels", "scores", "probabilities")
    low, high = spec.bounds
    assert low < high
    assert spec.undefined
    assert (spec.scorer is None) or spec.greater_is_better is not None
    assert all(key in signature(spec) for key in spec.params)
    assert callable(spec.kernel)
    assert inspect.getdoc(spec.function)


def test_a_spec_states_at_most_23_facts():
    assert len(fields(MetricSpec)) <= 23


DERIVED = {
    "accuracy_score": {"tally": "hits", "averages": "", "is_table": False},
    "hamming_loss": {"tally": "marks", "response": "labels"},
    "f1_score": {"tally": "counts", "averages": "classes", "fill": ""},
    "balanced_accuracy_score": {"tally": "counts", "averages": ""},
    "fbeta_of_averages_score": {"averages": "rates"},
    "fbeta_score": {"params": {"beta": 2.0}},
    "matthews_corrcoef": {"fill": "zero_division"},
    "cohen_kappa_score": {"table_when": ("weights",), "fill": "replace_undefined_by"},
    "confusion_matrix": {"tally": "confusion", "is_table": True, "scorers": {}},
    "roc_auc_score": {"tally": "ranks", "response": "scores", "one_sided_params": ("max_fpr",)},
    "sensitivity_at_specificity": {"point": "specificity", "point_of": "negative"},
    "lift_score": {"point": "fraction", "point_of": "all", "params": {"fraction": 0.1}},
    "net_benefit": {"point": "threshold", "point_of": "", "response": "probabilities"},
    "hinge_loss": {"tally": "moments", "response": "scores", "traits": ("by_sign",)},
    "expected_calibration_error": {"tally": "ranks", "bins_when": ("strategy", "uniform")},
}


@pytest.mark.parametrize("name", DERIVED)
def test_facts_that_follow_from_others(name):
    spec = METRICS[name]
    assert {fact: getattr(spec, fact) for fact in DERIVED[name]} == DERIVED[name]


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_the_interval_are_known(name):
    methods_and_scales = ("wilson", "dice", "largest", "logit", "log")
    notes = ("biased", "calibration", "kinked", "grows", "largest of several")
    assert METRICS[name].interval in ("", *methods_and_scales, *notes)


def test_rates_with_a_samples_average_take_multilabel_data():
    """The acceptance that settings_of finds is not an accident of its probe."""
    for spec in METRICS.values():
        if {"average": "samples"} in spec.variants.values():
            found = {kind for params, kind in settings_of(spec.name) if "average" in params}
            assert found == {"binary", "multiclass", "multilabel"}, spec.name


def test_multiclass_variants_of_areas_take_multiclass_data():
    for name in ("roc_auc_score", "gini_score"):
        accepted = [p for p, kind in settings_of(name, kinds=("multiclass",))]
        assert {"multi_class": "ovo", "average": "weighted"} in accepted
