"""The same values in memory as they come: views, records, other byte orders."""

import numpy as np


def records(values):
    """Of packed records, whose rows are three bytes further apart than they are long."""
    types = [("before", "u1"), ("own", values.dtype, values.shape[1:]), ("after", "u2")]
    packed = np.zeros(len(values), dtype=types)
    packed["own"] = values
    return packed["own"]


def misaligned(values):
    """At an odd address."""
    memory = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:]
    placed = memory.view(values.dtype).reshape(values.shape)
    placed[...] = values
    return placed


def read_only(values):
    copy = values.copy()
    copy.setflags(write=False)
    return copy


# Each keeps values and shape. Objects have no bytes that could be moved or swapped.
OF_OBJECTS = {
    "dense": np.ascontiguousarray,
    "reversed": lambda values: values[::-1].copy()[::-1],
    "every third": lambda values: np.repeat(values, 3, axis=0)[::3],
    "column of a matrix": lambda values: np.stack([values, values], axis=-1)[..., 1],
    "Fortran order": lambda values: np.asfortranarray(values),
    "records": records,
    "read only": read_only,
}
LAYOUTS = {
    **OF_OBJECTS,
    "misaligned": misaligned,
    "swapped bytes": lambda values: values.astype(values.dtype.newbyteorder()),
    "swapped records": lambda values: records(values.astype(values.dtype.newbyteorder())),
}


def layouts_of(values):
    return OF_OBJECTS if values.dtype.hasobject else LAYOUTS
