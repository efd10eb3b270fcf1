"""The law of doors: in what a column is passed does not count, and what is wrong is refused.

Every door gives the number of the plain arrays, or an error of ours that names the argument.
"""

import inspect

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.containers import containers_for
from support.hostile import NO_MARKS, refused_for
from support.public import CALLED

from skmetrics_ext import accuracy_score

from .all_doors import DOORS
from .doors import Call
from .verdicts import Crashed, Refused, as_expected, check, heard

# An example asks about every container, or about everything that is wrong; shrinking one is slow.
once = settings(max_examples=1, phases=(Phase.explicit, Phase.generate))
few = settings(max_examples=2, phases=(Phase.explicit, Phase.generate))
STRIDES = st.integers(0, 60)
every_door = pytest.mark.parametrize("door", DOORS)

# --------------------------------------------------------------------------- any container


def tables_of(call):
    """Of each argument the containers that can hold it: a list of names and of what puts it in."""
    found = {}
    for name, values in call.arguments.items():
        own = containers_for(call.kinds[name], values)
        found[name] = sorted(item for item in own.items() if item[0] not in call.leaves_out)
    return found


def together(tables, stride, most):
    """The containers of every argument in turn, each with others of the other arguments."""
    n_turns = max(map(len, tables.values()))
    for turn in range(stride, stride + min(most or n_turns, n_turns)):
        yield {
            name: table[turn * (1 + stride * place) % len(table)]
            for place, (name, table) in enumerate(tables.items())
        }


def contained(call, chosen):
    """The arguments of a call, some of them in containers."""
    own = {name: put(call.arguments[name]) for name, (_, put) in chosen.items()}
    return {**call.arguments, **own}


def wrong_containers(call, stride, most=None):
    """Answers that differ from that of plain arrays, if possible by a single container.

    ``stride`` pairs the containers of the arguments in another way; ``most`` are asked about.
    """
    right = heard(call.ask, call.arguments)
    if isinstance(right, Crashed):
        return [f"plain arrays: {right}"]
    found = {}
    for chosen in together(tables_of(call), stride, most):
        got = heard(call.ask, contained(call, chosen))
        if as_expected(got, right):
            continue
        alone = [{name: own} for name, own in chosen.items()]
        for some in (*alone, chosen):
            got = heard(call.ask, contained(call, some))
            if not as_expected(got, right):
                titles = ", ".join(f"{name} as {title}" for name, (title, _) in some.items())
                found[titles] = f"{titles}: {got}, right is {right}"
                break
    return list(found.values())


@pytest.mark.sampled(6)
@every_door
@few
@given(data=st.data())
def test_any_container(door, data):
    call = DOORS[door](data)
    check(wrong_containers(call, data.draw(STRIDES), most=14), call.about)


@pytest.mark.slow
@pytest.mark.sampled(8)
@every_door
@few
@given(data=st.data())
def test_any_container_of_many_rows(door, data):
    call = DOORS[door](data)
    check(wrong_containers(call, data.draw(STRIDES)), call.about)


# --------------------------------------------------------------------------- masks


def masked(call, name, rows, stray):
    """The call with further rows, which a mask of one argument hides."""
    n_rows = len(call.arguments[name])
    places = np.insert(np.arange(n_rows), rows, stray)
    longer = call.take(places).arguments
    mask = np.isin(np.arange(len(places)), rows + np.arange(len(rows)))
    values = longer[name]
    if values.ndim == 2:
        mask = np.repeat(mask[:, None], values.shape[1], axis=1)
    return {**longer, name: np.ma.MaskedArray(values, mask)}


def wrong_masks(call, rows, stray):
    right = heard(call.ask, call.arguments)
    found = []
    for name in call.of_rows:
        got = heard(call.ask, masked(call, name, rows, stray))
        refused = isinstance(got, Refused) and got.names(call.told(name))
        if not as_expected(got, right) and not refused:
            found.append(f"{name} with masked rows: {got}, right is {right}")
    return found


@pytest.mark.sampled(6)
@every_door
@few
@given(data=st.data())
def test_masked_rows_are_not_there(door, data):
    call = DOORS[door](data)
    if not call.rows_may_go:
        return
    last = len(call.arguments[call.of_rows[0]]) - 1
    rows = np.array(sorted(data.draw(st.lists(st.integers(0, last), min_size=1, max_size=3))))
    check(wrong_masks(call, rows, data.draw(st.integers(0, last))), call.about)


# --------------------------------------------------------------------------- what is wrong

# By door: what may be answered there, and why.
ANSWERED = {
    "MomentTally": ("nine columns", "no weight at all"),  # several values of each row
    # Of some of the rows, where others may have some.
    # The area under a curve that is undefined somewhere is nan.
    "auc": (
        "nothing but nan",
        "nan among",
        "nan in a list",
        "infinity among",
        "minus infinity among",
    ),
    # Whose true labels are grades, of any number.
    **dict.fromkeys(
        [f"{way} {name}_score" for way in ("metric", "scorer of") for name in ("dcg", "ndcg")],
        tuple(NO_MARKS),
    ),
    **dict.fromkeys(
        ("Accumulator", "ConfusionTally", "RankTally", "ScoreSketch"), ("no weight at all",)
    ),
}


def wrong_refusals(call, answered=()):
    """What is wrong with an argument and was answered, or refused without its name."""
    right = heard(call.ask, call.arguments)
    if not isinstance(right, np.ndarray) or not right.size:
        return [f"plain arrays: {right}"]
    found = []
    for name, values in call.arguments.items():
        for what, hostile in refused_for(call.kinds[name], values).items():
            got = heard(call.ask, {**call.arguments, name: hostile})
            if what in answered and isinstance(got, np.ndarray):
                continue
            if not (isinstance(got, Refused) and got.names(call.told(name))):
                found.append(f"{name}, {what}: {got}")
    return found


@pytest.mark.sampled(6)
@every_door
@once
@given(data=st.data())
def test_what_is_wrong_is_refused_by_name(door, data):
    call = DOORS[door](data)
    check(wrong_refusals(call, ANSWERED.get(door, ())), call.about)


# --------------------------------------------------------------------------- no formality


def of_accuracy(ask):
    y_true, y_pred = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    kinds = {"y_true": "labels", "y_pred": "labels"}
    return Call(ask, {"y_true": y_true, "y_pred": y_pred}, kinds)


def share_right(y_true, y_pred):
    """What reads labels without a door."""
    return np.mean(np.asarray(y_true) == np.asarray(y_pred))


def test_what_reads_without_a_door_is_seen():
    call = of_accuracy(share_right)
    assert not wrong_containers(of_accuracy(accuracy_score), 0)
    assert not wrong_refusals(of_accuracy(accuracy_score))
    assert any("masked" in wrong for wrong in wrong_masks(call, np.array([0]), 2))
    assert any("on a device: crashes" in wrong for wrong in wrong_containers(call, 0))
    assert any("y_true, one row less: crashes" in wrong for wrong in wrong_refusals(call))
    assert any("y_pred, numbers beside text: [" in wrong for wrong in wrong_refusals(call))


# They fit models, whose rows are those of the report; take a dict of models; are asked as a metric.
OTHERS = {"nested_cv_interval", "search_report", "leaderboard", "integrated_calibration_index"}
OTHERS |= {"prediction_set_coverage", "prediction_set_size"}  # sets of labels


def test_every_function_of_rows_is_a_door():
    taken = {door.removeprefix("metric ") for door in DOORS}
    public = {name: thing for name, thing in CALLED.items() if inspect.isfunction(thing)}
    rows = {
        name
        for name, function in public.items()
        if {"y_true", "y", "labels_a"} & inspect.signature(function).parameters.keys()
    }
    assert rows - taken == OTHERS
