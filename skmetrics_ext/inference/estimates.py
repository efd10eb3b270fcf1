"""The one table of estimates: rows with the same keys at every door, which can be computed with."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Literal, Self, cast

from skmetrics_ext import formats
from skmetrics_ext.citations import citation
from skmetrics_ext.inference import simultaneous
from skmetrics_ext.inference.arithmetic import at_level
from skmetrics_ext.inference.compare import LOG_RATIO
from skmetrics_ext.inference.estimate_rows import (
    IDENTITY,
    KEYS,
    EstimateRow,
    compared_column,
    equal,
    for_people,
    is_empty,
    optimistic,
    pairs_of,
    row_of,
    together,
    without_interval,
)
from skmetrics_ext.inference.results import Estimate, design_text
from skmetrics_ext.limits import reader_of_sums
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.requirements import Verdicts, check_requirements
from skmetrics_ext.result_bases import Pictured
from skmetrics_ext.tables import Shown, Table, columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names, warn_renamed

_TWO_TABLES = "tables are not added: Estimates([*t, *u]) joins, sx.mean averages"
_SHOWN_IF_HELD = ("coverage", "depth", "gain", "lift", "ks", "support")  # keys of few tables
_SENTENCES = ("note",)
_OF_LOGARITHMS = "differences are of logarithms"
_ANY = object()


class Estimates(Pictured, Table):
    """A table of estimates: a list of rows with the same keys at every door.

    ``metric, model, group, fold, label, against`` identify a row; ``value, low, high,
    standard_error, p_value, method, note`` are its estimate, and further keys may follow. Printing
    leaves out columns that are empty in all rows. ``plot`` draws a forest: a panel for each metric,
    a dot with its interval for each row.

    Parameters
    ----------
    rows : iterable of mapping, default=()
        The rows.
    confidence_level : float, default=None
        Nominal coverage of the intervals; by default that of the first row.
    lead, notes : sequence of str, default=()
        Lines above and below the table.
    groups : mapping, default=None
        The groups of each model, from which references are read.
    adjusted : sequence of str, default=()
        How intervals and p-values are adjusted.
    more_tests, compared
        Number of further hypotheses of each family of tests; the column in which differences were
        taken, with its values in order.
    columns, sentences, baseline, empty
        As in `Table`; by default all columns are shown that any row has something in.

    Examples
    --------
    >>> from skmetrics_ext import compute_metrics
    >>> y_true, y_pred = [0, 1, 1, 1] * 25, [0, 1, 1, 0] * 25
    >>> table = compute_metrics(["accuracy", "recall"], y_true, y_pred, intervals=True)
    >>> print(table)
    metric     value     95 % interval  rows  method
    --------  ------  ----------------  ----  ------
    accuracy  0.7500  [0.6570, 0.8245]   100  wilson
    recall    0.6667  [0.5542, 0.7629]   100  wilson
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        confidence_level: float | None = None,
        lead: Sequence[str] = (),
        notes: Sequence[str] = (),
        groups: Mapping[Any, Any] | None = None,
        adjusted: Sequence[str] = (),
        more_tests: Mapping[Any, int] | None = None,
        compared: Mapping[str, Sequence[Any]] | None = None,
        columns: Sequence[Shown] | None = None,
        sentences: Sequence[str] = _SENTENCES,
        baseline: str | None = None,
        empty: str = "no rows",
    ) -> None:
        listed = list(rows)
        if confidence_level is None:
            confidence_level = getattr(listed[0], "_level", 0.95) if listed else 0.95
        read = (
            row if isinstance(row, EstimateRow) else EstimateRow(row, confidence_level)
            for row in listed
        )
        further: Any = {"sentences": sentences, "baseline": baseline, "empty": empty}
        super().__init__(read, columns, lead=lead, notes=notes, **further)
        self.confidence_level = confidence_level
        self.adjusted, self._more_tests = tuple(adjusted), dict(more_tests or {})
        self._groups, self._compared = dict(groups or {}), dict(compared or {})

    def _table(self, rows: Iterable[EstimateRow], **changes: Any) -> Estimates:
        """A plain table of other rows, with the groups and notes of this one."""
        kept: Any = {"lead": self.lead, "notes": self.notes, "adjusted": self.adjusted}
        kept |= {"groups": self._groups, "confidence_level": self.confidence_level}
        kept |= {"more_tests": self._more_tests, "compared": self._compared}
        return Estimates(rows, **{**kept, **changes})

    @property
    def _varies(self) -> str:
        """The column whose values are tested together."""
        kinds = {key: {str(row[key]) for row in self} for key in ("group", "model", "fold")}
        several = (key for key, values in kinds.items() if len(values) > 1)
        return next(iter(self._compared), next(several, "label"))

    def __iter__(self) -> Iterator[EstimateRow]:
        """The rows."""
        return cast(Iterator[EstimateRow], super().__iter__())

    @property
    def rows(self) -> Self:
        """The table itself, a list of rows."""
        return self

    # ----------------------------------------------------------------------- one row

    def __getitem__(self, place: Any) -> Any:
        """A row, the estimate of a metric, or a slice of the rows."""
        if isinstance(place, str):
            return self.estimate(metric=place)
        return super().__getitem__(place)

    def row(
        self, metric: Any = _ANY, group: Any = _ANY, label: Any = _ANY, **identity: Any
    ) -> EstimateRow:
        """The only row of a metric, group, label, or of other columns.

        Parameters
        ----------
        metric : str
            Name of the metric.
        group : object
            The group; None for all rows together.
        label : object
            The class, if the metric has a value for each.
        **identity : object
            Values of other columns, such as ``model="forest"``.

        Returns
        -------
        EstimateRow
            If several fit, the one that is of all rows, all classes and so on.

        Raises
        ------
        KeyError
            If no row fits, or several do.
        """
        if "of" in identity:
            warn_renamed("of=", "label=")
            label = identity.pop("of")
        metric = self._called(metric)
        given = {"metric": metric, "group": group, "label": label, **identity}
        given = {name: value for name, value in given.items() if value is not _ANY}
        read = [(self._reader(name), value) for name, value in given.items()]
        found = [row for row in self if all(equal(of(row), value) for of, value in read)]
        others = [key for key in IDENTITY if key not in given]
        whole = [row for row in found if all(row[key] is None for key in others if key != "metric")]
        if len(found) != 1 and len(whole) != 1:
            listed = ", ".join(f"{name}={value!r}" for name, value in given.items())
            several = [key for key in others if len({str(row[key]) for row in found}) > 1]
            what = f"several rows of {listed}: name {', '.join(several)}" if found else ""
            hint = near(str(metric), {str(row["metric"]) for row in self}) if not found else ""
            raise KeyError(what or f"No row of {listed}.{hint}")
        return (whole if len(whole) == 1 else found)[0]

    def value(self, *identity: Any, **named: Any) -> float:
        """The value of a row.

        Parameters
        ----------
        *identity, **named : object
            As in `row`.

        Returns
        -------
        float
        """
        return float(self.row(*identity, **named)["value"])

    def estimate(self, *identity: Any, **named: Any) -> Estimate:
        """The estimate of a row, which can be subtracted, tested and asked again.

        Parameters
        ----------
        *identity, **named : object
            As in `row`.

        Returns
        -------
        Estimate
        """
        return self.row(*identity, **named).estimate

    # ----------------------------------------------------------------------- some rows

    def _reader(self, name: str) -> Callable[[Any], Any]:
        """Reads a column, or a variable of the groups, from a row."""
        by = self._by
        if by is not None and name in by.names:
            return lambda row: by.values(row["group"])[name]
        known = [*KEYS, *self.fields()]
        if name not in known:
            variables = [] if by is None else by.names
            hint = near(name, [*known, *variables])
            raise InvalidParameterError(
                f"{name!r} is not a column of this table.{hint} Columns: "
                f"{shown_names([*variables, *dict.fromkeys(known)], 20)}."
            )
        return lambda row: row.get(name)

    def _called(self, name: Any) -> Any:
        """A metric by its name in the table, from a synonym."""
        return registered_name(name, {row["metric"] for row in self})

    def where(self, **wanted: Any) -> Self:
        """The rows with these values.

        Parameters
        ----------
        **wanted : object
            For a column, or a variable of ``by``, a value, a list of values, or a function of the
            value that is true for the rows to keep.

        Returns
        -------
        Estimates

        Raises
        ------
        InvalidParameterError
            If a column or a value does not occur.
        """
        rows = list(self)
        for name, want in wanted.items():
            of = self._reader(name)
            if callable(want):
                rows = [row for row in rows if want(of(row))]
                continue
            options = list(want) if isinstance(want, list | set) else [want]
            options = list(map(self._called, options)) if name == "metric" else options
            values = [of(row) for row in self]
            for option in options:
                if not any(equal(value, option) for value in values):
                    known = list(dict.fromkeys(map(str, values)))
                    hint = near(str(option), known)
                    raise InvalidParameterError(
                        f"No row has {name}={option!r}.{hint} Values: {shown_names(known)}."
                    )
            rows = [row for row in rows if any(equal(of(row), option) for option in options)]
        return self.like(rows)

    def _families(self, *keys: str) -> dict[tuple[Any, ...], list[EstimateRow]]:
        """Rows that have the same values of these columns."""
        families: dict[tuple[Any, ...], list[EstimateRow]] = {}
        for row in self:
            families.setdefault(tuple(row[key] for key in keys), []).append(row)
        return families

    def best(self) -> Estimates:
        """The best row of each metric, with an interval that allows for the choice.

        Returns
        -------
        Estimates
            Intervals hold for all rows of the metric at once (Bonferroni), and so for the row that
            is chosen; those of shares are exact.
        """
        return self._chosen(lambda row: row.direction() * row["value"])

    def worst(self) -> Estimates:
        """The row of each metric that has the worst value, as `best`.

        Returns
        -------
        Estimates
        """
        return self._chosen(lambda row: -row.direction() * row["value"])

    def surely_worst(self) -> Estimates:
        """The row of each metric whose optimistic simultaneous bound is worst.

        A small group with a bad value has wide bounds, and is not chosen for its value alone.

        Returns
        -------
        Estimates
        """
        return self._table(rows[0] for rows in self.together()._families("metric").values())

    def _chosen(self, rank: Callable[[EstimateRow], float]) -> Estimates:
        """The row of each metric that is first by a rank, from all that have a value."""
        chosen = []
        for rows in self.together()._families("metric").values():
            known = [row for row in rows if row["method"] == "simultaneous"]
            chosen += [max(known, key=rank)] if known else []
        return self._table(chosen)

    def together(self, level: float | None = None) -> Estimates:
        """The rows that are compared with each other, with simultaneous intervals by metric.

        Parameters
        ----------
        level : float, default=None
            Simultaneous coverage; by default the confidence level of the table.

        Returns
        -------
        Estimates
            By metric the row with the worst optimistic bound first; rows without one are last, with
            the reason. Rows of all groups together are left out.
        """
        level = self.confidence_level if level is None else level
        parts = [row for row in self if row["group"] is not None or not self._by]
        listed: list[EstimateRow] = []
        for rows in self._table(parts)._families("metric").values():
            sign = rows[0].direction()
            known = [row for row in rows if row.estimate.value == row.estimate.value]
            if not known:
                reasons = "; ".join(sorted({row.estimate.note for row in rows}))
                raise InvalidParameterError(
                    f"{rows[0]['metric']}: no group can be compared ({reasons[:300]})."
                )
            wide = [together(row, level, len(known), len(rows)) for row in known]
            listed += sorted(wide, key=lambda row: optimistic(row, sign))
            listed += [without_interval(row) for row in rows if row not in known]
        return self._table(listed, confidence_level=level)

    # ----------------------------------------------------------------------- differences

    @property
    def _by(self) -> Any:
        """The columns of groups; None without any."""
        by = next((groups.by for groups in self._groups.values()), None)
        return by if by is not None and by.names else None

    def against(self, reference: Any = None, **column: Any) -> Estimates:
        """Each row minus a row of reference: another model, the rest of the rows, another class.

        Parameters
        ----------
        reference : object, default=None
            For groups "rest" (all rows outside the group), "overall" (all rows), "best" (the group
            that is truly the best, Hsu 1996) or a dict like ``{"site": "a"}``; "each" for all
            pairs; or a value of the only column that has it.
        **column : object
            One of ``model=``, ``group=``, ``fold=``, ``label=`` or a variable of ``by``, with a
            value of it, or with the words above.

        Returns
        -------
        Estimates
            ``value`` is the difference, with its interval and ``p_value``; ``value_a`` and
            ``value_b`` are both values.

        Raises
        ------
        InvalidParameterError
            If no row has the reference, or the rows have no statistic to subtract.

        Examples
        --------
        >>> from skmetrics_ext import compute_metrics
        >>> y, models = [0, 1] * 50, {"a": [0, 1] * 50, "b": [0, 1, 1, 1] * 25}
        >>> table = compute_metrics(["accuracy"], y, models, intervals=True)
        >>> print(table.against(model="b"))
        metric    model  against   value  reference  difference     95 % interval        p  rows
        --------  -----  -------  ------  ---------  ----------  ----------------  -------  ----
        accuracy  a      b        1.0000     0.7500     +0.2500  [0.1755, 0.3430]  < 0.001   100
        """
        name, wanted = compared_column([*iter(self)], self._by, reference, column)
        rows: list[EstimateRow] = []
        more: dict[Any, int] = {}
        if name == "group" and wanted != "each":
            if not self._by:
                raise InvalidParameterError("There are no groups to compare: pass by=.")
            keys = ("metric", "model", "fold", "label")
            for key, family in self._families(*keys).items():
                found, more[key] = self._groups[key[1]].against(family, wanted)
                rows += found
        else:
            for family in self._families(*(key for key in IDENTITY[:5] if key != name)).values():
                rows += pairs_of(family, name, wanted)
        compared = {name: list(dict.fromkeys(row[name] for row in self))}
        are_logs = any(LOG_RATIO in row["method"] for row in rows)
        notes = [*self.notes, *[_OF_LOGARITHMS] * are_logs]
        return self._table(rows, lead=(), notes=notes, more_tests=more, compared=compared)

    def __sub__(self, other: Any) -> Estimates:
        return self._by_row(other, lambda a, b: a - b)

    def __truediv__(self, other: Any) -> Estimates:
        return self._by_row(other, lambda a, b: a / b)

    def _by_row(self, other: Any, operation: Callable[[Any, Any], Any]) -> Estimates:
        """An operation on each row and its partner in another table, or a number."""
        if not isinstance(other, Estimates):
            rows = [row_of(operation(row.estimate, other), row, against=other) for row in self]
            return self._table(rows, lead=())
        keys = [tuple(row[key] for key in IDENTITY) for row in self]
        partners = {tuple(row[key] for key in IDENTITY): row for row in other}
        if alone := [key for key in keys if key not in partners]:
            raise InvalidParameterError(f"rows without a partner in the other table: {alone}.")
        found = (
            row_of(operation(row.estimate, partners[key].estimate), row, against="other")
            for key, row in zip(keys, iter(self), strict=True)
        )
        return self._table(found, lead=())

    def __add__(self, other: Any) -> Any:
        raise InvalidParameterError(_TWO_TABLES)

    __mul__ = __rmul__ = __add__

    # ----------------------------------------------------------------------- adjusted, asked again

    def adjust(self, how: Literal["holm", "bonferroni", "simultaneous"]) -> Estimates:
        """Allow for several tests of a metric, which would find a difference by chance.

        Parameters
        ----------
        how : {"holm", "bonferroni", "simultaneous"}
            - "holm": adds ``p_adjusted`` (Holm 1979); each interval still holds alone;
            - "bonferroni": also widens the intervals, which then hold at once;
            - "simultaneous": the same by the distribution of the largest of all statistics, which
              uses their dependence; for rows of metrics with `influence_values`.

        Returns
        -------
        Estimates
            With ``p_adjusted`` and ``adjustment``; ``p_value`` is never changed.

        References
        ----------
        Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70; Hothorn, Bretz & Westfall
        (2008), Biometrical Journal 50(3), 346-363.
        """
        rows: list[EstimateRow] = []
        said = ", ".join(dict.fromkeys([*self.adjusted, how]))
        keys = [key for key in IDENTITY[:5] if key != self._varies]
        for key, family in self._families(*keys).items():
            n_more = self._more_tests.get(key, 0)
            of_tests = self.confidence_level, n_more, self._compared.get("model", ())
            changes = simultaneous.adjusted(how, family, *of_tests)
            pairs = zip(family, changes, strict=True)
            rows += [row.changed(**change, adjustment=said) for row, change in pairs]
        lead = self.lead if how == "holm" else [self._simultaneous(rows)]
        return self._table(rows, adjusted=[*self.adjusted, how], lead=lead)

    def _simultaneous(self, rows: Sequence[EstimateRow]) -> str:
        """The line above intervals that hold at once, with the design of the sample."""
        counted: Any = {key: row.get(key) for row in rows for key in ("n_groups", "n_strata")}
        effects = [row["design_effect"] for row in rows if "design_effect" in row]
        level = f"{100 * self.confidence_level:g} % simultaneous intervals"
        return ", ".join(filter(None, [level, design_text(**counted, effects=effects)]))

    def at(self, confidence_level: float) -> Estimates:
        """The rows with intervals at another level.

        Parameters
        ----------
        confidence_level : float in (0, 1)

        Returns
        -------
        Estimates
        """
        estimates = at_level([row.estimate for row in self], confidence_level)
        rows = map(row_of, estimates, iter(self))
        found = self._table(rows, confidence_level=confidence_level, adjusted=())
        for how in self.adjusted:
            found = found.adjust(cast(Any, how))
        return found

    def require(self, requirements: str | Iterable[str]) -> Verdicts:
        """Check whether the rows meet limits, for example as a test that gates a release.

        Parameters
        ----------
        requirements : str or iterable of str
            "metric>=limit" (or <=, >, <), "metric.low>=limit" for one number, "model/metric>=limit"
            for one model, "worst:metric>=limit" for every group, "new/metric - old/metric>=-0.01"
            for a difference. The whole interval meets it ("pass"), or none, else it is undecided.

        Returns
        -------
        Verdicts
            ``.rows`` and ``.passed``; it prints as a table, and is true if all are met.
        """
        whole = [row for row in self if row["group"] is None] or [*iter(self)]

        def total(factors: Mapping[tuple[Any, str], float]) -> Any:
            terms = [
                factor * self._table(whole).estimate(metric, model=model)
                for (model, metric), factor in factors.items()
            ]
            return reduce(operator.add, terms)

        def worst(metric: str, model: Any) -> Estimates:
            return self.where(metric=metric, model=model).together()

        read = reader_of_sums(((row["model"], row["metric"]) for row in whole), total)
        return check_requirements(requirements, whole, worst if self._by else None, read)

    def for_people(self) -> Self:
        """Metrics as people write them, and losses as positive numbers, as reports print them.

        Returns
        -------
        Estimates
        """
        return self.like(map(for_people, self))

    # ----------------------------------------------------------------------- shown

    def _as_rows(self) -> Table:
        by = self._by
        if by is None:
            return self
        records = [
            {**by.values(row["group"]), **{k: v for k, v in row.items() if k != "group"}}
            for row in self
        ]
        return Table(records, self.shown(), lead=self.lead, notes=self.notes, sentences=_SENTENCES)

    def shown(self) -> list[Shown]:
        """The columns that are shown: by default those that any row has something in."""
        by, are_differences = self._by, any(row["against"] is not None for row in self)
        groups = ["group"] * (not is_empty(self, "group")) if by is None else by.names
        of_groups = [Shown(name, is_text=True, none="all") for name in groups]
        if self._columns is not None:
            return [*(of_groups if by is not None else ()), *super().shown()]
        ends = f"{100 * self.confidence_level:g} % interval", "interval"
        p_value = ("p (adjusted)", "p_adjusted") if self.adjusted else ("p", "p_value")
        names, numbers = columns("metric", "model", "fold", "label", "against"), columns("value")
        if are_differences:
            numbers = columns(("value", "value_a"), ("reference", "value_b"))
            numbers.append(Shown("difference", "value", formats.signed))
        further = columns(ends, p_value, ("rows", "n_rows"))
        if not are_differences:
            further += columns("method")
        further += columns(*(key for key in _SHOWN_IF_HELD if any(key in row for row in self)))
        listed = (*names, *numbers, *further)
        return [*of_groups, *(each for each in listed if not is_empty(self, each.names()[0]))]

    def _contents(self) -> dict[str, Any]:
        level = self.confidence_level
        return {"rows": list(self), "confidence_level": level, **super()._contents()}

    def cite(self) -> str:
        """The methods of the intervals and of the adjustment with their references.

        Returns
        -------
        str
        """
        cited = [row.changed().estimate.cite() for row in self]
        how = ("max_t" if each == "simultaneous" else each for each in self.adjusted)
        return "; ".join([*dict.fromkeys(cited), *map(citation, how)])
