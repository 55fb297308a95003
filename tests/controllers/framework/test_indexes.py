from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.controllers.framework.selectorindex import SelectorIndex

LABELS = st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["x", "y"]), max_size=2)
EXPRESSION = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["a", "b"]),
        "operator": st.sampled_from(["In", "NotIn"]),
        "values": st.lists(st.sampled_from(["x", "y"]), min_size=1, max_size=2, unique=True),
    }
)
SELECTOR = st.fixed_dictionaries({"matchLabels": LABELS, "matchExpressions": st.lists(EXPRESSION, max_size=2)})


@given(st.dictionaries(st.sampled_from(["p", "q", "r"]), SELECTOR), LABELS)
def test_selectors_are_found_by_the_labels_that_they_select(
    selectors: dict[str, dict[str, object]], labels: dict[str, str]
) -> None:
    index, parsed = SelectorIndex(), {name: LabelSelector.parse(raw) for name, raw in selectors.items()}
    for name, selector in parsed.items():
        index.put(("default", name), selector)
        index.put(("other", name), selector)
    found = sorted(name for _, name in index.matching("default", labels))
    assert found == sorted(name for name, selector in parsed.items() if selector.matches(labels))
    for name in parsed:
        index.drop(("default", name))
    assert not list(index.matching("default", labels))


def test_a_pod_with_very_many_labels_is_found_by_those_that_are_selected_by_in_their_order() -> None:
    index, labels = SelectorIndex(), {f"k{i}": "v" for i in range(5000)}
    for name, label in (("late", "k4999"), ("early", "k7"), ("none", "k5000")):
        index.put(("default", name), LabelSelector.parse({"matchLabels": {label: "v"}}))
    index.put(("default", "other value"), LabelSelector.parse({"matchLabels": {"k8": "w"}}))
    assert [name for _, name in index.matching("default", labels)] == ["early", "late"]


class Follower:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def added(self, new: object) -> None:
        self.told.append("added")

    def modified(self, old: object, new: object) -> None:
        self.told.append("modified")

    def deleted(self, old: object) -> None:
        self.told.append("deleted")


def test_an_owner_is_told_of_its_pods_and_of_those_only() -> None:
    cluster, follower, orphans = ControllerCluster("none"), Follower(), []
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
    mine = pod_manifest("mine")
    mine["metadata"]["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    cluster.create(mine)
    cluster.context.pods.follow("1", follower)
    cluster.context.pods.follow_orphans(lambda pod: orphans.append(pod.name))
    cluster.create(pod_manifest("other"))
    cluster.start()
    assert (follower.told, orphans) == (["added", "modified"], ["other"])
    present = cluster.get("Pod", "mine")
    document = present.render()
    del document["metadata"]["ownerReferences"]
    cluster.client.update(present, document)
    assert (follower.told[2:], orphans) == (["deleted"], ["other", "mine"])
    assert not cluster.context.pods.of("1")
    assert {pod.name for pod in cluster.context.pods.orphans("default")} == {"mine", "other"}
