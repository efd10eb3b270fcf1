"""Check requirements such as "roc_auc>=0.75" against a table of values with intervals."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.tables import Row, Table, Tabular, columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names, spoken

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
_EXAMPLES = "'roc_auc>=0.75', 'forest/roc_auc.low>=0.7' or 'worst:recall>=0.6'"
_PATTERN = re.compile(r"(.*[^<>=])(>=|<=|>|<)([^<>=]+)", re.DOTALL)
_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
NEGATED = "neg_"  # prefix of scorers of losses

# All groups of a metric and a model, with simultaneous bounds.
Worst = Callable[[str, Any], Any]


class Requirement(NamedTuple):
    """A limit of a metric.

    Parameters
    ----------
    text : str
        The requirement as written.
    metric : str
    sign : {">=", "<=", ">", "<"}
    limit : float
    part : {"value", "low", "high"} or None
        The number to compare; None for the whole interval.
    model : str or None
        The only model to check; None for all but the baseline.
    is_worst : bool
        Whether to check the worst group.
    """

    text: str
    metric: str
    sign: str
    limit: float
    part: str | None = None
    model: str | None = None
    is_worst: bool = False

    @classmethod
    def parse(cls, text: Any) -> Requirement:
        """Parse "metric>=limit"."""
        match = _PATTERN.fullmatch(text) if isinstance(text, str) else None
        left, sign, right = match.groups() if match else ("", "", "nan")
        model, slash, measured = left.strip().rpartition("/")
        is_worst, measured = measured.startswith("worst:"), measured.removeprefix("worst:")
        metric, _, part = measured.rpartition(".")
        if part not in ("value", "low", "high"):
            metric, part = measured, ""
        metric = metric.strip()
        try:
            limit = float(right)
        except ValueError:
            limit = math.nan
        is_named = metric and not set("<>=").intersection(metric) and bool(model) == bool(slash)
        if not (is_named and math.isfinite(limit)):
            raise InvalidParameterError(
                f"The requirement {text!r:.80} cannot be read: write metric>=limit, such as "
                f"{_EXAMPLES}."
            )
        return cls(text.strip(), metric, sign, limit, part or None, model or None, is_worst)

    def verdict(self, value: float, low: float, high: float) -> tuple[str, str]:
        """Verdict on a value with its interval, and the reason if it is undecided."""
        holds, ends = _HOLDS[self.sign], {"value": value, "low": low, "high": high}
        if math.isnan(value):
            return UNDECIDED, "undefined"
        compared = [ends[self.part]] if self.part else [low, high]
        if any(map(math.isnan, compared)):
            return UNDECIDED, f"no interval: {self.metric}.value{self.sign} compares the value"
        met = [holds(end, self.limit) for end in compared]
        if all(met):
            return PASS, ""
        return (UNDECIDED, "the interval contains the limit") if any(met) else (FAIL, "")


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Verdicts(Tabular):
    """Verdicts on requirements; true if all of them are met.

    Returned by ``require`` of a report; prints as a table.

    Parameters
    ----------
    rows : Table
        A row per requirement and model: ``requirement``, ``model``, ``metric``, ``group`` (with
        "worst:" the one that decides), ``value``, ``low``, ``high``, ``verdict`` ("pass", "fail"
        or "undecided") and ``reason`` (why it is undecided, and which groups are not judged).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skmetrics_ext import cross_validation_report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> report = cross_validation_report(GaussianNB(), X, y, scoring=["roc_auc", "f1"])
    >>> verdicts = report.require(["roc_auc>=0.95", "f1.low>=0.97"])
    >>> print(verdicts)
    requirement    model        value          interval  verdict
    -------------  ----------  ------  ----------------  -------
    roc_auc>=0.95  GaussianNB  0.9874  [0.9781, 0.9928]  pass
    f1.low>=0.97   GaussianNB  0.9518  [0.9330, 0.9656]  fail
    >>> verdicts.passed
    False
    """

    rows: Table

    @property
    def passed(self) -> bool:
        """Whether all requirements are met.

        Returns
        -------
        bool
        """
        return all(row.verdict == PASS for row in self.rows)

    def __bool__(self) -> bool:
        return self.passed

    def in_words(self) -> str:
        """How many requirements are met, in a sentence.

        Returns
        -------
        str
        """
        n_passed = sum(row.verdict == PASS for row in self.rows)
        return f"Requirements: {n_passed} of {len(self.rows)} met."

    def _as_rows(self) -> Table:
        return self.rows

    def _contents(self) -> dict[str, Any]:
        return {"passed": self.passed, "requirements": self.rows}


def check_requirements(
    requirements: str | Iterable[str],
    rows: Iterable[Mapping[str, Any]],
    worst: Worst | None = None,
    read: Callable[[Any], Row | Requirement | None] | None = None,
) -> Verdicts:
    """Check each requirement against the rows of a table.

    Parameters
    ----------
    requirements : str or iterable of str
        Each is "metric>=limit" (or <=, >, <): passed if the whole interval meets it, failed if no
        part of it does, else undecided. "metric.value", "metric.low" and "metric.high" compare one
        number; "model/metric" checks one model; "worst:metric" and "model/worst:metric" check
        every group by simultaneous bounds: passed if all groups pass, failed if any fails; groups
        in which the metric is undefined are not judged. "log_loss" also matches the negative of a
        row "neg_log_loss".
    rows : iterable of mapping
        With ``metric``, ``value``, ``low`` and ``high``; for several models also ``model`` and
        ``is_baseline``. A requirement without a model applies to all but the baseline.
    worst : callable, default=None
        Returns a row for each group of a metric and a model, with ``group``, ``value``, ``low`` and
        ``high``, the bounds simultaneous, and ``note``.
    read : callable, default=None
        Reads requirements of several values, from `limits.reader_of_sums`: returns the
        verdict, a requirement of one value, or None for any other text.

    Returns
    -------
    Verdicts

    Raises
    ------
    InvalidParameterError
        If a requirement cannot be read, or names an unknown metric, model or group.
    """
    is_list = isinstance(requirements, Iterable) and not isinstance(requirements, str)
    texts = list(requirements) if is_list else [requirements]
    if not texts:
        raise InvalidParameterError(f"There are no requirements: pass some, such as {_EXAMPLES}.")
    table = list(map(Row, rows))
    verdicts: list[Row] = []
    for text in texts:
        found = read(text) if read is not None else None
        wanted = found or Requirement.parse(text)
        verdicts += [wanted] if isinstance(wanted, Row) else _verdicts(wanted, table, worst)
    named = [key for key in ("model", "group") if any(v[key] for v in verdicts)]
    shown = columns("requirement", *named, "value", "interval", "verdict")
    return Verdicts(Table(verdicts, shown))


def _verdicts(wanted: Requirement, table: Sequence[Row], worst: Worst | None) -> list[Row]:
    """The verdict on each model to which a requirement applies."""
    models = list(dict.fromkeys(row.get("model") for row in table))
    if wanted.model is not None and wanted.model not in models:
        raise unknown(wanted.text, "model", wanted.model, filter(None, models))
    rows = [row for row in table if wanted.model in (None, row.get("model"))]
    names = list(dict.fromkeys(row.metric for row in rows))
    own = registered_name(wanted.metric, names)
    is_negated = own not in names and NEGATED + own in names
    metric = NEGATED + own if is_negated else own
    if metric not in names:
        raise unknown(wanted.text, "metric", wanted.metric, names)
    rows = [row for row in rows if row.metric == metric]
    tested = [row for row in rows if not row.get("is_baseline")] or rows
    return [_verdict(wanted, row, is_negated, worst) for row in tested]


def _verdict(wanted: Requirement, row: Row, is_negated: bool, worst: Worst | None) -> Row:
    model, sources = row.get("model"), [row]
    if wanted.is_worst:
        if worst is None:
            raise InvalidParameterError(
                f"The requirement {wanted.text!r} needs groups: pass {spoken('by=')}, or leave out "
                "'worst:'."
            )
        sources = list(map(Row, worst(row.metric, model)))
    judged, left_out = [], []
    for source in sources:
        value, low, high = float(source.value), float(source.low), float(source.high)
        if is_negated:
            value, low, high = -value, -high, -low
        verdict, reason = wanted.verdict(value, low, high)
        numbers = {"value": value, "low": low, "high": high, "verdict": verdict}
        group = source.get("group")
        if math.isnan(value) and len(sources) > 1:
            left_out.append(f"{group} ({source.note})")
        else:
            judged.append(Row(group=group, **numbers, reason=reason))
    # Of the first verdict that any group has, in this order, the worst group.
    decisive = min(judged, key=lambda each: (FAIL, UNDECIDED, PASS).index(each.verdict))
    not_judged = f"not judged: {', '.join(left_out)}" if left_out else ""
    decisive["reason"] = "; ".join(filter(None, [decisive.reason, not_judged])) or None
    return Row(requirement=wanted.text, model=model, metric=wanted.metric, **decisive)


def unknown(text: str, kind: str, name: str, known: Iterable[Any]) -> Exception:
    names = list(map(str, known))
    return InvalidParameterError(
        f"The requirement {text!r} names an unknown {kind} {name!r}.{near(name, names)} "
        f"Known: {shown_names(names)}."
    )
