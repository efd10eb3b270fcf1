"""The script that makes mistakes: which it makes, in which functions, and that they take effect."""

import importlib.util

import pytest

SOURCE = '''
"""A module."""
LIMIT = 3


def share(part: int, whole, axis=1):
    """Ratio."""
    if whole == 0 and part < 1:
        raise ValueError("1 + 1")
    return part / max(whole, 2)


class Few:
    def outer(self):
        def inner(x):
            return -x

        return inner(1.5) if not self else True
'''


@pytest.fixture
def written(script, tmp_path):
    """The script's two parts, and a file to make mistakes in."""
    path = tmp_path / "few.py"
    path.write_text(SOURCE, encoding="utf-8")
    return script("mutants"), script("mutation"), path


@pytest.fixture
def loaded(written):
    spec = importlib.util.spec_from_file_location("few", written[2])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_mistakes(written):
    mutants, _, path = written
    found = {(one.function, one.after) for one in mutants.mutants_of(path, path.parent)}
    assert found == {
        ("share", "if not (whole == 0 and part < 1)"),
        ("share", "if whole == 0 or part < 1"),
        ("share", "if whole != 0 and part < 1"),
        ("share", "if whole == 1 and part < 1"),
        ("share", "if whole == 0 and part <= 1"),
        ("share", "if whole == 0 and part < 2"),
        ("share", "return part * max(whole, 2)"),
        ("share", "return part / min(whole, 2)"),
        ("share", "return part / max(whole, 3)"),
        ("Few.outer", "return +x"),
        ("Few.outer", "return True if not self else inner(1.5)"),
        ("Few.outer", "return inner(1.5) if not not self else True"),
        ("Few.outer", "return inner(1.875) if not self else True"),
        ("Few.outer", "return inner(1.5) if not self else False"),
    }


def test_a_mistake_takes_effect_in_what_is_loaded(written, loaded):
    mutants, mutation, path = written
    kept = loaded.share  # as another module has it that imported the name
    live = mutation.live_functions()
    for one in mutants.mutants_of(path, path.parent):
        if one.after in ("return part * max(whole, 2)", "return +x"):
            assert mutation.exchange(path, mutants.mutated(path, one.number), live)
            break
    assert kept(3, 6) == 18


def test_a_mistake_in_a_function_within_another(written, loaded):
    mutants, mutation, path = written
    (number,) = (
        one.number for one in mutants.mutants_of(path, path.parent) if one.after == "return +x"
    )
    assert loaded.Few.outer(None) == -1.5
    mutation.exchange(path, mutants.mutated(path, number), mutation.live_functions())
    assert loaded.Few.outer(None) == 1.5


def test_statements_tell_that_they_are_reached(written, loaded):
    mutants, mutation, path = written
    seen = []
    loaded.tell = seen.append
    mutation.exchange(path, mutants.observed(path, "tell"), mutation.live_functions())
    assert loaded.share(3, 6) == 0.5
    text = SOURCE.splitlines()
    assert [text[line - 1].split()[0] for line in seen] == ['"""Ratio."""', "if", "return"]


def test_the_quickest_tests_that_reach_it_come_first(written):
    mutants, mutation, _ = written
    mutant = mutants.Mutant("a.py", "f", 7, 0, "x + 1", "x - 1")
    reached = {"a.py": {"7": [[2.0, "slow"], [0.5, "quick"], [9.0, "slowest"]], "8": [[0, "no"]]}}
    assert mutation.tests_of(reached, mutant, 3.0) == ["quick", "slow"]
    assert mutation.tests_of(reached, mutant, 0.1) == ["quick"]
    assert mutation.tests_of({}, mutant, 3.0) == []


def test_survivors_that_were_looked_at_are_not_counted(script, monkeypatch):
    mutation = script("mutation_page")
    monkeypatch.setattr(mutation, "verdicts", lambda: {"b": "the same number"})
    outcomes = {"a": "killed", "b": "survived", "c": "survived", "d": "same code"}
    found = [
        {"key": key, "line": 1, "group": "tallies", "outcome": outcome, "by": "", "tests": 2}
        for key, outcome in outcomes.items()
    ]
    page = mutation.page(found, ["tallies"])
    assert "| tallies | 3 | 1 | 1 | 50.0% |" in page
    assert "- `b` (line 1, 2 tests): the same number" in page
    assert "- `c` (line 1, 2 tests): **not found**" in page


@pytest.mark.exhaustive
def test_mistakes_are_made_wherever_numbers_are(script):
    """Every directory that computes numbers is sampled, and its tests are run."""
    mutation = script("mutation")
    assert all(mutation.file_of(place).exists() for place in mutation.TESTS)
    drawn = mutation.sample(mutation.parse(["--number", "60"]))
    assert {mutation.group_of(mutant.path) for mutant in drawn} == mutation.MODULES.keys()
    listed = [path for paths in mutation.files_by_group().values() for path in paths]
    changed = set(listed)
    assert len(listed) == len(changed)
    whole = (
        "inference",
        "slices",
        "thresholds",
        "report",
        "cli",
        "validation",
        "scoring",
        "backends",
        "operations",
        "plotting",
        "merged",
    )
    for folder in whole:
        place = mutation.file_of(f"skmetrics_ext/{folder}")
        assert set(place.rglob("*.py")) - mutation.LEFT_OUT <= changed
    for folder in ("kernels", "tallies", "metrics", "streaming", *whole[:-1]):
        assert f"tests/{folder}" in mutation.TESTS
