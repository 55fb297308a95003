from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.worlds import World
from wavetank.cluster.objects.resource import Resource

CM = "ConfigMap"
POLICIES = ("Background", "Foreground", "Orphan")


def a_map(name: str, *owners: Resource, blocks: bool = True) -> dict[str, Any]:
    references = [
        {"apiVersion": "v1", "kind": CM, "name": owner.name, "uid": owner.uid, "blockOwnerDeletion": blocks}
        for owner in owners
    ]
    metadata = {"name": name, "namespace": "default", **({"ownerReferences": references} if references else {})}
    return {"apiVersion": "v1", "kind": CM, "metadata": metadata}


def names(world: World) -> set[str]:
    return {found.name for found in world.store.list(CM) if found.namespace == "default"}


def delete(world: World, name: str, policy: str | None = None) -> None:
    world.client.delete(world.get(CM, name), policy=policy)
    world.settle()


@pytest.fixture
def world() -> World:
    return World("garbagecollector")


def test_dependents_go_after_their_last_owner(world: World) -> None:
    one, other = world.create(a_map("one")), world.create(a_map("other"))
    world.create(a_map("child", one, other))
    delete(world, "one")
    (left,) = world.get(CM, "child").manifest["metadata"]["ownerReferences"]
    assert left["name"] == "other"
    delete(world, "other")
    assert names(world) == set()


def test_a_family_goes_from_its_head(world: World) -> None:
    head = world.create(a_map("head"))
    child = world.create(a_map("child", head))
    world.create(a_map("grandchild", child))
    delete(world, "head", "Background")
    assert names(world) == set()


def test_in_the_foreground_dependents_go_first(world: World) -> None:
    head = world.create(a_map("head"))
    held = a_map("held", head)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world.create(held)
    world.create(a_map("free", head))
    delete(world, "head", "Foreground")
    assert names(world) == {"head", "held"}
    assert world.get(CM, "head").manifest["metadata"]["finalizers"] == ["foregroundDeletion"]
    document = world.get(CM, "held").render()
    del document["metadata"]["finalizers"]
    world.client.update(world.get(CM, "held"), document)
    world.settle()
    assert names(world) == set()


def test_in_the_foreground_nobody_waits_for_those_who_do_not_block(world: World) -> None:
    head = world.create(a_map("head"))
    held = a_map("held", head, blocks=False)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world.create(held)
    delete(world, "head", "Foreground")
    assert names(world) == {"held"}
    assert world.get(CM, "held").deleted is not None


def test_orphans_stay_without_an_owner(world: World) -> None:
    head = world.create(a_map("head"))
    world.create(a_map("child", head))
    delete(world, "head", "Orphan")
    assert names(world) == {"child"}
    assert "ownerReferences" not in world.get(CM, "child").manifest["metadata"]


def test_an_object_whose_owner_never_was_goes(world: World) -> None:
    child = a_map("child")
    reference = {"apiVersion": "v1", "kind": CM, "name": "nobody", "uid": "1234"}
    child["metadata"]["ownerReferences"] = [reference]
    world.create(child)
    assert names(world) == set()


def test_an_owner_of_a_kind_that_is_not_served_is_taken_on_trust(world: World) -> None:
    world.context.serves = lambda api_version, kind: kind == CM
    child = a_map("child")
    child["metadata"]["ownerReferences"] = [{"apiVersion": "x.com/v1", "kind": "X", "name": "x", "uid": "1"}]
    world.create(child)
    assert names(world) == {"child"}


@settings(max_examples=15, deadline=None)
@given(
    owners=st.lists(st.sets(st.integers(0, 6), max_size=2), min_size=7, max_size=7),
    deletions=st.lists(st.tuples(st.integers(0, 6), st.sampled_from(POLICIES)), max_size=4),
)
def test_nothing_lives_whose_owners_are_all_gone_and_nothing_else_dies(
    owners: list[set[int]], deletions: list[tuple[int, str]]
) -> None:
    world = World("garbagecollector")
    made: list[Resource] = []
    for number, above in enumerate(owners):
        made.append(world.create(a_map(str(number), *(made[owner] for owner in sorted(above) if owner < number))))
    for number, policy in deletions:
        if str(number) in names(world):
            delete(world, str(number), policy)
    alive = names(world)
    for found in world.store.list(CM):
        references = found.manifest["metadata"].get("ownerReferences") or []
        assert found.deleted is None
        assert not references or any(reference["name"] in alive for reference in references)
    if not deletions:
        assert len(alive) == len(owners)
