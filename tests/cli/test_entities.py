"""A column within whose values other columns never change is an entity: its rows repeat."""

import numpy as np
import pytest
from sklearn import datasets
from support.command_line import main

from skmetrics_ext.datasets import Use, load

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(5)
WHO = np.repeat(RNG.permutation(140) + 17, 5)
ROWS = RNG.permutation(700)


def customers(n_constant=6, **more):
    """700 rows of 140 customers, with a random label for each customer."""
    of_customer = {f"x{k}": RNG.normal(size=200)[WHO] for k in range(1, n_constant + 1)}
    columns = {**of_customer, "customer": WHO, "noise": RNG.normal(size=700), **more}
    return pandas.DataFrame({**columns, "target": RNG.integers(0, 2, 200)[WHO]}).iloc[ROWS]


def lines(frame, path, **use):
    """Lines about entities when a frame is loaded from a file."""
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return [line for line in load(str(path), Use(**use)).warnings if "never change" in line]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", [int, float, "C{}".format], ids=["int", "float", "text"])
def test_an_entity_is_found_whatever_its_type(kind, ending, tmp_path):
    frame = customers()
    frame["customer"] = [kind(value) for value in frame["customer"]]
    (line,) = lines(frame, tmp_path / f"a.{ending}")
    assert line == (
        "x1, x2, x3, x4, x5, x6 never change within customer (140 values in 700 rows): rows of "
        "one customer repeat; pass --groups customer"
    )


def test_groups_that_hold_the_entity_keep_it_silent(tmp_path):
    frame = customers(household=WHO // 2, ward=RNG.integers(0, 9, 700))
    path = tmp_path / "a.csv"
    assert lines(frame, path, groups="customer") == []
    assert lines(frame, path, groups="household") == []
    (line,) = lines(frame, path, groups="ward")
    assert "--groups customer" in line


def twice(values):
    return 2 * values + 1


@pytest.mark.parametrize(
    ("frame", "n_lines"),
    [
        (customers(3), 1),
        (customers(2), 0),
        # few values, or a recoding of another column, does not count
        (customers(2, few=WHO % 9), 0),
        (customers(2, coded=twice(WHO)), 0),
        (customers(2, coded=-WHO), 0),
        (customers(2, name=[f"n{n}" for n in WHO]), 0),
        (customers(2, band=WHO // 4), 1),
        (customers(3).assign(x3=lambda frame: twice(frame["x1"])), 0),
        (customers(3).assign(x3=lambda frame: frame["x1"] ** 3), 0),
        # changes
        (customers(3).assign(x3=lambda f: f["x3"] + f["noise"] * (f["noise"] > -1)), 0),
        # most rows have a value of their own
        (customers().assign(customer=np.r_[np.arange(400), np.repeat(500, 300)]), 1),
    ],
)  # fmt: skip
def test_the_rule(frame, n_lines, tmp_path):
    assert len(lines(frame, tmp_path / "a.csv")) == n_lines


def test_without_a_column_of_names_a_measurement_is_named(tmp_path):
    (line,) = lines(customers().drop(columns="customer"), tmp_path / "a.csv")
    assert "pass --groups x1" in line


def test_less_than_twenty_values_are_no_entity(tmp_path):
    for n_values, n_lines in ((19, 0), (20, 1)):
        who = np.arange(400) % n_values
        frame = pandas.DataFrame({f"x{k}": RNG.normal(size=20)[who] for k in range(3)})
        frame = frame.assign(who=who, target=RNG.integers(0, 2, 400))
        assert len(lines(frame, tmp_path / "a.csv")) == n_lines


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_data_of_scikit_learn_have_none(name, tmp_path):
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    assert lines(frame, tmp_path / "a.csv") == []


@pytest.mark.parametrize("command", ["cv", "search"])
def test_commands_say_so_on_a_line_and_on_the_page(command, tmp_path, capsys):
    path, page = tmp_path / "a.csv", tmp_path / "page.html"
    customers().to_csv(path, index=False)
    asked = [command, str(path), "--models", "tree", "--quiet", "--html", str(page)]
    said = "never change within customer (140 values in 700 rows)"
    assert main(asked) == 0
    assert said in capsys.readouterr().err
    assert said in page.read_text("utf-8")
    assert main([*asked, "--groups", "customer"]) == 0
    assert "never change" not in capsys.readouterr().err


def test_repeated_rows_are_a_line_and_a_finding(tmp_path, capsys):
    path, page = tmp_path / "a.csv", tmp_path / "page.html"
    frame = customers().drop(columns=["customer", "noise"])
    frame.to_csv(path, index=False)
    asked = [str(path), "--models", "tree", "--quiet", "--html", str(page)]
    said = "of 700) have the same features as a training row"
    for command in ("cv", "search"):
        assert main([command, *asked]) == 0
        assert said in "".join(capsys.readouterr())
        assert said in page.read_text("utf-8")
