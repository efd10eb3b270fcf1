"""Rows of the registry as tests use them: how to call them, and on what."""

import inspect
from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from skmetrics_ext import METRICS
from skmetrics_ext.validation import InvalidParameterError
from support.compare import undefined_allowed
from support.samples import KINDS, OF_LABELS, Sample, samples

NAMES = list(METRICS)
# Kinds of intervals of a spec that none covers: the metric has a kink, or grows with the rows.
NO_INTERVAL = ("kinked", "grows")
# The metrics of rows that have one label each.
OF_ONE_LABEL = [name for name in NAMES if not METRICS[name].ranks_labels]
# A law that is asked of each metric in turn: what metrics share is asked a thousand times, and
# what is a metric's own by each of a dozen laws.
of_each_metric = settings(max_examples=settings().max_examples // 2)


def signature(spec):
    return inspect.signature(spec.function).parameters


def call(spec, params, sample, **changes):
    """Value of a metric on a sample; warnings that it is undefined pass."""
    options = {**params, **changes}
    if sample.weight is not None:
        options["sample_weight"] = sample.weight
    with undefined_allowed():
        return spec.function(sample.true, sample.response, **options)


def is_table(spec):
    """Whether values are in the unit of the weights (confusion matrices)."""
    return spec.is_table


def describes_a_table(spec):
    """Whether it is a statistic of the table that does not judge; some of them do not vary."""
    return hasattr(spec.function, "statistic") and spec.scorer is None


@cache
def _settings(name):
    """(params, kind) of every call that a metric accepts.

    Found by asking: what a metric refuses differs from metric to metric, and a new row must
    be tested without a line written for it. test_rows checks that not too much is refused.
    """
    spec = METRICS[name]
    accepted = []
    for params in _variants(spec):
        for kind in KINDS:
            options = {**spec.params, **params}
            try:
                call(spec, options, probe(spec.response, kind))
            except InvalidParameterError:
                continue
            except ValueError as error:
                # scikit-learn's plain ValueErrors about the kind of problem.
                if not any(word in str(error) for word in ("multi", "binary", "average")):
                    raise
                continue
            accepted.append((tuple(options.items()), kind))
    return accepted


def _variants(spec):
    listed = list(spec.variants.values())
    if "average" in signature(spec):
        # A value per class; and rows that describe have no scorer, so that no average is listed.
        listed += [p for p in ({"average": "macro"}, {"average": None}) if p not in listed]
    return listed


def settings_of(name, kinds=KINDS):
    return [(dict(options), kind) for options, kind in _settings(name) if kind in kinds]


def probe(response, kind):
    n_classes = 2 if kind == "binary" else 3
    if kind in OF_LABELS:
        true = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 1, 0]])
        true[2] *= 1 if kind == "multilabel" else 3
        own = np.array([[0, 1, 0], [1, 1, 1], [0, 0, 1], [0, 1, 1]])
        if response != "labels":
            own = own * 0.5 + 0.25
        return Sample(kind, n_classes, true, own)
    true = np.array([0, 1, 0, 1, 1]) if kind == "binary" else np.array([0, 1, 2, 0, 1, 2])
    predicted = np.roll(true, 1)
    if response == "labels":
        return Sample(kind, n_classes, true, predicted)
    if kind == "binary":
        return Sample(kind, n_classes, true, predicted * 0.5 + 0.25)
    return Sample(kind, n_classes, true, np.eye(3)[predicted] * 0.25 + 0.25)


def draw_case(data, name, kinds=KINDS, weighted=False):
    """A row of the registry, parameters that it takes, and a sample for them."""
    spec = METRICS[name]
    params, kind = data.draw(st.sampled_from(settings_of(name, kinds)))
    return spec, params, data.draw(samples(spec.response, kind, weighted=weighted))
