"""Charts of a page: where each mark stands, by hand, in units of the picture."""

import re

import numpy as np
import pytest

from skmetrics_ext.curve_tables.kinds import PrecisionRecall, Reliability, ReliabilityLine, Roc
from skmetrics_ext.curve_tables.lines import Line, LineTable, Reference
from skmetrics_ext.curve_tables.pictures import Picture, PictureLine, picture_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.report.page.charts import Dot, curve_chart, dot_chart, matrix_table

NAN = float("nan")
ROC, PR = Roc(), PrecisionRecall()


def texts_of(picture):
    found = re.findall(r'<text x="([^"]*)" y="([^"]*)" text-anchor="(\w+)"[^>]*>([^<]*)<', picture)
    return [(float(x), float(y), anchor, text) for x, y, anchor, text in found]


def paths_of(picture, look):
    return re.findall(rf'<path class="{look}" d="([^"]*)"/>', picture)


def ticks_of(picture):
    """Numbers below the axis; the values are right of their labels."""
    return [float(text) for _, _, anchor, text in texts_of(picture) if anchor == "middle"]


# --------------------------------------------------------------------------- dots


def test_dots_stand_where_their_numbers_are():
    """Labels end at 2 * 7.2 + 12 = 26.4; 0.175 is at 34.4, 0.725 at 420: 385.6 / 0.55 a unit."""
    dots = [Dot("aa", 0.3, 0.2, 0.5, [0.25, NAN, 0.4], train=0.6), Dot("b", 0.7, is_baseline=True)]
    picture = dot_chart(dots, "F1 <of two>")
    assert picture.startswith('<svg viewBox="0 0 440 96" role="img" aria-label="F1 &lt;of two&gt;"')
    assert texts_of(picture) == [
        (51.9, 84, "middle", "0.2"), (192.1, 84, "middle", "0.4"), (332.4, 84, "middle", "0.6"),
        (26.4, 28, "end", "aa"), (26.4, 56, "end", "b"),
    ]  # fmt: skip
    assert paths_of(picture, "grid") == ["M51.9 10V66", "M192.1 10V66", "M332.4 10V66"]
    assert paths_of(picture, "tick") == ["M87.0 19.0v10M192.1 19.0v10"]
    assert paths_of(picture, "range") == ["M51.9 24.0H262.3"]
    assert paths_of(picture, "train") == ["M332.4 18.0l5 6l-5 6l-5 -6z"]
    assert paths_of(picture, "chance") == ["M402.5 10V66"]
    circles = re.findall(r'<circle class="([^"]*)" cx="([^"]*)" cy="([^"]*)" r="5"/>', picture)
    assert circles == [("dot", "122.0", "24.0"), ("dot baseline", "402.5", "52.0")]
    assert re.findall("<title>(.*?)</title>", picture) == [
        "aa: 0.3000 [0.2000, 0.5000]",
        "b: 0.7000",
    ]


def test_a_long_label_has_lines_around_the_middle_of_its_row():
    """22 characters fit into 170 - 8; lines are 15 apart, and a row is as high as its label."""
    long = "a model with quite a long name of its own"
    dots = [Dot(long, 0.2), Dot("b", NAN, 0.1, 0.3), Dot("c", 0.3)]
    picture = dot_chart(dots, "title")
    assert texts_of(picture)[-5:] == [
        (170, 25.5, "end", "a model with quite a"),
        (170, 40.5, "end", "long name of its own"),
        (170, 66, "end", "b"),
        (182, 66, "start", "undefined"),
        (170, 94, "end", "c"),
    ]
    assert 'viewBox="0 0 440 134"' in picture
    three = dot_chart([Dot(f"{long} on and on", 0.5)], "title")
    assert [y for _, y, anchor, _ in texts_of(three) if anchor == "end"] == [25.5, 40.5, 55.5]


def test_nothing_to_draw_is_told():
    picture = dot_chart([Dot("a", NAN), Dot("b", float("inf"))], "title")
    assert 'viewBox="0 0 440 40"' in picture
    assert texts_of(picture) == [(8, 24, "start", "undefined")]
    assert texts_of(dot_chart([Dot("", 0.5)], "title"))[-1] == (12, 28, "end", "")


@pytest.mark.parametrize(
    ("base", "place"), [(0.5, (40, 84, "start", "← 0.5000")), (1.7, (428, 84, "end", "1.7000 →"))]
)
def test_a_far_baseline_is_written_at_the_edge(base, place):
    """Two dots 0.1 apart have a fifth of that as room; labels end at 4 * 7.2 + 12 = 40.8."""
    dots = [Dot("a", 0.8), Dot("b", 0.9), Dot("base", base, is_baseline=True)]
    found = texts_of(dot_chart(dots, "title"))
    ends = (52.8, *place[1:]) if base < 0.8 else place
    assert found[-1] == ends
    assert [text for *_, text in found[-4:-1]] == ["a", "b", "base"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0, 1], [0, 0.5, 1]),
        ([0, 10], [0, 5, 10]),
        ([0.1, 0.3], [0.1, 0.15, 0.2, 0.25, 0.3]),
        ([0.1, 0.19], [0.1, 0.12, 0.14, 0.16, 0.18]),
        ([-0.3, 0.3], [-0.2, 0, 0.2]),
        ([3, 48], [10, 20, 30, 40, 50]),
        ([250, 1900], [500, 1000, 1500]),
        ([50], [48, 49, 50, 51, 52]),
        ([-50], [-52, -51, -50, -49, -48]),
        ([0.5], [0.45, 0.5, 0.55]),
        ([0], [-0.04, -0.02, 0, 0.02, 0.04]),
        ([1e-9, 2e-9], [1e-9, 1.5e-9, 2e-9]),
        ([1e-15, 2e-15], [1e-15, 1.5e-15, 2e-15]),
    ],
)
def test_ticks_are_round_numbers_within_the_range(values, ticks):
    """The range has a twentieth of its width as room on both sides."""
    found = ticks_of(dot_chart([Dot("a", value) for value in values], "title"))
    assert found == pytest.approx(ticks, rel=1e-9, abs=0)


# --------------------------------------------------------------------------- curves

X, Y = np.array([0, 0.5, 1]), np.array([0, 0.75, 1])


def picture(*lines, shape="line", references=(), kind=ROC):
    return Picture(kind, lines, shape, "y <axis>", references, None, "", "", "", "", ())


def drawn(*lines, is_extra=False, **options):
    return curve_chart(picture(*lines, **options), is_extra=is_extra)


def line_of(name="a", place=0, part="", numbers=(), x=X, y=Y, **bounds):
    return PictureLine(name, numbers, x, y, part=part, place=place, **bounds)


def test_the_square_of_a_curve_chart_goes_from_0_to_1():
    """338 wide from 50, 294 high from 10."""
    shown = drawn(line_of(), references=[Reference("chance", [0, 1], [0, 1])])
    places = {0: (50, 304), 0.2: (117.6, 245.2), 0.4: (185.2, 186.4), 0.6: (252.8, 127.6),
              0.8: (320.4, 68.8), 1: (388, 10)}  # fmt: skip
    assert 'viewBox="0 0 400 350"' in shown
    assert paths_of(shown, "grid") == [
        f"M{x:.1f} 10v294M50 {y:.1f}h338" for x, y in places.values()
    ]
    labels = texts_of(shown)
    for text, (x, y) in places.items():
        assert (x, 322, "middle", str(text)) in labels
        assert (42, pytest.approx(y + 4), "end", str(text)) in labels
    assert labels[-2:] == [
        (219, 342, "middle", ROC.x_label),
        (14, 157, "middle", "y &lt;axis&gt;"),
    ]
    assert 'transform="rotate(-90 14 157.0)"' in shown
    assert paths_of(shown, "chance") == ["M50 304L388 10"]
    assert 'points="50.0,304.0 219.0,83.5 388.0,10.0"' in shown
    assert 'data-x="False positive rate (1 − specificity)" data-frame="50 10 338 294"' in shown
    assert "chance" not in drawn(line_of())
    assert "data-chart" not in drawn(line_of(), is_extra=True)


def test_bands_bars_and_folds_of_curves():
    bounds = {"low": Y - 0.25, "high": Y + 0.25}
    band = drawn(line_of(place=3, **bounds))
    below, above = "50.0,304.0 219.0,157.0 388.0,83.5", "388.0,10.0 219.0,10.0 50.0,230.5"
    assert f'<polygon class="band look-3" points="{below} {above}"/>' in band
    assert '<polyline class="line look-3" data-model="a"' in band
    bars = drawn(line_of(place=1, **bounds), shape="points")
    assert paths_of(bars, "bar look-1") == [
        "M50.0 304.0V230.5",
        "M219.0 157.0V10.0",
        "M388.0 83.5V10.0",
    ]
    assert re.findall(r'<circle cx="([^"]*)" cy="([^"]*)" r="3"/>', bars) == [
        ("50.0", "304.0"),
        ("219.0", "83.5"),
        ("388.0", "10.0"),
    ]
    assert "polygon" not in bars
    plain = drawn(line_of("each of 3 folds", 2, "fold"))
    assert '<polyline class="fold look-2" points=' in plain
    assert not re.search("<li|polygon|circle|data-model", plain)
    legend = drawn(line_of("m & n", 13, numbers=["AUC 0.7", "slope < 1"]))
    assert '<path class="line look-5" d="M0 4h28"/>' in legend
    assert "<span>m &amp; n <small>AUC 0.7, slope &lt; 1</small></span>" in legend
    both = drawn(*map(line_of, "aba"))
    assert 'aria-label="ROC of a, b"' in both


def test_points_of_the_same_pixel_are_drawn_once():
    """A pixel is 1/338 of the width and 1/294 of the height; both ends stay."""
    x = np.array([0, 0.001, 0.001, 0.5, 0.5005, 1, 1])
    y = np.array([0, 0, 0.5, 0.5, 0.5, 1, 1])
    kept = "50.0,304.0 50.3,157.0 219.0,157.0 388.0,10.0 388.0,10.0"
    assert f'points="{kept}"' in drawn(line_of(x=x, y=y))
    assert 'points="50.0,304.0 50.3,10.0"' in drawn(line_of(x=x[:2], y=np.array([-0.1, 3])))


def test_undefined_points_are_left_out_and_bands_hold_their_line():
    x, y = np.array([0, 0.5, 0.75, 1]), np.array([0, 0.5, NAN, 1])
    shown = drawn(line_of(x=x, y=y, low=np.full(4, 0.25), high=np.full(4, NAN)))
    assert 'points="50.0,304.0 219.0,157.0 388.0,10.0"' in shown
    low, high = "50.0,304.0 219.0,230.5 388.0,230.5", "388.0,10.0 219.0,157.0 50.0,304.0"
    assert f'points="{low} {high}"' in shown
    steps = drawn(line_of(x=X, y=Y), shape="steps")
    assert 'points="50.0,304.0 50.0,83.5 219.0,83.5 219.0,10.0 388.0,10.0"' in steps


# --------------------------------------------------------------------------- pictures of tables


def table_of(*lines, kind=ROC, positive=1):
    return LineTable(kind, lines, positive=positive)


def rates_of(kind, x, y, curve=1, **about):
    columns = {kind.x: np.array(x, float), kind.y: np.array(y, float)}
    columns |= {key: np.array(about.pop(key)) for key in ("std", "low", "high") if key in about}
    return Line(curve, columns, **about)


def test_a_picture_of_folds_has_a_band_of_one_deviation_around_their_mean():
    lines = [rates_of(ROC, [0, 1], [0, 1], fold=k) for k in range(2)]
    mean = rates_of(ROC, [0, 0.5, 1], [0, 0.5, 0.95], fold="mean", std=[0, 0.1, 0.1],
                    low=[0, 0, 0], high=[1, 1, 1], value=0.8,
                    interval=Estimate(0.8, 0.7, 0.9, 0.05, "t", 0.95))  # fmt: skip
    found = picture_of(table_of(*lines, mean), "m")
    assert [(line.name, line.part, line.place, line.numbers) for line in found.lines] == [
        ("each of 2 folds", "fold", 0, []),
        ("each of 2 folds", "fold", 0, []),
        ("m", "mean", 0, ["AUC 0.800 [0.700, 0.900]"]),
    ]
    assert found.lines[0].low is None
    np.testing.assert_allclose(found.lines[2].low, [0, 0.4, 0.85])
    np.testing.assert_allclose(found.lines[2].high, [0, 0.6, 1])
    assert found.references == [Reference("chance", [0, 1], [0, 1])]
    (chance,) = picture_of(table_of(rates_of(PR, [0, 1], [1, 0.25]),
                                    kind=PR)).references  # fmt: skip
    assert chance.y == [0.25, 0.25]


def test_pictures_of_several_curves_leave_their_folds_out():
    lines = [rates_of(ROC, [0, 1], [0, 1], k, fold=fold, value=0.5 + k / 10)
             for k in range(10) for fold in (0, None)]  # fmt: skip
    found = picture_of(table_of(*lines, positive=None), "m")
    assert [line.name for line in found.lines] == [f"class {k}" for k in range(10)]
    assert [line.place for line in found.lines] == [*range(10)]
    assert found.lines[0].numbers == ["AUC 0.500"]
    assert found.heading == "m"
    models = [rates_of(ROC, [0, 1], [0, 1], model=name) for name in "ab"]
    assert [line.name for line in picture_of(table_of(*models)).lines] == ["a", "b"]
    for curve, name in ((2, "m, class 2"), ("macro", "m, macro-average")):
        one = table_of(rates_of(ROC, [0, 1], [0, 1], curve), positive=None)
        assert picture_of(one, "m").lines[0].name == name


def test_bounds_of_bins_hold_their_rate():
    """Intervals of rates may leave out the rate itself; nan is no bound."""
    columns = {"mean_predicted": [0.2, NAN, 0.8], "observed_rate": [0.3, NAN, 0.9]}
    columns |= {"low": [0.2, NAN, NAN], "high": [0.25, NAN, NAN]}
    columns = {name: np.array(values) for name, values in columns.items()}

    class Bins:
        confidence_level = 0.9

    for error, numbers in ((0.0625, ["ECE 0.062", "slope 0.88, intercept 0.00"]), (NAN, [])):
        slope = 0.876 if numbers else NAN
        line = ReliabilityLine(1, columns, bins=Bins, error=error, slope=slope, intercept=-0.004)
        found = picture_of(table_of(line, kind=Reliability()), "m")
        (shown,) = found.lines
        assert (found.shape, shown.numbers) == ("points", numbers)
        assert found.band == "bars: 90 % interval of each bin"
        assert (shown.low.tolist(), shown.high.tolist()) == ([0.2, 0.9], [0.3, 0.9])


def test_cells_of_a_matrix_have_their_share_of_the_true_class():
    table = np.array([[3, 1, 0], [0, 0, 0], [0.5, 0, 1.5]])
    text = matrix_table(["<a>", "b", 3], table, "of <m>")
    assert '<table aria-label="of &lt;m&gt;">' in text
    cells = re.findall(
        r'class="cell (\w+)" style="--share:([^"]*)">([^<]*)<br><small>([^<]*)%', text
    )
    assert cells == [
        ("right", "0.750", "3", "75.0"), ("wrong", "0.250", "1", "25.0"),
        ("wrong", "0.000", "0", "0.0"), ("wrong", "0.000", "0", "0.0"),
        ("right", "0.000", "0", "0.0"), ("wrong", "0.000", "0", "0.0"),
        ("wrong", "0.250", "0.5", "25.0"), ("wrong", "0.000", "0", "0.0"),
        ("right", "0.750", "1.5", "75.0"),
    ]  # fmt: skip
    for scope in ("col", "row"):
        names = re.findall(f'<th scope="{scope}">([^<]*)</th>', text)
        assert names[-3:] == ["&lt;a&gt;", "b", "3"]
