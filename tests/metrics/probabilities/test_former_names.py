"""Arguments under the names that scikit-learn had for them."""

import numpy as np
import pytest

import skmetrics_ext as sx

TRUE, PROBA = [0, 1, 1, 0], [0.2, 0.9, 0.6, 0.3]
FUNCTIONS = (sx.log_loss, sx.d2_log_loss_score)
by_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


@by_function
def test_the_former_name_is_read_with_a_warning(function):
    with pytest.warns(FutureWarning, match="`y_pred` was renamed to `y_proba`"):
        assert function(TRUE, y_pred=PROBA) == function(TRUE, PROBA)
    with pytest.warns(FutureWarning, match="`y_pred` was renamed to `y_proba`"):
        assert function(TRUE, y_pred=np.array(PROBA)) == function(TRUE, PROBA)
    for text in ("deprecate", ["deprecated"] * 4):
        with pytest.warns(FutureWarning), pytest.raises(ValueError, match="y_proba"):
            function(TRUE, y_pred=text)


@by_function
def test_both_names_or_none_are_refused(function):
    with pytest.raises(ValueError, match="Cannot use both `y_pred` and `y_proba`"):
        function(TRUE, PROBA, y_pred=PROBA)
    with pytest.raises(ValueError, match="y_proba is missing: pass the probabilities"):
        function(TRUE)
