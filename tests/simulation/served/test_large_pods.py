"""Pods with very many containers: they start in slices, and work on each of them is done once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from tests.simulation.served.test_containers import PODS, OneNode, states
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
    work.add(done.append, range(SLICE))
    assert done == list(range(SLICE))
    assert not work.is_sliced
    work.add(done.append, range(SLICE, MANY))
    assert work.is_sliced
    assert len(done) == 2 * SLICE
    clock.run(0)
    assert done == list(range(MANY))
    assert finished == [MANY]


def test_work_goes_on_after_a_piece_that_fails() -> None:
    clock, done = Clock(), list[float]()
    work = SlicedWork(clock, lambda: None)
    with pytest.raises(ZeroDivisionError):
        work.add(lambda number: done.append(1 / number), range(2))
    clock.run(0)
    work.add(done.append, [2])
    assert done == [1, 2]


def test_work_that_is_dropped_is_not_done() -> None:
    clock, done = Clock(), list[int]()
    work = SlicedWork(clock, lambda: done.append(-1))
    work.add(done.append, range(MANY))
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


@pytest.mark.parametrize("grace", [30, 0])
def test_many_containers_that_are_stopped_have_ended_before_the_pod_is_removed(node: OneNode, grace: int) -> None:
    node.create([{}] * MANY)
    node.run_until(0)
    versions = node.watch()
    node.ask("DELETE", f"{PODS}/p", {"gracePeriodSeconds": grace})
    node.run_until(60)
    assert not node.exists
    if grace:  # else it is removed at once, as in a real cluster
        assert states(versions[-1]["status"]["containerStatuses"]) == ["143"] * MANY


def test_the_end_of_a_pod_ends_its_many_sidecars(node: OneNode) -> None:
    node.create([{"command": ["sleep", "5"]}], init=[{"restartPolicy": "Always"}] * MANY, restartPolicy="Never")
    node.run_until(6)
    assert states(node.status["initContainerStatuses"]) == ["0"] * MANY
    assert node.status["phase"] == "Succeeded"


@pytest.mark.parametrize(
    ("policy", "phase"), [("Always", "Running"), ("Never", "Failed")], ids=["restarted", "not restarted"]
)
def test_many_containers_that_end_at_one_instant_change_the_pod_once(node: OneNode, policy: str, phase: str) -> None:
    node.create([{"command": ["sh", "-c", "sleep 5; exit 3"]}] * MANY, restartPolicy=policy)
    node.run_until(4)
    versions = node.watch()
    node.run_until(5)
    assert 1 <= len(versions) <= 3
    assert versions[-1]["status"]["phase"] == phase
    node.run_until(60)
    assert node.status["phase"] == phase
    assert {each["restartCount"] for each in node.status["containerStatuses"]} == ({3} if policy == "Always" else {0})


def test_a_pod_ends_with_the_last_of_its_many_containers(node: OneNode) -> None:
    short, long = {"command": ["sleep", "5"]}, {"command": ["sleep", "9"]}
    node.create([*([short] * MANY), long], restartPolicy="Never")
    node.run_until(8)
    assert node.status["phase"] == "Running"
    node.run_until(9)
    assert node.status["phase"] == "Succeeded"


def test_the_deadline_of_a_pod_kills_its_many_containers(node: OneNode) -> None:
    node.create([{}] * MANY, activeDeadlineSeconds=10)
    node.run_until(11)
    assert states(node.status["containerStatuses"]) == ["137"] * MANY
    assert (node.status["phase"], node.status["reason"]) == ("Failed", "DeadlineExceeded")


def test_many_containers_are_reported_in_slices(node: OneNode, monkeypatch: pytest.MonkeyPatch) -> None:
    described, steps = list[str](), [0]
    describe = reports.describe

    def noted(pod: Any, container: Any) -> Any:
        described.append(container.name)
        return describe(pod, container)

    monkeypatch.setattr("wavetank.nodes.containers.toldcontainers.describe", noted)
    node.create([{}] * MANY)
    while node.step():
        steps.append(len(described))
    assert described == [f"c{i}" for i in range(MANY)]
    assert max(after - before for before, after in pairwise(steps)) <= SLICE


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
