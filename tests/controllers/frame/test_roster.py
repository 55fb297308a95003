from __future__ import annotations

import importlib

import pytest

from wavetank.controllers.framework.descriptors import CONTROLLERS, all_names, read_names
from wavetank.errors import InputError

REPLICA_SETS = "replicaset-controller"


@pytest.mark.parametrize(
    ("given", "names"),
    [
        pytest.param("*", all_names(), id="all"),
        pytest.param(["*"], all_names(), id="all, in a list"),
        pytest.param("none", set(), id="none"),
        pytest.param("replicaset-controller", {REPLICA_SETS}, id="only one"),
        pytest.param("replicaset", {REPLICA_SETS}, id="its older name"),
        pytest.param("*,-replicaset-controller", all_names() - {REPLICA_SETS}, id="all but one"),
        pytest.param(["-replicaset", "*", "replicaset"], all_names() - {REPLICA_SETS}, id="the first word counts"),
        pytest.param("-replicaset", set(), id="the others are off without a star"),
        pytest.param("", set(), id="nobody named"),
    ],
)
def test_which_controllers_are_on(given: object, names: set[str]) -> None:
    assert read_names(given) == names


def test_an_unknown_controller_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean replicaset-controller"):
        read_names("replicaset-contoller")
    with pytest.raises(InputError, match="expected a list"):
        read_names({"a": 1})


@pytest.mark.parametrize("name", CONTROLLERS)
def test_every_post_names_a_controller_that_is_there(name: str) -> None:
    module, _, cls = CONTROLLERS[name].where.partition(":")
    assert hasattr(importlib.import_module(f"wavetank.controllers.{module}"), cls)
