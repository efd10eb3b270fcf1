"""Cross-validation of several models and metrics on the same folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import starmap
from numbers import Integral
from typing import Any

from numpy.typing import ArrayLike

from skmetrics_ext.numeric import Array, PosLabel, RandomState
from skmetrics_ext.progress import Progress, reporting
from skmetrics_ext.questions.rows import estimator_name
from skmetrics_ext.report.cv_report import CrossValidationReport
from skmetrics_ext.report.fold import FoldResult, Grouping, fit_and_score, numbered_folds
from skmetrics_ext.report.out_of_fold import FittedOn, ScoredData, repeated_rows
from skmetrics_ext.report.params import read_scoring, send_params
from skmetrics_ext.report.summary import INTERVAL_KINDS, IntervalKind
from skmetrics_ext.scoring.panel import unique
from skmetrics_ext.validation import InvalidParameterError, check_option, check_weight
from skmetrics_ext.validation.containers import count_rows, read_column
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.rows import check_fitted_rows
from skmetrics_ext.validation.tensors import to_host

STRATEGIES = ("prior", "most_frequent", "stratified", "uniform")


def cross_validation_report(
    estimators: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    scoring: Any = None,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    by: Any = None,
    baseline: Any = "prior",
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
    interval: IntervalKind = "auto",
    train: bool = False,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> CrossValidationReport:
    """Cross-validate one or many models on the same folds, next to a baseline.

    Where a metric cannot be computed on a fold (it is nan or raises, or the fit failed), it is
    undefined there: the fold is counted, with the reason, and left out of the mean and spread.

    Parameters
    ----------
    estimators : estimator, dict of str to estimator, or list of estimators
        One model or several. Models in a list are named by their classes; models of the same
        class, by the steps and parameters in which they differ. Each is cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes of any kind, or multilabel indicators.
    scoring : str, callable, list or dict, default=None
        Names of `get_scorer_names`, scorers, or a list of both; a dict from your own names to
        these; or a `ScorerPanel`. Each model predicts once per fold for all metrics. By default
        metrics that suit ``y``: area under the ROC curve, F1, accuracies and log loss. If no
        positive class is known, those that need one are left out.
    cv : int, splitter or iterable of (train, test), default=5
        An int gives stratified folds, which are shuffled if ``random_state`` is given, and keep
        groups together if ``groups`` is given. Any splitter of scikit-learn is accepted. The folds
        are made once, and are the same for all models.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as the patient; rows of a group may be dependent. Folds of an
        int ``cv`` keep groups whole, and all intervals and tests treat groups, not rows, as
        independent.
    by : str, array-like, data frame or dict of str to array-like, default=None
        Column of ``X``, or values for each row, by which results are split. Each group gets the
        values of its out-of-fold predictions, and the gap from all other rows. Rows without a
        value (None, nan) are the group "missing".
    baseline : {"prior", "most_frequent", "stratified", "uniform"}, estimator or None, \
default="prior"
        A strategy of `sklearn.dummy.DummyClassifier`, or a model; the last line of the table.
    pos_label : int, float, bool or str, default=None
        The positive class of two, for metrics of one class that are given by name. By default
        the one that scorers or a panel in ``scoring`` name; otherwise 1 of {0, 1} or {-1, 1}, or
        True. With other labels, such metrics raise an error that asks for it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row, for the fit of each model (in a pipeline, of its last step) and for
        each metric, with a warning for those that take no weights. With metadata routing it goes
        where it is requested; the baseline and metrics given by name request it. Equivalent to
        ``params={"sample_weight": ...}``.
    params : dict, default=None
        Parameters of ``fit``; arrays with a value per sample are cut to the fold. With metadata
        routing, all of ``params`` is routed as requested instead.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of all intervals.
    interval : {"auto", "cv", "pooled", "corrected", "nested"}, default="auto"
        The kind of interval in tables, page and pictures, as described in
        `CrossValidationReport.summary`: "cv" and "pooled" describe the fitted models, "corrected"
        and "nested" models trained on other samples of this size.
    train : bool, default=False
        Whether each model also predicts its training rows. Tables, page and picture then show the
        value there and the gap from the test rows, and ``report.findings()`` names models that
        overfit. It takes one more prediction for each fit.
    random_state : int, RandomState or None, default=None
        Shuffles the folds of an int ``cv``, and seeds the baseline. By default folds are not
        shuffled, as in scikit-learn, and the seed of the baseline is 0.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib, over models and folds, with the backend of
        ``joblib.parallel_config``.
    progress : bool, callable or None, default=None
        True shows a progress bar (tqdm's if installed, otherwise lines on stderr); a callable is
        called with the numbers of finished fits and of all fits.

    Returns
    -------
    CrossValidationReport
        Print it, or call ``summary()``, ``folds()``, ``pooled()``, ``compare()``,
        ``by_group()``, ``predictions``, ``frame()``, ``plot()``, ``to_html()`` or ``to_json()``.
        After a keyboard interrupt it holds the finished fits, with a warning.

    Raises
    ------
    ValueError
        If a name is unknown, ``y`` holds fewer than two classes, a metric needs a positive class
        and none is known, metrics name different ones, or all models fail on every fold.
    TypeError
        If an argument is of a kind that is not accepted.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skmetrics_ext import cross_validation_report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> report = cross_validation_report(models, X, y, scoring=["roc_auc", "f1"])
    >>> print(report)  # doctest: +ELLIPSIS +NORMALIZE_WHITESPACE
    highest ROC AUC: bayes 0.987 [0.978, 0.993]; better than tree (+0.071 [0.041, 0.102])
    5 folds of 569 rows: StratifiedKFold(n_splits=5, random_state=None, shuffle=False)
    positive class: 1; mean with 95 % intervals for the 5 fitted models; differences for models
        trained on other samples of this size
    <BLANKLINE>
    model                              ROC AUC                    F1  fit (s)
    ----------------  ------------------------  --------------------  -------
    bayes             0.987 [0.978, 0.993] [1]  0.952 [0.933, 0.966]    ...
    tree                  0.916 [0.889, 0.937]  0.933 [0.911, 0.950]    ...
    baseline (prior)  0.500 [0.433, 0.567] [2]  0.771 [0.739, 0.800]    ...
    <BLANKLINE>
    [1] ROC AUC of bayes: only 212 rows in the smallest class and a value close to its limit: this
        interval may be too narrow; more of them would help
    [2] ROC AUC of baseline (prior): these rows show no sampling variation: shown is the interval of
        a proportion with as many rows as the smallest class
    """
    from sklearn.base import clone

    params = _with_weight(params, sample_weight)
    labels, groups, group = read_rows(X, y, groups, params)
    level = check_level(confidence_level)
    check_option("interval", interval, INTERVAL_KINDS)
    check_option("train", train, (True, False))
    models = named_models(estimators)
    panel, task, positive, left_out = read_scoring(scoring, labels, pos_label)
    models, name = _with_baseline(models, baseline, random_state, params)
    splitter = make_splitter(cv, labels, task, groups, random_state)
    routed = send_params(models, panel, splitter, params, groups)
    folds = numbered_folds(splitter.split(X, labels, **routed.split))
    grouping = None if group is None else Grouping.of(group, folds)
    rows_by = None
    if by is not None:
        from skmetrics_ext.report.by_group import RowGroups

        rows_by = RowGroups.of(by, X, y, folds)
    source = FittedOn(X, models, routed.fit)
    fit_data = {model: (X, y, routed.fit[model]) for model in models}
    if name is not None and isinstance(baseline, str):  # dummies read no tensors
        on_host = {key: to_host(value, key) for key, value in routed.fit[name].items()}
        fit_data[name] = to_host(X, "X"), labels, on_host
    fits = [
        (model, clone(models[model]), fold, *fit_data[model], panel, routed.score, train)
        for fold in folds
        for model in models
    ]
    finished = run_fits(fits, len(fits), n_jobs, progress)
    order = [(model, fold.number) for model in models for fold in folds]
    results = [finished[fit] for fit in order if fit in finished]
    _check_fits(results, name)
    return CrossValidationReport(
        models=tuple(models),
        metrics=panel.names,
        results=tuple(results),
        n_samples=count_rows(y) or 0,
        splitter=splitter_text(cv, splitter),
        baseline=name,
        positive_class=positive,
        left_out=left_out,
        confidence_level=level,
        data=ScoredData(y, panel.scorers, routed.score, grouping, source, rows_by),
        interval=interval,
        data_warnings=repeated_rows(X, folds),
    )


def _with_weight(params: Mapping[str, Any] | None, sample_weight: Any) -> dict[str, Any]:
    if sample_weight is None:
        return dict(params or {})
    if params and params.get("sample_weight") is not None:
        raise InvalidParameterError(
            "sample_weight is given twice: pass it as sample_weight= or in params, not both."
        )
    return {**(params or {}), "sample_weight": sample_weight}


def read_rows(
    X: Any, y: Any, groups: Any, params: Mapping[str, Any]
) -> tuple[Any, Any, Array | None]:
    """Check the lengths of all columns; return labels and groups on the host, and group numbers.

    Raises
    ------
    InvalidParameterError
        If lengths or indexes differ, or an argument is not a column.
    """
    weight = params.get("sample_weight")
    sizes = {"X": count_rows(X), "y": len(read_column(y, "y"))}
    for name, column in (("groups", groups), ("sample_weight", weight)):
        if column is not None:
            sizes[name] = len(read_column(column, name))
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {n}" for name, n in sizes.items())
        raise InvalidParameterError(
            f"Found input variables with inconsistent numbers of samples: {listed}."
        )
    n_rows = sizes["y"] or 0
    check_weight(weight, n_rows)
    check_fitted_rows(X, y=y, **{**params, "groups": groups})
    if groups is None:
        return to_host(y, "y"), None, None
    return to_host(y, "y"), to_host(groups, "groups"), read_groups(groups, n_rows)


def run_fits(
    fits: Iterable[tuple[Any, ...]],
    total: int,
    n_jobs: int | None,
    progress: Progress,
    keep: Callable[[FoldResult], FoldResult] | None = None,
) -> dict[tuple[str, int], FoldResult]:
    """Results of `fit_and_score` by model and fold; after an interrupt, those of finished fits.

    Parameters
    ----------
    fits : iterable of tuple
        Arguments of each call.
    total : int
        Number of fits.
    n_jobs, progress
        As in `cross_validation_report`.
    keep : callable, default=None
        Reduces each result to the parts that are stored.
    """
    from joblib.parallel import get_active_backend
    from sklearn.utils.parallel import Parallel, delayed

    results: dict[tuple[str, int], FoldResult] = {}
    # The backend of dask returns all results at the end.
    streams = getattr(get_active_backend()[0], "supports_return_generator", False)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered" if streams else "list")
    try:
        with reporting(progress, total) as report_done:
            for result in parallel(starmap(delayed(fit_and_score), fits)):
                results[result.model, result.fold] = keep(result) if keep else result
                report_done(len(results))
    except KeyboardInterrupt:
        if not results:
            raise
        warn_user(
            f"Interrupted after {len(results)} of {total} fits: the report holds these, and its "
            "models may differ in their folds."
        )
    return results


def named_models(estimators: Any) -> dict[str, Any]:
    if isinstance(estimators, Mapping):
        models = {str(name): model for name, model in estimators.items()}
    elif hasattr(estimators, "fit"):
        models = {estimator_name(estimators): estimators}
    elif isinstance(estimators, Iterable) and not isinstance(estimators, str):
        listed = list(estimators)
        models = dict(zip(names_of(listed), listed, strict=True))
    else:
        raise InvalidParameterError(
            "estimators must be an estimator, a dict of name to estimator or a list of "
            f"estimators, got {type(estimators).__name__}."
        )
    if not models:
        raise InvalidParameterError("estimators is empty.")
    for name, model in models.items():
        if not hasattr(model, "fit") or isinstance(model, type):
            raise InvalidParameterError(f"The model {name!r} is not an estimator: {model!r:.80}.")
    return models


def _with_baseline(
    models: dict[str, Any], baseline: Any, random_state: Any, params: Mapping[str, Any]
) -> tuple[dict[str, Any], str | None]:
    """The models with the baseline as the last one, and its name."""
    from sklearn import get_config
    from sklearn.dummy import DummyClassifier

    if baseline is None:
        return models, None
    seed = 0 if random_state is None else random_state
    if hasattr(baseline, "fit") and not isinstance(baseline, type):
        name, model = estimator_name(baseline), baseline
    elif isinstance(baseline, str) and baseline in STRATEGIES:
        name, model = baseline, DummyClassifier(strategy=baseline, random_state=seed)
        if get_config().get("enable_metadata_routing") and "sample_weight" in params:
            model.set_fit_request(sample_weight=True)
    else:
        raise InvalidParameterError(
            f"baseline must be one of {', '.join(map(repr, STRATEGIES))}, an estimator or None, "
            f"got {baseline!r}."
        )
    *_, name = unique([*models, f"baseline ({name})"])
    return {**models, name: model}, name


def make_splitter(cv: Any, y: Any, task: str, groups: Any, random_state: Any) -> Any:
    """The splitter for the argument ``cv``; an int stratifies, except for multilabel rows."""
    from sklearn import model_selection as splitters

    if not isinstance(cv, Integral):
        return splitters.check_cv(cv, y, classifier=True)
    kind: Any = splitters.StratifiedKFold if groups is None else splitters.StratifiedGroupKFold
    if task == "multilabel":  # its rows have no strata
        kind = splitters.KFold if groups is None else splitters.GroupKFold
    if random_state is None:
        return kind(int(cv))
    return kind(int(cv), shuffle=True, random_state=random_state)


def _check_fits(results: list[FoldResult], baseline: str | None) -> None:
    """Warn about models that failed on every fold; raise if all but the baseline failed."""
    errors: dict[str, list[str]] = {}
    for result in results:
        errors.setdefault(result.model, []).append(result.fit_error)
    failed = {
        model: f"{model!r}: on every fold the {min(texts)}"
        for model, texts in errors.items()
        if all(texts)
    }
    if failed and errors.keys() - {baseline} <= failed.keys():
        raise InvalidParameterError("; ".join(failed.values()))
    for text in failed.values():
        warn_user(f"{text}. The report keeps its row with the reason.")


def splitter_text(cv: Any, splitter: Any) -> str:
    """The splitter, in one line."""
    if not hasattr(cv, "split") and isinstance(cv, Iterable):
        return "folds as given"
    text = " ".join(repr(splitter).split())
    return text if len(text) <= 80 else type(splitter).__name__


# --------------------------------------------------------------------------- names of models

_MOST, _LONGEST = 3, 60  # parameters and characters that still read as a name


def names_of(models: Sequence[Any]) -> list[str]:
    """Names of models: their class, or that of the last step of a pipeline.

    Models of the same class are told apart by the steps and parameters in which they differ, or
    otherwise by a number.
    """
    names = [estimator_name(model) for model in models]
    for name in set(names):
        places = [place for place, other in enumerate(names) if other == name]
        if len(places) > 1:
            differences = _differences([models[place] for place in places])
            for place, difference in zip(places, differences, strict=True):
                longer = f"{name} ({difference})"
                if difference and len(longer) <= _LONGEST:
                    names[place] = longer
    return unique(names)


def _differences(models: Sequence[Any]) -> list[str]:
    """For each model, its pipeline steps and parameters that the other models do not share."""
    steps, params = [_steps(model) for model in models], [_params(model) for model in models]
    shared_steps = set(steps[0]).intersection(*steps)
    shared = [key for key in params[0] if all(key in others for others in params)]
    differing = [key for key in shared if len({others[key] for others in params}) > 1]
    differing = differing if len(differing) <= _MOST else []
    return [
        ", ".join(
            [step for step in model_steps if step not in shared_steps]
            + [f"{key.rpartition('__')[2]}={model_params[key]}" for key in differing]
        )
        for model_steps, model_params in zip(steps, params, strict=True)
    ]


def _steps(model: Any) -> list[str]:
    """Classes of the steps of a pipeline, without the last one."""
    steps = [step for _, step in list(getattr(model, "steps", None) or [])[:-1]]
    return [step if isinstance(step, str) else type(step).__name__ for step in steps]


def _params(model: Any) -> dict[str, str]:
    """Parameters with plain values, as text."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return {}
    params = model.get_params(deep=True).items()
    plain = bool | int | float | str | None
    return {key: repr(value) for key, value in params if isinstance(value, plain)}
