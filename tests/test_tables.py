"""Tables of results: what is read, printed and given to other libraries."""

import copy
import json
import pickle
from html.parser import HTMLParser

import pytest

from skmetrics_ext.formats import probability
from skmetrics_ext.results import Row, Table
from skmetrics_ext.tables import Shown

NAN = float("nan")
GIVEN = [
    {"model": "a|<b>", "n": 3, "low": 0.1, "high": 0.25, "p_value": 1e-9, "reason": "few rows"},
    {"model": "c_d & e", "n": 12, "low": NAN, "high": NAN, "p_value": NAN, "reason": None},
    {"model": "f", "n": 4, "low": 0.0, "high": 1.0, "p_value": 0.25, "reason": "few rows"},
]


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("80", 80), ("200", 100)])
def test_notes_are_wrapped_at_the_width_of_the_terminal(columns, width, monkeypatch):
    shown = Table([{"n": 1, "note": "word " * 60}])
    monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, str(shown).splitlines())) in range(width - 5, width + 1)


def test_a_row_is_a_mapping_with_attributes():
    row = Table(GIVEN)[0]
    assert row == GIVEN[0]
    assert (row.model, row["n"], dict(**row)["p_value"]) == ("a|<b>", 3, 1e-9)
    assert "p_value" in dir(row)
    with pytest.raises(AttributeError, match=r"no 'q'.*'model'"):
        _ = row.q
    assert getattr(row, "q", None) is None
    with pytest.raises(AttributeError):
        row.n = 4


def test_rows_are_a_list_of_mappings():
    rows = Table(GIVEN)
    assert rows == GIVEN
    assert [row.n for row in rows[1:]] == [12, 4]
    assert str(rows[1:]).splitlines()[0] == str(rows).splitlines()[0]
    assert rows[1:][0] is rows[1]
    assert json.loads(json.dumps(rows[2:])) == GIVEN[2:]
    for other in (copy.deepcopy(rows), pickle.loads(pickle.dumps(rows))):
        assert str(other) == str(rows)
        assert type(other[0]) is Row


def test_printed_as_an_aligned_table():
    assert str(Table(GIVEN)).splitlines() == [
        "model     n          interval  p_value  note",
        "-------  --  ----------------  -------  ----",
        "a|<b>     3  [0.1000, 0.2500]  < 0.001  [1]",
        "c_d & e  12",
        "f         4  [0.0000, 1.0000]    0.250  [1]",
        "",
        "[1] few rows",
    ]
    assert repr(Table(GIVEN)) == "<Table: 3 rows, 6 columns>"
    assert str(Table()) == "no rows"


def test_columns_are_chosen_and_formatted():
    columns = ["n", Shown("p", "p_value", probability), Shown("who", "model", is_text=True)]
    shown = Table(GIVEN, columns, lead=["of three"], notes=["end"], sentences=())
    assert str(shown).splitlines() == [
        "of three",
        " n        p  who",
        "--  -------  -------",
        " 3  < 0.001  a|<b>",
        "12           c_d & e",
        " 4    0.250  f",
        "",
        "end",
    ]


class _Cells(HTMLParser):
    """Texts of a page by their element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip() and self.open[-1] != "style":
            self.found.append((self.open[-1], data))


def test_html_holds_the_same_cells():
    rows = Table(GIVEN)
    cells = _Cells(rows._repr_html_()).found
    texts = [text for tag, text in cells if tag in ("th", "td")]
    assert texts == [*rows.header(), *(cell for row in rows.cells() for cell in row if cell)]
    assert cells[-1] == ("small", "[1] few rows")


def test_flat_names_rows_by_their_texts_and_counts():
    rows = Table(
        [
            {"model": "a/b (1)", "fold": 0, "value": 0.5, "n_rows": 3, "note": "few", "best": True},
            {"model": "a/b (1)", "fold": 1, "value": float("nan"), "n_rows": 4, "note": None},
            {"model": None, "fold": 1, "value": 0.25, "n_rows": 7},
            {"model": "a b 1", "fold": 0, "value": 1.0, "n_rows": 1},
        ]
    )
    assert rows.flat() == {
        "a_b_1/0/value": 0.5,
        "a_b_1/0/n_rows": 3.0,
        "a_b_1/1/n_rows": 4.0,
        "1/value": 0.25,
        "1/n_rows": 7.0,
        "a_b_1/0/2/value": 1.0,  # the second row of this name
        "a_b_1/0/2/n_rows": 1.0,
    }
    assert Table().flat() == {}


def test_html_file_holds_every_row_and_its_encoding(tmp_path):
    rows = Table([{"model": f"模型 {k}", "value": k / 100} for k in range(200)], notes=["± 1"])
    assert rows.to_html(tmp_path / "rows.html") is None
    page = (tmp_path / "rows.html").read_text(encoding="utf-8")
    assert page.startswith('<!doctype html><meta charset="utf-8">')
    assert rows.to_html() in page
    assert [text for tag, text in _Cells(rows.to_html()).found if tag == "td"][-1] == "1.9900"
    assert "more rows" not in page


def test_markdown_and_latex_escape_what_would_be_markup(tmp_path):
    assert Table(GIVEN).to_markdown(tmp_path / "rows.md") is None
    markdown = Table(GIVEN).to_markdown().splitlines()
    assert (tmp_path / "rows.md").read_text(encoding="utf-8").splitlines() == markdown
    assert markdown[1] == "| --- | ---: | ---: | ---: | --- |"
    assert markdown[2] == r"| a\|\<b> | 3 | [0.1000, 0.2500] | \< 0.001 | [1] |"
    assert markdown[3] == r"| c\_d & e | 12 |  |  |  |"
    latex = Table(GIVEN).to_latex().splitlines()
    assert latex[:2] == [r"\begin{tabular}{lrrrl}", r"\toprule"]
    assert r"c\_d \& e & 12 &  &  &  \\" in latex
    assert latex[4].startswith(r"a\textbar{}\textless{}b\textgreater{} & 3 & {[}0.1000, 0.2500{]}")
    assert latex[-1] == "{[}1{]} few rows"


def test_frames_hold_every_key():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = Table([*GIVEN, {"model": "g", "more": {"why": 2}}])
    frame = rows.frame()
    assert list(frame.columns) == [*GIVEN[0], "more"]
    assert frame["low"].isna().tolist() == [False, True, False, True]
    pandas.testing.assert_series_equal(frame["n"], pandas.Series([3.0, 12.0, 4.0, NAN], name="n"))
    other = rows.frame(backend="polars")
    assert isinstance(other, polars.DataFrame)
    assert other["more"].to_list() == [None, None, None, "why (2)"]
    with pytest.raises(ValueError, match="backend"):
        rows.frame(backend="excel")


def test_many_rows_are_printed_in_part():
    rows = Table({"n": n} for n in range(250))
    assert str(rows).splitlines()[-1] == "... and 150 more rows; frame() has all of them"
    assert len(rows.to_markdown().splitlines()) == 252
