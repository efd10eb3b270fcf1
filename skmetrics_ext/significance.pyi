"""Public names and their modules, for editors and for loading on first use."""

from skmetrics_ext.inference.tests.contingency import bowker_test as bowker_test
from skmetrics_ext.inference.tests.contingency import classifier_f_test as classifier_f_test
from skmetrics_ext.inference.tests.contingency import cochran_q_test as cochran_q_test
from skmetrics_ext.inference.tests.contingency import no_information_test as no_information_test
from skmetrics_ext.inference.tests.contingency import stuart_maxwell_test as stuart_maxwell_test
from skmetrics_ext.inference.tests.fold_tests import five_by_two_cv_ftest as five_by_two_cv_ftest
from skmetrics_ext.inference.tests.fold_tests import five_by_two_cv_ttest as five_by_two_cv_ttest
from skmetrics_ext.inference.tests.rank_tests import friedman_test as friedman_test
from skmetrics_ext.inference.tests.rank_tests import (
    wilcoxon_signed_rank_test as wilcoxon_signed_rank_test,
)
from skmetrics_ext.inference.tests.roc_curves import venkatraman_test as venkatraman_test
from skmetrics_ext.metrics.calibration.goodness_of_fit import (
    hosmer_lemeshow_test as hosmer_lemeshow_test,
)
from skmetrics_ext.metrics.calibration.goodness_of_fit import (
    spiegelhalter_test as spiegelhalter_test,
)
