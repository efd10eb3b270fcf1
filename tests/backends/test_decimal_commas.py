"""Numbers with decimal commas: what the file with points gives, or an error that names them."""

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pyarrow")
from support.command_line import main
from support.frames import needs

from skmetrics_ext import evaluate
from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.datasets import Use, load
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(5)
N = 40
Y = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "y": Y,
        "s": np.round((Y + 3 * RNG.random(N)) / 4, 2),
        "w": RNG.integers(1, 5, N) / 2,
        "site": np.where(RNG.random(N) < 0.5, "a", "b"),
        "dose": [f"{k // 3}.5" for k in range(N)],
    }
)
ASKED = {"true": "y", "score": "s", "weight": "w", "metrics": ["roc_auc", "brier_score"]}
SCORE = ["--true", "y", "--score", "s", "--weight", "w", "--metrics", "roc_auc", "brier_score"]
SAID = "numbers are read with decimal commas"


def commas(frame):
    """The text of numbers in each column, with commas."""
    text = frame.astype(str)
    return text.apply(lambda column: column.str.replace(".", ",", regex=False))


@pytest.fixture
def pair(tmp_path):
    """The same rows with points, and with commas."""
    FRAME.to_csv(tmp_path / "points.csv", index=False)
    commas(FRAME).to_csv(tmp_path / "commas.csv", index=False, sep=";")
    return str(tmp_path / "points.csv"), str(tmp_path / "commas.csv")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("name", "separator"), [("a.csv", ";"), ("a.tsv", "\t"), ("a.csv.gz", "|")]
)
def test_evaluate(tmp_path, engine, name, separator):
    needs(engine)
    commas(FRAME).to_csv(tmp_path / name, index=False, sep=separator)
    found = evaluate(tmp_path / name, by="site", engine=engine, **ASKED)
    FRAME.to_csv(tmp_path / "points.csv", index=False)
    wanted = evaluate(tmp_path / "points.csv", by="site", engine=engine, **ASKED)
    assert list(found) == list(wanted)


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_score(pair, capsys, stream):
    points, with_commas = pair
    told = []
    for path in (points, with_commas):
        assert main(["score", path, *SCORE, *stream, "--json", "--quiet"]) == 0
        told.append(capsys.readouterr())
    assert json.loads(told[1].out) == json.loads(told[0].out)
    assert SAID in told[1].err
    assert SAID not in told[0].err


def test_compare(pair, capsys):
    told = []
    for path in pair:
        options = ["--true", "y", "--score", "s", "--score", "w", "--metrics", "roc_auc"]
        assert main(["compare", path, *options, "--json", "--quiet"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


def test_features(pair):
    points, with_commas = (load(path, Use("y", weight="w")) for path in pair)
    pd.testing.assert_frame_equal(with_commas.X, points.X)
    np.testing.assert_array_equal(with_commas.weight, FRAME["w"])
    assert with_commas.notes == (SAID, *points.notes)
    assert with_commas.X["dose"].tolist() == FRAME["dose"].astype(float).tolist()


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["0,5", "1,25"], [0.5, 1.25]),
        (["1,000", "0,123"], [1.0, 0.123]),  # one of them cannot be thousands
        (["-,5", "+1,"], [-0.5, 1.0]),
        ([" 2,5e-1", "3"], [0.25, 3.0]),
        (["1,234", "7"], None),
        (["1,234", "567,890"], None),
    ],
)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_values(tmp_path, engine, values, numbers):
    """The hinge loss of two rows tells both numbers."""
    needs(engine)
    path = tmp_path / "a.csv"
    path.write_text(f"y;s\n0;{values[0]}\n1;{values[1]}\n")
    asked = {"true": "y", "score": "s", "metrics": ["hinge_loss"], "engine": engine}
    if numbers is None:
        with pytest.raises(InvalidParameterError, match=r"'s' holds '1,234' in line 2 .*thousands"):
            evaluate(path, **asked)
        return
    loss = (max(0, 1 + numbers[0]) + max(0, 1 - numbers[1])) / 2
    assert evaluate(path, **asked).value("hinge_loss") == pytest.approx(loss, rel=1e-15)


def test_what_is_told_decides(tmp_path, capsys):
    path = str(tmp_path / "a.csv")
    arguments = ["score", path, "--true", "y", "--score", "s", "--metrics", "hinge_loss", "--json"]
    (tmp_path / "a.csv").write_text('y,s\n0,"1,234"\n1,"0,5"\n')  # commas separate as well
    assert main(arguments) == 2
    assert "a decimal point is needed, not a comma; --decimal , reads" in capsys.readouterr().err
    assert main([*arguments, "--decimal", ","]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["value"] == pytest.approx(
        (2.234 + 0.5) / 2
    )
    (tmp_path / "a.csv").write_text("y;s\n0;1.234\n1;0.5\n")
    assert main([*arguments, "--decimal", ","]) == 2
    assert "'1.234' in line 2 of" in capsys.readouterr().err
    (tmp_path / "a.csv").write_text("y;s\n0;1,234\n1;0,5\n")
    assert main([*arguments, "--decimal", "."]) == 2
    assert "'1,234' in line 2 of" in capsys.readouterr().err


def test_two_signs_in_one_file_are_asked_about(tmp_path, capsys):
    path = tmp_path / "a.csv"
    content = commas(FRAME[["y", "s"]]).assign(dose=FRAME["dose"])
    content.to_csv(path, index=False, sep=";")
    assert main(["cv", "--data", str(path), "--target", "y", "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "Column 's' holds '0," in told
    assert "and column 'dose' '0.5' in line 2 of" in told
    assert "--decimal names the decimal separator" in told
    for sign, numbers in ((".", ["dose"]), (",", ["s"])):
        data = load(str(path), Use("y", form=TextForm(decimal=sign)))
        kinds = data.X.dtypes
        assert kinds.index[kinds == np.float64].tolist() == numbers


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_files_of_a_folder_agree(tmp_path, engine):
    needs(engine)
    (tmp_path / "a.csv").write_text("y;s\n0;1,250\n1;2\n")
    (tmp_path / "b.csv").write_text("y;s\n0;0,5\n1;0,25\n")
    asked = {"true": "y", "score": "s", "metrics": ["roc_auc"], "engine": engine}
    assert evaluate(tmp_path, **asked).value("roc_auc") == 0.5
    (tmp_path / "b.csv").write_text("y;s\n0;0.5\n1;0,25\n")
    with pytest.raises(InvalidParameterError, match=r"'s' holds '1,250' in line 2 of .*a\.csv"):
        evaluate(tmp_path, **asked)
