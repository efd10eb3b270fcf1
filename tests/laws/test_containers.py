"""Laws of containers: in what a column is passed does not count."""

from dataclasses import replace

import array_api_strict as xp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from support.compare import same
from support.rows import NAMES, OF_ONE_LABEL, call, draw_case, signature

from skmetrics_ext import METRICS


def elsewhere(values):
    """A tensor that NumPy cannot read by itself: on a device that is not the host."""
    return xp.asarray(values, device=xp.Device("device1"))


COLUMNS = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "column vector": lambda values: values[:, None],
    "read-only": lambda values: np.frombuffer(values.tobytes(), values.dtype),
    "strided": lambda values: np.repeat(values, 2)[::2],
    "big-endian": lambda values: values.astype(values.dtype.newbyteorder(">")),
    "pandas": pd.Series,
    "pandas with an index": lambda values: pd.Series(values, index=range(5, 5 + len(values))),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas pyarrow": lambda values: pd.Series(pa.array(values), dtype=None).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "tensor": xp.asarray,
    "tensor elsewhere": elsewhere,
    "list of tensors": lambda values: [elsewhere(row) for row in values],
}
NO_SCORES = {"column vector"}  # two dimensions have a meaning of their own
CATEGORICAL = {
    "pandas Categorical": pd.Categorical,
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "unused category": lambda values: pd.Series(
        pd.Categorical(values, categories=["zz", *dict.fromkeys(values.tolist()), "none"])
    ),
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(values, dtype=pl.Enum(sorted(set(values.tolist())))),
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pandas text": lambda values: pd.Series(values, dtype="str"),
    "object": lambda values: values.astype(object),
    "list": lambda values: values.tolist(),
    "polars": pl.Series,
    "pyarrow": pa.array,
}
MATRICES = {
    "list": lambda values: values.tolist(),
    "pandas": pd.DataFrame,
    "polars": lambda values: pl.DataFrame(values, schema=[f"c{j}" for j in range(values.shape[1])]),
    "Fortran order": np.asfortranarray,
    "tensor elsewhere": elsewhere,
    "list of tensors": lambda values: [elsewhere(row) for row in values],
}
SPARSE = {
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "coo_array": sparse.coo_array,
    "csc_matrix": sparse.csc_matrix,
}
SINGLE_LABEL = ("binary", "multiclass")


@pytest.mark.parametrize("name", OF_ONE_LABEL)
@given(data=st.data())
def test_numbers_in_any_container(name, data):
    spec, params, sample = draw_case(data, name, SINGLE_LABEL, weighted=True)
    value = call(spec, params, sample)
    known = sorted(COLUMNS)
    put_true = COLUMNS[data.draw(st.sampled_from(known))]
    if sample.response.ndim == 2:
        put_own = MATRICES[data.draw(st.sampled_from(sorted(MATRICES)))]
    else:
        if spec.response != "labels":
            known = sorted(set(known) - NO_SCORES)
        put_own = COLUMNS[data.draw(st.sampled_from(known))]
    put_weight = COLUMNS[data.draw(st.sampled_from(sorted(set(COLUMNS) - NO_SCORES)))]
    true, own = put_true(sample.true), put_own(sample.response)
    contained = replace(sample, true=true, response=own, weight=put_weight(sample.weight))
    same(call(spec, params, contained), value)


TEXT = [name for name in OF_ONE_LABEL if not METRICS[name].numeric_labels]


@pytest.mark.parametrize("name", TEXT)
@given(data=st.data())
def test_text_and_categories_in_any_container(name, data):
    spec, params, sample = draw_case(data, name, SINGLE_LABEL)
    names = np.array(["ant", "bee", "cat", "dog"])
    options = {**params}
    if sample.kind == "binary" and "pos_label" in signature(spec):
        options["pos_label"] = "bee"
    put_true, put_own = (
        CATEGORICAL[data.draw(st.sampled_from(sorted(CATEGORICAL)))] for _ in range(2)
    )
    own = put_own(names[sample.response]) if spec.response == "labels" else sample.response
    contained = replace(sample, true=put_true(names[sample.true]), response=own)
    same(call(spec, options, contained), call(spec, params, sample))


def takes_multilabel(name):
    from support.rows import settings_of

    return bool(settings_of(name, kinds=("multilabel",)))


@pytest.mark.parametrize("name", [name for name in NAMES if takes_multilabel(name)])
@given(data=st.data())
def test_multilabel_indicators_in_any_container(name, data):
    spec, params, sample = draw_case(data, name, ("multilabel",), data.draw(st.booleans()))
    value = call(spec, params, sample)
    forms = {**MATRICES, **SPARSE, "bool": lambda values: values.astype(bool)}
    put_true = forms[data.draw(st.sampled_from(sorted(forms)))]
    if spec.response == "labels":
        put_own = forms[data.draw(st.sampled_from(sorted(forms)))]
    else:
        put_own = MATRICES[data.draw(st.sampled_from(sorted(MATRICES)))]
    contained = replace(sample, true=put_true(sample.true), response=put_own(sample.response))
    same(call(spec, params, contained), value)
