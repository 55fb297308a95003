"""Pods with very many containers: they start in slices, and work on each of them is done once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.simulation.served.test_containers import OneNode, states
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.nodes.containers import reports
from wavetank.nodes.containers.slicedwork import SLICE, SlicedWork
from wavetank.simulation.served.eventlog import EventLog

MANY = 3 * SLICE + 1


@pytest.fixture
def node() -> OneNode:
    return OneNode()


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the statuses that are rendered, by container."""
    found: Counter[str] = Counter()
    render = reports._status

    def counted(pod: Any, given: Any, past: Any) -> Any:
        found[past.name] += 1
        return render(pod, given, past)

    monkeypatch.setattr(reports, "_status", counted)
    return found


def test_few_pieces_of_work_are_done_at_once_and_many_in_slices() -> None:
    clock, done, finished = Clock(), list[int](), list[int]()
    work = SlicedWork(clock, lambda: finished.append(len(done)))
    work.add([lambda i=i: done.append(i) for i in range(SLICE)])  # type: ignore[misc]
    assert done == list(range(SLICE))
    assert not work.is_sliced
    work.add([lambda i=i: done.append(i) for i in range(SLICE, MANY)])  # type: ignore[misc]
    assert work.is_sliced
    assert len(done) == 2 * SLICE
    clock.run(0)
    assert done == list(range(MANY))
    assert finished == [MANY]


def test_work_that_is_dropped_is_not_done() -> None:
    clock, done = Clock(), list[int]()
    work = SlicedWork(clock, lambda: done.append(-1))
    work.add([lambda i=i: done.append(i) for i in range(MANY)])  # type: ignore[misc]
    work.drop()
    clock.run(0)
    assert done == list(range(SLICE))


def test_many_containers_start_at_one_instant_and_the_pod_changes_once(node: OneNode) -> None:
    before = node.version
    node.create([{}] * MANY)
    node.run_until(0)
    assert states(node.status["containerStatuses"]) == ["running"] * MANY
    assert node.condition("Ready")["status"] == "True"
    assert node.version - before < MANY


def test_sidecars_start_one_after_the_other_before_the_containers(node: OneNode) -> None:
    node.create([{}], init=[{"restartPolicy": "Always"}] * MANY)
    node.run_until(0)
    assert states(node.status["initContainerStatuses"]) == ["running"] * MANY
    assert states(node.status["containerStatuses"]) == ["running"]


def test_the_status_of_an_init_container_is_rendered_only_when_it_has_changed(
    node: OneNode, rendered: Counter[str]
) -> None:
    node.create([{}], init=[{"command": ["sleep", "1"]}] * 20)
    for second in range(22):
        node.run_until(second)
        assert node.status["phase"] == ("Pending" if second < 20 else "Running")
    assert max(rendered.values()) <= 3  # it waits, runs, has ended
    assert states(node.status["initContainerStatuses"]) == ["0"] * 20


def test_a_pod_that_is_deleted_while_its_containers_start_ends(node: OneNode) -> None:
    node.create([{}] * MANY)
    node.delete()
    node.run_until(60)
    assert not node.exists


def test_containers_that_were_not_started_when_the_node_failed_start_when_it_is_back(node: OneNode) -> None:
    node.create([{}] * MANY, restartPolicy="Always")
    node.crash()
    node.run_until(1)
    node.repair()
    node.run_until(30)
    assert set(states(node.status["containerStatuses"])) == {"running"}


def test_many_events_at_once_are_those_of_one_after_the_other() -> None:
    parts = [(f"Reason{i % 3}", f"message {i % 40}", f"spec.containers{{c{i}}}") for i in range(200)]
    source, web = {"component": "kubelet"}, Resource({"kind": "Pod", "metadata": {"name": "web", "uid": "u"}})
    one_by_one, at_once = EventLog(Store(Clock())), EventLog(Store(Clock()))
    for _ in range(2):
        for part in parts:
            one_by_one.write_all(web, "Normal", [part], source)
        at_once.write_all(web, "Normal", parts, source)
        for log in (one_by_one, at_once):
            log._store.clock.run(log._store.clock.now + 10**12)
    assert events_of(at_once) == events_of(one_by_one)
    assert at_once._correlator._observed == one_by_one._correlator._observed


def events_of(log: EventLog) -> list[Any]:
    return [each.manifest for each in log._store.list("Event")]
