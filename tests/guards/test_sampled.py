"""The cases of a sampled test that always run lie on a diagonal of its lists of parameters."""

from itertools import product

import pytest
from support.sampling import places_of

WAYS, NAMES = ("call", "scorer", "page"), ("f1", "kappa", "recall", "brier")


def test_places_by_hand():
    rows = [("f1", "labels"), ("brier", "scores")]
    cases = [{"way": w, "name": n, "response": r} for w, (n, r) in product(WAYS, rows)]
    assert places_of(cases) == [0, 1, 1, 2, 2, 3]  # a name and its response are one list


@pytest.mark.parametrize("start", range(3))
def test_each_value_is_met(start):
    cases = [{"way": way, "name": name} for name, way in product(NAMES, WAYS)]
    places = places_of(cases)
    kept = [case for case, place in zip(cases, places, strict=True) if (start + place) % 3 == 0]
    assert len(kept) == 4
    assert {case["name"] for case in kept} == set(NAMES)
    assert {case["way"] for case in kept} == set(WAYS)
