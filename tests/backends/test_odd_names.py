"""Names of columns that SQL, Spark, polars or a file format could take for something else."""

from functools import cache
from itertools import cycle

import numpy as np
import pytest
from support.frames import binary_frame

from skmetrics_ext import evaluate

ODD = (
    "a.b", "a`b", "``", "*", "a.*", " a b ", "^true$", "^.*$", 'say "x"', "it's", "a[0]", "a;--b",
    "{}", "%s", "\\n", "c0", "k0", "select", "part", "grp", "data", "Größe", "年", "a\nb", "a,b",
    "#", "$1", ":x", "?", "a/b", "-1", "0", "true.true",
)  # fmt: skip
ROLES = ("true", "score", "pred", "group", "weight", "patient")


def renamed():
    """A frame under odd names, five at a time, and the names by their role."""
    frame = binary_frame(120)
    frame = frame.assign(patient=np.arange(120) // 2)[list(ROLES)]
    taken = cycle(ODD)
    for _ in range(-(-len(ODD) // len(ROLES))):
        names = dict(zip(ROLES, taken, strict=False))
        yield frame.rename(columns=names), names


def asked(names):
    return {
        "true": names["true"],
        "score": names["score"],
        "pred": names["pred"],
        "by": [names["group"]],
        "weight": names["weight"],
        "metrics": ["roc_auc", "log_loss", "f1"],
    }


def values(dataset, names, **options):
    found = evaluate(dataset, **asked(names), **options)
    clustered = evaluate(
        dataset,
        true=names["true"],
        score=names["score"],
        groups=names["patient"],
        intervals=True,
        metrics=["roc_auc"],
        **options,
    )
    bins = evaluate(
        dataset,
        true=names["true"],
        pred=names["pred"],
        by=names["score"],
        bins={names["score"]: [0.5]},
        metrics=["accuracy"],
        **options,
    )
    rows = [row for table in (found, clustered, bins) for row in table]
    return [(row.value, row.get("low", np.nan)) for row in rows]


@cache
def expected():
    """The values under plain names."""
    frame = binary_frame(120).assign(patient=np.arange(120) // 2)
    return values(frame, dict(zip(ROLES, ROLES, strict=True)), engine="memory")


def same(names, dataset, **options):
    np.testing.assert_allclose(values(dataset, names, **options), expected(), rtol=1e-9)


def containers(frame, folder):
    """The frame as each library and file has it."""
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    parquet, csv = folder / "rows.parquet", folder / "rows.csv"
    frame.to_parquet(parquet)
    frame.to_csv(csv, index=False)
    table = pyarrow.Table.from_pandas(frame)
    return {
        "frame": frame,
        "table": table,
        "scanned": pyarrow.dataset.dataset(parquet),
        "polars": polars.from_pandas(frame),
        "lazy": polars.from_pandas(frame).lazy(),
        "scanned lazily": polars.scan_parquet(parquet),
        "parquet": parquet,
        "csv": csv,
    }


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_containers_and_files(engine, tmp_path):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow.dataset")
    step = 4 if engine == "duckdb" else 1  # which takes a while to open a data set
    for turn, (frame, names) in enumerate(renamed()):
        chosen = list(containers(frame, tmp_path).items())[turn % step :: step]
        for name, dataset in chosen:
            try:
                same(names, dataset, engine=engine)
            except Exception as error:
                raise AssertionError(f"{name}: {names}") from error


def test_relations():
    duckdb = pytest.importorskip("duckdb")
    for frame, names in renamed():
        same(names, duckdb.connect().from_df(frame))


def test_dask():
    dd = pytest.importorskip("dask.dataframe")
    for frame, names in renamed():
        same(names, dd.from_pandas(frame, npartitions=3))
