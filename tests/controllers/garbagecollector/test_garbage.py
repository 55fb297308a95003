from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster
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


def names(cluster: ControllerCluster) -> set[str]:
    return {found.name for found in cluster.store.list(CM) if found.namespace == "default"}


def delete(cluster: ControllerCluster, name: str, policy: str | None = None) -> None:
    cluster.client.delete(cluster.get(CM, name), policy=policy)
    cluster.run()


@pytest.fixture
def cluster() -> ControllerCluster:
    return ControllerCluster("garbagecollector")


def test_dependents_go_after_their_last_owner(cluster: ControllerCluster) -> None:
    one, other = cluster.create(a_map("one")), cluster.create(a_map("other"))
    cluster.create(a_map("child", one, other))
    delete(cluster, "one")
    (left,) = cluster.get(CM, "child").manifest["metadata"]["ownerReferences"]
    assert left["name"] == "other"
    delete(cluster, "other")
    assert names(cluster) == set()


def test_a_family_goes_from_its_head(cluster: ControllerCluster) -> None:
    head = cluster.create(a_map("head"))
    child = cluster.create(a_map("child", head))
    cluster.create(a_map("grandchild", child))
    delete(cluster, "head", "Background")
    assert names(cluster) == set()


def test_in_the_foreground_dependents_go_first(cluster: ControllerCluster) -> None:
    head = cluster.create(a_map("head"))
    held = a_map("held", head)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(held)
    cluster.create(a_map("free", head))
    delete(cluster, "head", "Foreground")
    assert names(cluster) == {"head", "held"}
    assert cluster.get(CM, "head").manifest["metadata"]["finalizers"] == ["foregroundDeletion"]
    document = cluster.get(CM, "held").render()
    del document["metadata"]["finalizers"]
    cluster.client.update(cluster.get(CM, "held"), document)
    cluster.run()
    assert names(cluster) == set()


def test_in_the_foreground_only_blocking_dependents_are_awaited(cluster: ControllerCluster) -> None:
    head = cluster.create(a_map("head"))
    held = a_map("held", head, blocks=False)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(held)
    delete(cluster, "head", "Foreground")
    assert names(cluster) == {"held"}
    assert cluster.get(CM, "held").deleted is not None


def test_orphans_stay_without_an_owner(cluster: ControllerCluster) -> None:
    head = cluster.create(a_map("head"))
    cluster.create(a_map("child", head))
    delete(cluster, "head", "Orphan")
    assert names(cluster) == {"child"}
    assert "ownerReferences" not in cluster.get(CM, "child").manifest["metadata"]


def test_an_object_whose_owner_never_was_goes(cluster: ControllerCluster) -> None:
    child = a_map("child")
    reference = {"apiVersion": "v1", "kind": CM, "name": "nobody", "uid": "1234"}
    child["metadata"]["ownerReferences"] = [reference]
    cluster.create(child)
    assert names(cluster) == set()


def test_an_owner_of_a_kind_that_is_not_served_is_taken_on_trust(cluster: ControllerCluster) -> None:
    cluster.context.serves = lambda api_version, kind: kind == CM
    child = a_map("child")
    child["metadata"]["ownerReferences"] = [{"apiVersion": "x.com/v1", "kind": "X", "name": "x", "uid": "1"}]
    cluster.create(child)
    assert names(cluster) == {"child"}


@settings(max_examples=15, deadline=None)
@given(
    owners=st.lists(st.sets(st.integers(0, 6), max_size=2), min_size=7, max_size=7),
    deletions=st.lists(st.tuples(st.integers(0, 6), st.sampled_from(POLICIES)), max_size=4),
)
def test_nothing_lives_whose_owners_are_all_gone_and_nothing_else_dies(
    owners: list[set[int]], deletions: list[tuple[int, str]]
) -> None:
    cluster = ControllerCluster("garbagecollector")
    made: list[Resource] = []
    for number, above in enumerate(owners):
        made.append(cluster.create(a_map(str(number), *(made[owner] for owner in sorted(above) if owner < number))))
    for number, policy in deletions:
        if str(number) in names(cluster):
            delete(cluster, str(number), policy)
    alive = names(cluster)
    for found in cluster.store.list(CM):
        references = found.manifest["metadata"].get("ownerReferences") or []
        assert found.deleted is None
        assert not references or any(reference["name"] in alive for reference in references)
    if not deletions:
        assert len(alive) == len(owners)
