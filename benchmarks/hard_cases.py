"""How often intervals and comparisons hold where it is hard to, into docs/coverage_hard.md.

    python benchmarks/hard_cases.py --draws 2000 --into docs/coverage_hard.md

Scores with heavy tails, of a few grades, areas near 1, probabilities that say too much, five or
ten rows of a class, few groups that hold it, groups of 1 to 40 rows, skewed weights, two positive
rows in a hundred, precision at low recalls, calibration lines that do not fit, and models and
groups that are equally good. An interval with a note says itself that its level is doubtful, so the
share of those is shown, and how often those without one hold the true value; the worst come first.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.special import expit
from scipy.stats import norm

import skmetrics_ext as sx

LEAST, MOST = 92.0, 7.0  # percent: of intervals that hold, and of true nulls that are rejected
CEILING, ENOUGH = 10, 94.0  # percent: noted at most, where all intervals hold so often
LARGE = 2_000_000
FIRST = 5000  # seed
Rows = tuple[Any, Any, dict[str, Any]]  # labels, predictions, groups


@dataclass(frozen=True)
class Case:
    """What is drawn, and which metrics are asked; ``draw(rng, negatives, positives)``."""

    name: str
    metrics: tuple[str, ...]
    draw: Callable[[np.random.Generator, int, int], Rows]
    sizes: tuple[tuple[int, int], ...]


def _scores(noise: Callable[[np.random.Generator, int], Any], apart: float) -> Callable[..., Rows]:
    def draw(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
        y = np.repeat([0, 1], [n_neg, n_pos])
        return y, apart * y + noise(rng, len(y)), {}

    return draw


def _grades(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, score, _ = _scores(_normal, 1.2)(rng, n_neg, n_pos)
    return y, np.digitize(score, [-0.5, 0.4, 1.2, 2.2]), {}


def _ten_grades(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, score, _ = _scores(_normal, 1.2)(rng, n_neg, n_pos)
    return y, np.digitize(score, np.linspace(-1.2, 2.8, 9)), {}


def _overconfident(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, score, _ = _scores(_normal, 1.2)(rng, n_neg, n_pos)
    return y, expit(3 * (1.2 * score - 0.72 - 2.0)), {}


def _labels(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, score, _ = _scores(_normal, 1.5)(rng, n_neg, n_pos)
    return y, (score > 0.9).astype(int), {}


def _rule(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """A rule fires for 0.75 of the positives and 0.25 of the others; the score is 0 elsewhere."""
    y = np.repeat([0, 1], [n_neg, n_pos])
    fires = rng.random(len(y)) < np.where(y == 1, 0.75, 0.25)
    return y, np.where(fires, rng.gamma(1.2, size=len(y)) + 0.9 * y * rng.random(len(y)), 0.0), {}


def _wrong_labels(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """A nearly perfect ranking, and one label in a hundred is wrong."""
    y, score, _ = _scores(_normal, 5.2)(rng, n_neg, n_pos)
    return np.where(rng.random(len(y)) < 0.01, 1 - y, y), score, {}


def _graded(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """A model, and the same one cut into five grades: both are compared."""
    y, score, _ = _scores(_normal, 1.5)(rng, n_neg, n_pos)
    return y, (score, np.digitize(score, [-0.3, 0.5, 1.1, 1.9]) * 1.0), {}


def _marks(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Marks from 0 to 10."""
    y, score, _ = _scores(_normal, 1.1)(rng, n_neg, n_pos)
    return y, np.clip(np.rint(4 + 2 * score), 0, 10), {}


def _few_groups(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """As many groups of each class, of 4 to 12 rows."""
    sizes = rng.integers(4, 13, n_neg + n_pos)
    group = np.repeat(np.arange(n_neg + n_pos), sizes)
    y = (group >= n_neg).astype(int)
    shared = rng.normal(size=n_neg + n_pos)[group]
    return y, 1.5 * y + shared + rng.normal(size=len(y)), {"groups": group}


def _few_groups_of_labels(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, score, about = _few_groups(rng, n_neg, n_pos)
    return y, (score > 0.75).astype(int), about


def _unequal_groups(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Groups of 1 to 40 rows that share a part of their probability."""
    sizes = rng.integers(1, 41, n_neg + n_pos)
    group = np.repeat(np.arange(n_neg + n_pos), sizes)
    odds = rng.normal(size=n_neg + n_pos)[group] + rng.normal(size=len(group))
    y = (rng.random(len(group)) < expit(odds)).astype(int)
    noise = 0.8 * rng.normal(size=n_neg + n_pos)[group]
    return y, expit(1.3 * odds + 0.2 + noise), {"groups": group}


def _unequal_groups_of_labels(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    y, proba, about = _unequal_groups(rng, n_neg, n_pos)
    return y, (proba > 0.5).astype(int), about


def _skewed_weights(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Weights exp(0.7 x + 0.4 e) of rows whose log odds are 1.4 x."""
    x = rng.normal(size=n_neg + n_pos)
    y = (rng.random(len(x)) < expit(1.4 * x)).astype(int)
    proba = expit(1.8 * x + 0.2 + 0.5 * rng.normal(size=len(x)))
    weight = np.exp(0.7 * x + 0.4 * rng.normal(size=len(x)))
    return y, proba, {"sample_weight": weight}


def _rare_probabilities(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Calibrated, two rows in a hundred being positive; about two in a hundred are above 0.1."""
    odds = -4.6 + 1.2 * rng.normal(size=n_neg + n_pos)
    return (rng.random(len(odds)) < expit(odds)).astype(int), expit(odds), {}


def _five_classes(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Probabilities of five classes; the true one is among the first two of 98 in 100 rows."""
    y = np.tile(np.arange(5), n_neg + n_pos)[: n_neg + n_pos]
    raised = np.exp(3.4 * np.eye(5)[y] + rng.normal(size=(len(y), 5)))
    return y, raised / raised.sum(axis=1, keepdims=True), {}


def _sure_third(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """A third of the rows have log odds of 14 on the right side, but 1 % of these on the wrong."""
    y = np.repeat([0, 1], [n_neg, n_pos])
    side, sure, wrong = 2 * y - 1, rng.random(len(y)) < 1 / 3, rng.random(len(y)) < 0.01
    odds = 1.2 * rng.normal(size=len(y)) + 1.6 * side
    return y, expit(np.where(sure, np.where(wrong, -14, 14) * side, odds)), {}


def _wrong_line(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Risks expit(z), predicted as expit(4 z + 1), cut at 1e-6."""
    z = rng.normal(-1.3, 1.2, n_neg + n_pos)
    y = (rng.random(len(z)) < expit(z)).astype(int)
    return y, np.clip(expit(4 * z + 1), 1e-6, 1 - 1e-6), {}


def _third_alike(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """A third of the positives have the scores of the others, 3.5 lower than the rest of them."""
    y = np.repeat([0, 1], [n_neg, n_pos])
    score = rng.normal(size=len(y)) + 3.5 * y * (rng.random(len(y)) < 2 / 3)
    return y, expit(2.5 * score - 4.3), {}


def _hardly_predicted(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Five classes, the rarest of which hardly ever has the highest score."""
    shares = [0.4, 0.3, 0.15, 0.1, 0.05]
    y = rng.choice(5, n_neg + n_pos, p=shares)
    z = rng.normal(size=(len(y), 5)) + 2.5 * np.eye(5)[y]
    z[:, 4] = z[:, 3] + 0.3 * rng.normal(size=len(y)) - 0.2
    return y, (np.exp(1.2 * z) * shares).argmax(axis=1), {}


def _contaminated(rng: np.random.Generator, n: int) -> Any:
    return rng.normal(size=n) + np.where(rng.random(n) < 0.15, 2 * rng.standard_t(1.5, n), 0.0)


def _gumbel(rng: np.random.Generator, n: int) -> Any:
    return 0.55 * rng.gumbel(size=n)


def _t3(rng: np.random.Generator, n: int) -> Any:
    return rng.standard_t(3, n)


def _normal(rng: np.random.Generator, n: int) -> Any:
    return rng.normal(size=n)


def _t2(rng: np.random.Generator, n: int) -> Any:
    return rng.standard_t(2, size=n)


AREAS = ("roc_auc", "average_precision", "partial_roc_auc")
LOSSES = ("log_loss", "brier_score_loss", "d2_log_loss_score")
LABELS = ("recall", "precision", "f1", "balanced_accuracy", "matthews_corrcoef", "youden_j")
PRECISIONS = tuple(f"precision_at_recall of {recall}" for recall in (0.1, 0.2, 0.3, 0.5))
RATES = ("sensitivity_at_specificity_90", "specificity_at_sensitivity_80")
IN_BLOCK = tuple(f"sensitivity_at_specificity of {share}" for share in (0.1, 0.3, 0.5, 0.6))
LINE = ("slope", "intercept", "in_the_large")
RARE = ((95, 5), (990, 10))
UNEQUAL = ((12, 13), (30, 30), (75, 75))  # groups
SOME = ((30, 30), (180, 20), (950, 50))
WITH_PARAMETERS = {
    "partial_roc_auc": partial(sx.partial_roc_auc_score, fpr_range=(0.0, 0.2)),
    "top_2_accuracy": partial(sx.top_k_accuracy_score, k=2),
    **{
        name: partial(sx.sensitivity_at_specificity, specificity=float(name[-3:]))
        for name in IN_BLOCK
    },
    "precision_at_recall_50": partial(sx.precision_at_recall, recall=0.5),
    **{
        name: partial(sx.precision_at_recall, recall=float(name[-3:]), method="interpolated")
        for name in PRECISIONS
    },
}
CASES = (
    Case("tails of t with 2 degrees", AREAS, _scores(_t2, 2.0), SOME),
    Case("area near 1", AREAS, _scores(_normal, 3.3), SOME),
    Case("area 0.97", ("auprg", *RATES), _scores(_normal, 2.66), SOME),
    Case("five grades", AREAS[:2] + RATES, _grades, SOME),
    Case("ten grades", AREAS[:2] + RATES, _ten_grades, SOME),
    Case("overconfident", LOSSES, _overconfident, SOME),
    Case("few rows, labels", LABELS, _labels, RARE),
    Case("few rows, scores", AREAS, _scores(_normal, 1.5), RARE),
    Case("few groups, labels", ("recall", "f1", "balanced_accuracy"), _few_groups_of_labels,
         ((60, 8), (160, 20))),
    Case("few groups, scores", AREAS[:2], _few_groups, ((60, 8), (160, 20))),
    Case("unequal groups", ("roc_auc", *LOSSES[:2]), _unequal_groups, UNEQUAL),
    Case("unequal groups, labels", LABELS, _unequal_groups_of_labels, UNEQUAL),
    Case("skewed weights", ("roc_auc", *LOSSES[:2]), _skewed_weights, ((40, 40), (200, 200))),
    Case("2 in 100", ("net_benefit_at_10",), _rare_probabilities, ((490, 10), (1960, 40))),
    Case("low recalls", PRECISIONS, _scores(_normal, 1.2), ((300, 100), (800, 200))),
    Case("low recalls, area 0.97", PRECISIONS, _scores(_normal, 2.66), ((300, 100), (800, 200))),
    Case("a rule, else 0", (*IN_BLOCK, "sensitivity_at_specificity_90", "equal_error_rate"), _rule,
         ((900, 100), (1350, 150))),
    Case("1 in 100 labels wrong", ("equal_error_rate",), _wrong_labels, ((1050, 450),)),
    Case("marks of 0 to 10", (*RATES, "equal_error_rate", "precision_at_recall_50"), _marks,
         ((120, 80), (600, 400))),
    Case("less its five grades", ("sensitivity_at_specificity_90", "equal_error_rate"), _graded,
         ((100, 100), (400, 400))),
    Case("tails of t with 3 degrees", AREAS[1:2], _scores(_t3, 3.6), ((150, 100),)),
    Case("15 % contaminated", AREAS[1:2], _scores(_contaminated, 1.8), ((105, 45),)),
    Case("a third all but sure", AREAS[1:2], _sure_third, ((600, 400),)),
    Case("gain area near 1", ("auprg",), _scores(_gumbel, 2.6), ((450, 50),)),
    Case("gain area near 1, 0.5 % positive", ("auprg",), _scores(_normal, 2.2), ((3980, 20),)),
    Case("1 in 100 labels wrong", ("auprg",), _wrong_labels, ((210, 90),)),
    Case("a class hardly predicted", ("precision_macro",), _hardly_predicted,
         ((150, 50), (450, 150), (1500, 500))),
    Case("a line that does not fit", ("in_the_large",), _wrong_line, ((146, 54), (730, 270))),
    Case("a third like the others", ("in_the_large",), _third_alike, ((320, 80),)),
    Case("a third all but sure", LINE, _sure_third, ((240, 160),)),
    Case("0.98 right", ("top_2_accuracy",), _five_classes, ((60, 20), (150, 50))),
)  # fmt: skip


def asked(metric: str, y: Any, said: Any, about: dict[str, Any]) -> Any:
    """The interval that is made by default."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(said, tuple):
            return sx.compare(metric, y, *said, n_resamples=399, random_state=0)
        if metric in LINE:
            return getattr(sx.calibration_slope_intercept(y, said), metric)
        return sx.confidence_interval(
            WITH_PARAMETERS.get(metric, metric), y, said, n_resamples=399, random_state=0, **about
        )


def truth(case: Case, metric: str, size: tuple[int, int], large: int) -> float:
    """The value of many rows with the same shares of classes."""
    times = large // (sum(size) * (8 if "groups" in case.name else 1))
    y, said, about = case.draw(np.random.default_rng(1), size[0] * times, size[1] * times)
    about.pop("groups", None)
    found = asked(metric, y, said, about)
    return float(found.difference if isinstance(said, tuple) else found.value)


def _classes(rng: np.random.Generator, size: tuple[int, int]) -> tuple[int, int]:
    """Numbers of both classes of rows that were drawn without looking at them; two at least."""
    total = sum(size)
    while not 2 <= (n_pos := int(rng.binomial(total, size[1] / total))) <= total - 2:
        pass
    return total - n_pos, n_pos


def of_intervals(n_draws: int, large: int) -> Iterator[list[str]]:
    """A row for each case, metric and size."""
    for case in CASES:
        for size in case.sizes:
            for metric in case.metrics:
                true = truth(case, metric, size, large)
                held, noted = [], []
                for seed in range(FIRST, FIRST + n_draws):
                    rng = np.random.default_rng(seed)
                    y, said, about = case.draw(rng, *_classes(rng, size))
                    found = asked(metric, y, said, about)
                    held.append(found.low <= true <= found.high)
                    noted.append(bool(found.note))
                unit = "groups" if "groups" in case.name else "rows"
                told = f"{size[1]} of {sum(size)} {unit}"
                yield [case.name, f"`{metric}`", told, *_shares(held, noted, LEAST)]


def _shares(held: list[bool], noted: list[bool], least: float) -> list[str]:
    """All, those without a note, and how many these are; bold where it misses beyond chance."""
    right, clear = np.array(held), ~np.array(noted)
    alone = "" if clear.sum() < 50 else _marked(right[clear], least)
    silent, noted = 100 * (clear & ~right).mean(), 100 * (1 - clear.mean())
    needless = noted > CEILING and 100 * right.mean() >= ENOUGH
    return [
        f"{100 * right.mean():.1f}",
        alone,
        f"**{noted:.0f} %**" if needless else f"{noted:.0f} %",
        f"{silent:.1f}",
    ]


def _marked(right: Any, least: float) -> str:
    share = 100 * right.mean()
    chance = 200 * np.sqrt(least / 100 * (1 - least / 100) / len(right))
    text = f"{share:.1f}"
    return f"**{text}**" if share < least - chance else text


def _worst_first(row: list[str]) -> float:
    """Most intervals that are wrong and do not say so."""
    return -float(row[-1])


def _points(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Labels of two models, 0.7 and 0.9 of the classes right the one, 0.9 and 0.7 the other."""
    y = np.repeat([0, 1], [n_neg, n_pos])
    shared = rng.normal(size=len(y))
    both = []
    for of_negatives, of_positives in ((0.7, 0.9), (0.9, 0.7)):
        own = (shared + rng.normal(size=len(y))) / np.sqrt(2)
        right = own < norm.ppf(np.where(y == 1, of_positives, of_negatives))
        both.append(np.where(right, y, 1 - y))
    return y, both, {}


def _shapes(rng: np.random.Generator, n_neg: int, n_pos: int) -> Rows:
    """Scores of two models of one area, the positives of one spread twice as wide."""
    y = np.repeat([0, 1], [n_neg, n_pos])
    shared = rng.normal(size=len(y))
    both = []
    for spread in (1.0, 2.0):
        own = (shared + rng.normal(size=len(y))) / np.sqrt(2)
        wide = np.where(y == 1, spread, 1.0)
        both.append(wide * own + y * norm.ppf(0.8) * np.sqrt(1 + spread**2))
    return y, both, {}


NULLS = (
    ("other operating points", _points, ("balanced_accuracy", "youden_j")),
    ("one area, other curves", _shapes, ("roc_auc",)),
)


def of_comparisons(n_draws: int) -> Iterator[list[str]]:
    """A row for each hypothesis that is true, and how often it is rejected at 5 %."""
    for name, draw, metrics in NULLS:
        for size in ((95, 5), (190, 10), (180, 20), (150, 150), (950, 50)):
            for metric in metrics:
                kept, noted = [], []
                for seed in range(FIRST, FIRST + n_draws):
                    rng = np.random.default_rng(seed)
                    y, (a, b), _ = draw(rng, *_classes(rng, size))
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = sx.compare(metric, y, a, b)
                    kept.append(not found.p_value <= 0.05)
                    noted.append(bool(found.note))
                told = f"{size[1]} of {sum(size)} rows"
                every, alone, *rest = _shares(kept, noted, 100 - MOST)
                yield [name, f"`{metric}`", told, _turned(every), _turned(alone), *rest]


def of_groups(n_draws: int) -> Iterator[list[str]]:
    """How often `spread` finds groups different that are of one population."""
    group = np.repeat(np.arange(6), (600, 300, 120, 60, 25, 12))
    for metric in ("log_loss", "brier_score_loss"):
        kept = []
        for seed in range(FIRST, FIRST + n_draws):
            y, proba, _ = _wrong_line(np.random.default_rng(seed), len(group), 0)
            options = {"y_score": proba, "by": group, "intervals": True}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = sx.compute_metrics([metric], y, **options)
            kept.append(not table.spread(metric).p_value <= 0.05)
        every, alone, *rest = _shares(kept, [False] * n_draws, 100 - MOST)
        told = "6 groups of 12 to 600 rows"
        yield ["equal groups", f"`{metric}`", told, _turned(every), _turned(alone), *rest]


def _turned(text: str) -> str:
    """What is not kept is rejected."""
    number = text.strip("*")
    return text.replace(number, f"{100 - float(number):.1f}") if number else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000, help="samples of each case")
    parser.add_argument("--large", type=int, default=LARGE, help="rows that true values are of")
    parser.add_argument("--into", type=Path, nargs="+", default=[], metavar="PAGE")
    options = parser.parse_args()
    last = ["without a note, %", "noted", "wrong without a note, % of all"]
    intervals = ["what", "metric", "positive, about", "hold, %", *last]
    nulls = ["what", "metric", "positive, about", "rejected, %", *last]
    parts = [
        f"{options.draws:,} samples of each case, 95 % intervals by default; **bold** misses "
        f"{LEAST:g} % of those without a note, beyond chance, or has a note for more than "
        f"{CEILING} % where all intervals together hold in {ENOUGH:g} % or more. The cases "
        "with most intervals that are wrong without a note come first:",
        markdown(intervals, sorted(of_intervals(options.draws, options.large), key=_worst_first)),
        "True hypotheses that `compare`, or `spread` of groups, rejects at 5 %; **bold** is above "
        f"{MOST:g} %:",
        markdown(nulls, [*of_comparisons(options.draws), *of_groups(options.draws)]),
    ]
    text = "\n\n".join(parts)
    print(text)
    for page in options.into:
        put(page, "hard", text)


if __name__ == "__main__":
    main()
