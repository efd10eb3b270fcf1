"""The study of coverage simulates what `confidence_interval` gives, and its page tells it."""

import numpy as np
import pytest
from scipy.stats import binom

import skmetrics_ext


def test_joint_draws_are_those_of_one_metric_alone(script, monkeypatch):
    study, page = script("coverage"), script("coverage_page")
    monkeypatch.setattr(study, "LARGE", 1000)
    monkeypatch.setattr(study, "DRAWS", 49)
    for names in (["ks_statistic_score", "recall_at_precision"], ["ks_statistic_score"]):
        ((listed, simulate),) = study.groups(list(study.cases(names)))
        seen = []
        monkeypatch.setattr(study, "result", lambda *given, to=seen: to.append(given))
        list(simulate(listed, "balanced", 3, 0))
        rng = np.random.default_rng([0, 2, 0, 2])
        study.draw_scores(rng, 1000, 2, "balanced", "scores")
        for size in page.SIZES:
            rows = [study.draw_scores(rng, size, 2, "balanced", "scores") for _ in range(3)]
            for case in listed:
                _, method, _, _, _, (low, high), _ = seen.pop(0)
                for i, (true, score) in enumerate(rows):
                    found = skmetrics_ext.confidence_interval(
                        case.spec.function,
                        true,
                        score,
                        n_resamples=49,
                        random_state=i,
                        **case.spec.params,
                    )
                    assert found.method == method
                    assert (low[i], high[i]) == pytest.approx((found.low, found.high), rel=1e-12)


def test_coverage_of_an_interval_that_is_known(script):
    """Wilson's interval of 50 rows at 0.8 covers 95.1 % (the sum of binomial chances)."""
    study = script("coverage")
    ((listed, simulate),) = (
        pair
        for pair in study.groups(list(study.cases(["accuracy_score"])))
        if pair[0][0].n_classes == 2
    )
    first = next(simulate(listed, "balanced", 1000, 0))
    counts = np.arange(51)
    low, high = np.array(
        [
            (one.low, one.high)
            for one in (skmetrics_ext.proportion_interval(int(k), 50) for k in counts)
        ]
    ).T
    exact = binom.pmf(counts, 50, 0.8)[(low <= 0.8) & (high >= 0.8)].sum()
    assert first.coverage == pytest.approx(exact, abs=5 * first.error)


@pytest.mark.slow
def test_the_page_is_made_and_resumed(run, tmp_path):
    results, out = tmp_path / "all.csv", tmp_path / "page.md"
    options = ("--repetitions", "4", "--results", str(results), "--out", str(out))
    done = run("coverage.py", *options, "--metrics", "f1_score", "log_loss")
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert "`f1_score(average='macro')`" in text
    assert "`log_loss`" in text
    once = results.read_text(encoding="utf-8")
    done = run("coverage.py", *options, "--metrics", "log_loss", "brier_score_loss", "--resume")
    assert done.returncode == 0, done.stderr
    assert "brier" in done.stderr
    assert "log_loss" not in done.stderr
    assert set(once.splitlines()) < set(results.read_text(encoding="utf-8").splitlines())
