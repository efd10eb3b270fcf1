"""Pairs: the rows of two models in one, and their ranks on one scale."""

import numpy as np

from skmetrics_ext.inference.draws.pairs import midrank_shares, stack_rows


def test_midrank_shares_are_midranks():
    assert midrank_shares([3.0, 1.0, 3.0, 2.0]).tolist() == [3.5 / 5, 1 / 5, 3.5 / 5, 2 / 5]
    two = np.array([0.25, 0.5, 0.125])
    np.testing.assert_allclose(midrank_shares(np.column_stack([1 - two, two])).sum(axis=1), 1)


def test_rows_are_stacked_in_their_own_kind():
    import pandas as pd
    import polars as pl
    from scipy import sparse

    stacked = stack_rows(pd.Series(["a"], index=[3]), pd.Series(["b"], index=[3]))
    assert stacked.tolist() == ["a", "b"]
    assert stacked.index.is_unique
    ordered = pd.Series(pd.Categorical(["low"], ["low", "high"], ordered=True))
    assert stack_rows(ordered, ordered).dtype == ordered.dtype
    assert stack_rows(pl.Series(["a"]), pl.Series(["b"])).to_list() == ["a", "b"]
    assert stack_rows([1, 2], [3]) == [1, 2, 3]
    assert stack_rows(np.array(["a"]), np.array([1])).tolist() == ["a", 1]
    assert stack_rows(pd.Series(["a"]), np.array(["bcd"])).tolist() == ["a", "bcd"]
    assert stack_rows(sparse.csr_matrix([[1, 0]]), sparse.csr_matrix([[0, 1]])).shape == (2, 2)
