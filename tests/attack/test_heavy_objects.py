"""Heavy objects are made of any list or map of any kind, and are about as large as asked for."""

from __future__ import annotations

import json
from random import Random

import pytest

from tests.attack.heavyobjects import heavy_object, places

SIZE = 20_000


def test_every_list_and_map_of_a_pod_is_a_place() -> None:
    names = {place.name for place in places()}
    assert {
        "Pod metadata.labels",
        "Pod spec.containers",
        "Pod spec.containers.0.env",
        "Pod spec.tolerations",
        "Deployment spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "ClusterRole rules",
    } <= names


@pytest.mark.parametrize("seed", range(20))
def test_an_object_is_as_large_as_asked_for(seed: int) -> None:
    _, document = heavy_object(Random(seed), SIZE)
    small = len(json.dumps(document))
    assert SIZE // 2 < small < 2 * SIZE


def test_items_have_names_of_their_own_or_are_alike() -> None:
    place = next(each for each in places() if each.name == "Pod spec.containers")
    names, alike = ([each["name"] for each in place.filled(SIZE, same)["spec"]["containers"]] for same in (False, True))
    assert len(set(names)) == len(names) > 10
    assert len(set(alike)) == 1
