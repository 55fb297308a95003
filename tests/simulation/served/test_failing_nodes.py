"""Containers that run one by one on a machine that crashes and is repaired."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation.served.test_containers import OneNode, states
from wavetank.nodes.containers.slicedwork import SLICE

FOREVER = {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}  # a hook: it runs container by container
SIDECAR = {"restartPolicy": "Always"}
MANY = 3 * SLICE + 1


@pytest.fixture
def node() -> OneNode:
    return OneNode()


def fail_for_a_while(node: OneNode) -> None:
    """Lets the machine crash, and repairs it later."""
    now = node.seconds
    node.crash()
    node.run_until(now + 20)
    node.repair()
    node.run_until(now + 40)


@pytest.mark.parametrize(
    ("policy", "phase", "found"),
    [
        pytest.param("Never", "Failed", ["137", "137"], id="Never: its containers are lost"),
        pytest.param("OnFailure", "Running", ["running", "running"], id="OnFailure: started again"),
        pytest.param("Always", "Running", ["running", "running"], id="Always: started again"),
    ],
)
def test_what_becomes_of_containers_whose_machine_crashed(
    node: OneNode, policy: str, phase: str, found: list[str]
) -> None:
    node.create([FOREVER, {}], restartPolicy=policy)
    node.run_until(5)
    fail_for_a_while(node)
    assert (node.status["phase"], states(node.status["containerStatuses"])) == (phase, found)


def test_a_pod_that_never_restarts_fails_with_the_init_container_that_was_lost(node: OneNode) -> None:
    node.create([{}], init=[{"command": ["sleep", "60"]}], restartPolicy="Never")
    node.run_until(5)
    fail_for_a_while(node)
    assert (node.status["phase"], states(node.status["initContainerStatuses"])) == ("Failed", ["137"])


def test_a_pod_whose_sidecar_was_lost_before_the_next_container_started_goes_on(node: OneNode) -> None:
    node.create([{}], init=[SIDECAR] * MANY)
    fail_for_a_while(node)
    assert (node.status["phase"], states(node.status["containerStatuses"])) == ("Running", ["running"])


def test_a_container_in_back_off_is_started_when_the_machine_is_repaired(node: OneNode) -> None:
    node.create([{"command": ["sh", "-c", "sleep 1; exit 1"]}, {}], restartPolicy="Always")
    node.run_until(5)
    restarts = node.status["containerStatuses"][0]["restartCount"]
    assert states(node.status["containerStatuses"]) == ["CrashLoopBackOff", "running"]
    node.crash()
    node.run_until(6)
    node.repair()
    assert states(node.status["containerStatuses"][:1]) == ["running"]
    assert node.status["containerStatuses"][0]["restartCount"] == restarts + 1


def test_a_container_that_could_not_be_started_is_tried_again_when_the_machine_is_repaired(node: OneNode) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"mode": "fast"}}
    node.create([{"envFrom": [{"configMapRef": {"name": "settings"}}]}])
    node.run_until(5)
    assert states(node.status["containerStatuses"]) == ["CreateContainerConfigError"]
    node.ask("POST", "/api/v1/namespaces/default/configmaps", settings)
    fail_for_a_while(node)
    assert states(node.status["containerStatuses"]) == ["running"]


@pytest.mark.parametrize("events", range(12))
def test_a_pod_whose_machine_crashes_while_its_deadline_kills_it_has_failed(node: OneNode, events: int) -> None:
    node.create([{}] * MANY, activeDeadlineSeconds=10, restartPolicy="Always")
    node.run_part_of(10, events)
    fail_for_a_while(node)
    assert (node.status["phase"], node.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert states(node.status["containerStatuses"]) == ["137"] * MANY


@pytest.mark.parametrize("events", range(1, 12))
def test_a_pod_whose_machine_crashes_while_its_sidecars_end_has_succeeded(node: OneNode, events: int) -> None:
    node.create([{"command": ["sleep", "5"]}], init=[SIDECAR] * MANY, restartPolicy="Never")
    node.run_part_of(5, events)
    fail_for_a_while(node)
    assert node.status["phase"] == "Succeeded"


@pytest.mark.parametrize("container", [pytest.param({}, id="at once"), pytest.param(FOREVER, id="one by one")])
def test_a_deadline_that_passes_while_the_machine_is_down_ends_the_pod(
    node: OneNode, container: dict[str, Any]
) -> None:
    node.create([container], activeDeadlineSeconds=10, restartPolicy="Always")
    node.run_until(5)
    fail_for_a_while(node)
    assert (node.status["phase"], node.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert "BackOff" not in node.events()


@pytest.mark.parametrize("number", [1, MANY])
@pytest.mark.parametrize("deadline", [7, 10])
def test_a_deadline_within_the_grace_period_leaves_a_deleted_pod_alone(
    node: OneNode, number: int, deadline: int
) -> None:
    node.create([FOREVER] * number, activeDeadlineSeconds=deadline)
    node.run_until(5)
    node.delete()
    node.run_until(9)
    assert (node.status["phase"], states(node.status["containerStatuses"])) == ("Running", ["running"] * number)
    node.run_until(11)
    assert not node.exists
