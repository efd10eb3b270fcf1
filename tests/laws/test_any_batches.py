"""The law of doors for rows that come in parts: batches, merged tallies, frames and files.

However the rows are cut, and whatever the parts are kept in, the number is that of the plain
function of all rows.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.containers import containers_for
from support.frames import needs
from support.hostile import refused_for

import skmetrics_ext as sx

from .all_doors import BINARY_ROLES, known_classes, stream_of
from .doors import RESPONSES, call_of, draw_judge, draw_rows, options_of, orders_of
from .verdicts import Refused, as_expected, heard

# --------------------------------------------------------------------------- cuts


def cut(data, n_rows):
    """Parts of the rows, in any order; some lack a class."""
    order = np.array(data.draw(st.permutations(range(n_rows))))
    places = sorted(data.draw(st.sets(st.integers(1, n_rows - 1), max_size=3)))
    return np.split(order, places)


def batches(data, call):
    """The arguments of a call, cut and put in containers."""
    n_rows = len(call.arguments[call.of_rows[0]])
    found = []
    for rows in cut(data, n_rows):
        part = call.take(rows).arguments
        for name in call.of_rows:
            known = sorted(containers_for(call.kinds[name], part[name]).items())
            known = [put for title, put in known if title not in call.leaves_out]
            part[name] = data.draw(st.sampled_from(known))(part[name])
        found.append(part)
    return found


def right_of(asked):
    """The number of the function, which is told the classes where it has columns of scores.

    Parts refuse what hangs on the range of a whole column of scores, which none of them knows.
    """
    if len(asked.rows.classes) < asked.spec.least_classes:
        return Refused("pass a column for each class")
    own, options = asked.rows, options_of(asked)
    if asked.spec.response != "labels" and "labels" in asked.parameters:
        options["labels"] = list(own.classes)
    roles = {"y_true": "true", "response": RESPONSES[asked.spec.response]}
    arguments = call_of(dict, own, {**roles, "sample_weight": "weight"}).arguments

    def ask(y_true, response, sample_weight):
        return asked.spec.function(y_true, response, sample_weight=sample_weight, **options)

    return heard(ask, arguments)


def check(got, right, about):
    """Equality; where the function refuses, sums of parts may say nan."""
    undefined = isinstance(right, Refused) and isinstance(got, np.ndarray) and np.isnan(got).all()
    assert undefined or as_expected(got, right), f"{about}: {got}, right is {right}"


# --------------------------------------------------------------------------- streams


def streamed(streams, parts):
    """Numbers of batches that several streams take in turn."""
    for number, part in enumerate(parts):
        streams[number % len(streams)].update(**part)
    return streams[0].merge(*streams[1:]).compute()


@settings(max_examples=30)
@given(data=st.data())
def test_batches_in_any_container(data):
    asked = draw_judge(data)
    roles = {"y_true": "true", "y_score": RESPONSES[asked.spec.response]}
    call = call_of(dict, asked.rows, {**roles, "sample_weight": "weight"})
    parts = batches(data, replace(call, leaves_out=orders_of(asked.spec)))
    streams = [stream_of(asked) for _ in range(data.draw(st.integers(1, 2)))]
    check(heard(partial(streamed, streams, parts), {}), right_of(asked), str(asked))


def stream_doors(rows):
    """What each batch is given to, and the roles of its arguments."""
    told = known_classes(rows)
    empty = sx.tallies.ScoreSketch.from_edges([-0.4, 0.1, 0.6], **told)
    labels = {"y_true": "true", "y_pred": "pred", "sample_weight": "weight"}
    return {
        "RankTally": (partial(sx.tallies.RankTally.from_predictions, **told), BINARY_ROLES),
        "ScoreSketch": (empty.update, BINARY_ROLES),
        "ConfusionTally": (
            partial(sx.tallies.ConfusionTally.from_predictions, labels=list(rows.classes)),
            labels,
        ),
    }


@pytest.mark.parametrize("kind", ["RankTally", "ScoreSketch", "ConfusionTally"])
@given(data=st.data())
def test_tallies_of_batches_merge(kind, data):
    rows = draw_rows(data, binary=True)
    ask, roles = stream_doors(rows)[kind]
    call = call_of(ask, rows, roles)
    parts = batches(data, call)

    def merged():
        tallies = [ask(**part) for part in parts]
        return tallies[0].merge(*tallies[1:])

    check(heard(merged, {}), heard(ask, call.arguments), rows.classes)


@given(data=st.data())
def test_a_refused_batch_leaves_no_trace(data):
    asked = draw_judge(data)
    roles = {"y_true": "true", "y_score": RESPONSES[asked.spec.response]}
    call = call_of(dict, asked.rows, {**roles, "sample_weight": "weight"})
    stream = stream_of(asked)
    stream.update(**call.arguments)
    before = heard(stream.compute, {})
    name = data.draw(st.sampled_from(sorted(call.arguments)))
    wrong = refused_for(call.kinds[name], call.arguments[name])
    wrong.pop("no weight at all", None)
    what = data.draw(st.sampled_from(sorted(wrong)))
    got = heard(stream.update, {**call.arguments, name: wrong[what]})
    assert isinstance(got, Refused), (name, what, got)
    check(heard(stream.compute, {}), before, (str(asked), name, what))


# --------------------------------------------------------------------------- frames and files


def _pandas(columns, parts, folder):
    return pd.DataFrame(columns)


def _written(write, suffix):
    """Parts of the rows as files of a folder."""

    def put(columns, parts, folder):
        for number, rows in enumerate(parts):
            own = pd.DataFrame({name: values[rows] for name, values in columns.items()})
            getattr(own, write)(folder / f"part-{number}.{suffix}", index=False)
        return str(folder)

    return put


def _typed(dtypes):
    """A pandas frame whose columns are of other dtypes."""

    def put(columns, parts, folder):
        return dtypes(pd.DataFrame(columns))

    return put


def _falling(frame):
    """Classes whose declared order is not that of the columns of scores."""
    for name in {"true", "pred"} & set(frame):
        if frame[name].dtype.kind not in "iufb":  # numbers may be grades, of another order
            classes = sorted(set(frame[name]), reverse=True)
            frame[name] = pd.Categorical(frame[name], categories=classes, ordered=True)
    return frame


def _of_categories(frame):
    return frame.astype({name: "category" for name in ("true", "pred") if name in frame})


def _arrow(columns, parts, folder):
    return pa.table({name: values.tolist() for name, values in columns.items()})


def _reader(columns, parts, folder):
    return _arrow(columns, parts, folder).to_reader(max_chunksize=3)


def _polars(columns, parts, folder):
    return pl.DataFrame({name: values.tolist() for name, values in columns.items()})


def _relation(columns, parts, folder):
    import duckdb

    # Of the connection that stays: relations of DuckDB 1.1 keep no other open.
    return duckdb.from_df(pd.DataFrame(columns))


def _dask(columns, parts, folder):
    from dask import dataframe

    return dataframe.from_pandas(pd.DataFrame(columns), npartitions=len(parts), sort=False)


DATASETS = {
    "pandas": _pandas,
    "pandas, nullable": _typed(lambda frame: frame.convert_dtypes()),
    "pandas, Arrow-backed": _typed(lambda frame: frame.convert_dtypes(dtype_backend="pyarrow")),
    "pandas, categories": _typed(_of_categories),
    "pandas, ordered categories": _typed(_falling),
    "pandas, rows in another order of the index": _typed(
        lambda frame: frame.set_axis(range(len(frame))[::-1])
    ),
    "polars": _polars,
    "polars, lazy": lambda *about: _polars(*about).lazy(),
    "Arrow table": _arrow,
    "Arrow reader": _reader,
    "CSV": _written("to_csv", "csv"),
    "Parquet": _written("to_parquet", "parquet"),
    "DuckDB relation": _relation,
    "Dask": _dask,
}
ENGINES = {
    **dict.fromkeys(DATASETS, ("memory", "duckdb")),
    "DuckDB relation": ("duckdb",),
    "Dask": ("dask",),
}
PAIRS = [(name, engine) for name, engines in ENGINES.items() for engine in engines]


def columns_of(asked):
    """Columns of a question and the arguments that name them."""
    rows, response = asked.rows, asked.response()
    columns, roles = {"true": rows.y_true}, {"true": "true"}
    if response.ndim == 2:
        roles["score"] = {label: f"of {label}" for label in rows.classes}
        columns |= {f"of {label}": own for label, own in zip(rows.classes, response.T, strict=True)}
    else:
        role = "pred" if asked.spec.response == "labels" else "score"
        roles[role], columns[role] = role, response
    columns["weight"] = np.ones(len(rows)) if rows.weight is None else rows.weight
    return columns, {**roles, "weight": "weight"}


def evaluated(dataset, asked, roles, engine):
    found = sx.evaluate(
        dataset,
        **roles,
        metrics={"it": partial(asked.spec.function, **asked.options)},
        labels=list(asked.rows.classes),
        pos_label=asked.pos_label,
        engine=engine,
    )
    return [row.value for row in found]


@pytest.mark.parametrize(("kind", "engine"), PAIRS)
@settings(
    max_examples=2,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_data_set(kind, engine, tmp_path_factory, data):
    needs("duckdb" if kind == "DuckDB relation" else engine)
    asked = draw_judge(data)
    columns, roles = columns_of(asked)
    parts = cut(data, len(asked.rows))
    dataset = DATASETS[kind](columns, parts, tmp_path_factory.mktemp("rows"))
    got = heard(partial(evaluated, dataset, asked, roles, engine), {})
    check(got, right_of(asked), str(asked))
