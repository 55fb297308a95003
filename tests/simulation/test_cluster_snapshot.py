"""The snapshot on which node autoscalers try things."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.support.objects import SPECS, ZONE, node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.clustersnapshot import Removal
from wavetank.controllers.framework.pods import unbound
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams
from wavetank.simulation.scaling.clustersnapshot import SchedulerSnapshot

NAMES = [f"n{number}" for number in range(6)]
SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
]


def a_snapshot(pods: dict[str, str]) -> tuple[Store, SchedulerSnapshot]:
    """Returns nodes of 4 CPUs in a store and a snapshot of it; pods by name with the node they are on."""
    store = Store(Clock())
    snapshot = SchedulerSnapshot(ActorContext(store, Streams(0), (1, 35)), -10, Random(0))
    for number, name in enumerate(NAMES):
        store.create(Node(node_manifest(name, zone="ab"[number % 2])))
    for name, node in pods.items():
        store.create(a_pod(name, node))
    snapshot.refresh()
    return store, snapshot


def a_pod(name: str, node: str = "", **fields: object) -> Pod:
    return Pod.parse(pod_manifest(name, node, labels={"app": "a"}, **fields), SPECS)  # type: ignore[arg-type]


def simulate(snapshot: SchedulerSnapshot, node: str, among: set[str]) -> Removal | None:
    """Moves the pods of a node, one by one; returns the removal if all fit elsewhere."""
    stamp, pods, moves = snapshot.stamp(node), snapshot.pods_on(node), []
    snapshot.fork()
    snapshot.remove_node(node)
    for pod in pods:
        found = snapshot.find_node(unbound(pod), among)
        if not found:
            snapshot.revert()
            return None
        snapshot.add_pod(unbound(pod), found)
        moves.append((pod, found))
    snapshot.commit()
    return snapshot.note_removal(node, stamp, moves)


def fits(snapshot: SchedulerSnapshot, pod: Pod) -> list[bool]:
    return [snapshot.misfit(pod, name) is None for name in NAMES[2:]]


placements = st.lists(st.sampled_from(NAMES), max_size=14).map(
    lambda nodes: {f"p{number}": node for number, node in enumerate(nodes)}
)


@given(placements)
def test_a_repeated_removal_leaves_as_much_free_as_one_pod_by_pod(pods: dict[str, str]) -> None:
    _, snapshot = a_snapshot(pods)
    snapshot.fork()
    noted = [simulate(snapshot, node, set(NAMES[2:])) for node in NAMES[:2]]
    removals = [each for each in noted if each is not None]
    new = [a_pod("new", cpu=str(cpu)) for cpu in range(1, 5)]
    after = [fits(snapshot, pod) for pod in new]
    snapshot.revert()
    before = [fits(snapshot, pod) for pod in new]

    snapshot.fork()
    assert snapshot.repeat_removals(removals) == [True] * len(removals)
    assert [fits(snapshot, pod) for pod in new] == after
    moved = sorted(pod.name for name in NAMES[2:] for pod in snapshot.pods_on(name))
    assert moved == sorted(name for name in pods if pods[name] in NAMES[2:] or removed(pods[name], removals))
    snapshot.revert()
    assert [fits(snapshot, pod) for pod in new] == before


def removed(node: str, removals: list[Removal]) -> bool:
    return any(getattr(each, "node", "") == node for each in removals)


def test_a_removal_is_not_repeated_if_its_destination_is_full() -> None:
    store, snapshot = a_snapshot({"p": "n0"})
    snapshot.fork()
    removal = simulate(snapshot, "n0", {"n3"})
    assert removal is not None
    snapshot.revert()
    store.create(a_pod("late", "n3", cpu="3.5"))
    snapshot.refresh()
    assert snapshot.repeat_removals([removal]) == [False]


def test_a_removal_is_not_repeated_if_the_pods_of_its_node_have_changed() -> None:
    store, snapshot = a_snapshot({"p": "n0"})
    snapshot.fork()
    removal = simulate(snapshot, "n0", {"n3"})
    assert removal is not None
    snapshot.revert()
    store.create(a_pod("late", "n0"))
    snapshot.refresh()
    assert snapshot.repeat_removals([removal]) == [False]


def test_a_pod_that_counts_others_sees_repeated_removals() -> None:
    _, snapshot = a_snapshot({"p": "n0", "q": "n3"})
    snapshot.fork()
    removal = simulate(snapshot, "n0", {"n5"})  # from zone a to zone b, where q is
    assert removal is not None
    snapshot.revert()
    spread = a_pod("new", topologySpreadConstraints=SPREAD)
    assert snapshot.misfit(spread, "n1") is None
    snapshot.fork()
    assert snapshot.repeat_removals([removal]) == [True]
    assert snapshot.misfit(spread, "n1") is not None  # two pods in zone b, none in zone a
    snapshot.revert()
    assert snapshot.misfit(spread, "n1") is None
    assert [pod.name for pod in snapshot.pods_on("n0")] == ["p"]


def test_pods_are_where_and_in_the_order_they_were_after_a_revert() -> None:
    _, snapshot = a_snapshot({"p": "n0", "q": "n0", "r": "n0"})
    stamp = snapshot.stamp("n0")
    snapshot.fork()
    snapshot.remove_node("n0")
    snapshot.revert()
    assert [pod.name for pod in snapshot.pods_on("n0")] == ["p", "q", "r"]
    assert snapshot.stamp("n0") == stamp
