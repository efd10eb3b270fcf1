"""Data sets of the command line: scikit-learn's bundled ones, and tables in files."""

from skmetrics_ext.datasets.dataset import BUNDLED as BUNDLED
from skmetrics_ext.datasets.dataset import Dataset as Dataset
from skmetrics_ext.datasets.dataset import load as load
from skmetrics_ext.datasets.files import Use as Use
