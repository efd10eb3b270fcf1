"""Deprecated public names: where each is, and what to write instead, until version 0.4."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from warnings import warn

# Names that moved -> the module that has them.
MOVED: Mapping[str, str] = {
    **dict.fromkeys(
        ("CrossValidationReport", "MetricSpec", "Scorer", "SearchReport"), "skmetrics_ext.results"
    ),
    **dict.fromkeys(
        (
            "bowker_test", "classifier_f_test", "cochran_q_test", "five_by_two_cv_ftest",
            "five_by_two_cv_ttest", "friedman_test", "no_information_test", "stuart_maxwell_test",
            "venkatraman_test", "wilcoxon_signed_rank_test",
        ),
        "skmetrics_ext.significance",
    ),
}  # fmt: skip

# Names that another call replaces -> the module that defines them, and that call.
REPLACED: Mapping[str, tuple[str, str]] = {}


def deprecated(name: str, stacklevel: int = 3) -> Any:
    """The thing of a deprecated name, with a warning that says what to write instead."""
    module, instead = REPLACED.get(name) or (MOVED[name], f"{MOVED[name]}.{name}")
    message = f"skmetrics_ext.{name} is deprecated and will be removed in version 0.4: use"
    warn(f"{message} {instead}.", FutureWarning, stacklevel=stacklevel)
    return getattr(import_module(module), name)
