"""The one word and the counts by which a pod's containers are summed up."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.tables.pods import pod, pod_conditions

NOW = 1_704_067_200.0  # 2024-01-01T00:00:00Z
EARLIER = "2023-12-31T23:59:00Z"

RUNNING = {"running": {}}
COMPLETED = {"terminated": {"exitCode": 0, "reason": "Completed"}}
READY = {"type": "Ready", "status": "True"}


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def terminated(code: int, reason: str = "", signal: int = 0) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "reason": reason, "signal": signal}}


def status(state: dict[str, Any], *, ready: bool = False, restarts: int = 0, **fields: Any) -> dict[str, Any]:
    return {"name": "c", "state": state, "ready": ready, "restartCount": restarts, **fields}


def a_reported_pod(*statuses: dict[str, Any], phase: str = "Running", init: Any = (), **fields: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c"}] * max(len(statuses), 1), "initContainers": fields.pop("init_specs", [])}
    metadata = {"name": "p", "creationTimestamp": EARLIER, **fields.pop("metadata", {})}
    told = {"phase": phase, "containerStatuses": list(statuses), "initContainerStatuses": list(init), **fields}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": spec, "status": told}


SIDECAR = {"name": "c", "restartPolicy": "Always"}
PLAIN_INIT = {"name": "c"}
DELETED = {"deletionTimestamp": EARLIER}
LAST = {"lastState": {"terminated": {"finishedAt": "2023-12-31T23:55:00Z"}}}


@pytest.mark.parametrize(
    ("document", "ready", "reason", "restarts"),
    [
        pytest.param(a_reported_pod(status(RUNNING, ready=True)), "1/1", "Running", "0", id="running"),
        pytest.param(a_reported_pod(phase="Pending"), "0/1", "Pending", "0", id="nothing reported"),
        pytest.param(a_reported_pod(phase="Failed", reason="Evicted"), "0/1", "Evicted", "0", id="the pod's reason"),
        pytest.param(
            a_reported_pod(conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
            "0/1",
            "SchedulingGated",
            "0",
            id="gated",
        ),
        pytest.param(
            a_reported_pod(status(waiting("CrashLoopBackOff"), restarts=3, **LAST), status(RUNNING, ready=True)),
            "1/2",
            "CrashLoopBackOff",
            "3 (5m ago)",
            id="the first container has the last word",
        ),
        pytest.param(a_reported_pod(status(terminated(2))), "0/1", "ExitCode:2", "0", id="exit code"),
        pytest.param(a_reported_pod(status(terminated(137, signal=9))), "0/1", "Signal:9", "0", id="signal"),
        pytest.param(a_reported_pod(status(terminated(1, "OOMKilled"))), "0/1", "OOMKilled", "0", id="killed"),
        pytest.param(
            a_reported_pod(status(COMPLETED), status(RUNNING, ready=True), conditions=[READY]),
            "1/2",
            "Running",
            "0",
            id="one completed, the others ready",
        ),
        pytest.param(
            a_reported_pod(status(COMPLETED), status(RUNNING, ready=True)),
            "1/2",
            "NotReady",
            "0",
            id="completed, not ready",
        ),
        pytest.param(
            a_reported_pod(status(COMPLETED), status(terminated(3))),
            "0/2",
            "ExitCode:3",
            "0",
            id="a failure outlasts completion",
        ),
        pytest.param(
            a_reported_pod(phase="Pending", init=[status(RUNNING)], init_specs=[PLAIN_INIT] * 2),
            "0/1",
            "Init:0/2",
            "0",
            id="initializing",
        ),
        pytest.param(
            a_reported_pod(
                phase="Pending",
                init=[status(COMPLETED), status(waiting("PodInitializing"))],
                init_specs=[PLAIN_INIT] * 2,
            ),
            "0/1",
            "Init:1/2",
            "0",
            id="the second init container",
        ),
        pytest.param(
            a_reported_pod(
                phase="Pending", init=[status(waiting("ErrImagePull"), restarts=2)], init_specs=[PLAIN_INIT]
            ),
            "0/1",
            "Init:ErrImagePull",
            "2",
            id="init image",
        ),
        pytest.param(
            a_reported_pod(phase="Pending", init=[status(terminated(7))], init_specs=[PLAIN_INIT]),
            "0/1",
            "Init:ExitCode:7",
            "0",
            id="init failed",
        ),
        pytest.param(
            a_reported_pod(
                status(RUNNING, ready=True, restarts=1),
                init=[status(RUNNING, ready=True, started=True, restarts=4)],
                init_specs=[SIDECAR],
            ),
            "2/2",
            "Running",
            "5",
            id="a sidecar counts",
        ),
        pytest.param(
            a_reported_pod(status(RUNNING, ready=True), init=[status(COMPLETED, restarts=4)], init_specs=[PLAIN_INIT]),
            "1/1",
            "Running",
            "0",
            id="restarts of finished init containers do not",
        ),
        pytest.param(
            a_reported_pod(status(RUNNING, ready=True), metadata=DELETED), "1/1", "Terminating", "0", id="terminating"
        ),
        pytest.param(
            a_reported_pod(phase="Succeeded", metadata=DELETED), "0/1", "Succeeded", "0", id="over, so not terminating"
        ),
        pytest.param(a_reported_pod(reason="NodeLost", metadata=DELETED), "0/1", "Unknown", "0", id="node lost"),
    ],
)
def test_a_pod_is_summed_up(document: dict[str, Any], ready: str, reason: str, restarts: str) -> None:
    assert pod(document, NOW)[:5] == ["p", ready, reason, restarts, "60s"]


def test_the_wide_columns_show_where_a_pod_is() -> None:
    document = a_reported_pod(
        podIPs=[{"ip": "10.0.0.7"}], nominatedNodeName="n2", conditions=[{"type": "a", "status": "True"}]
    )
    document["spec"] |= {"nodeName": "n1", "readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]}
    assert pod(document, NOW)[5:] == ["10.0.0.7", "n1", "n2", "1/2"]


@pytest.mark.parametrize(("phase", "reason"), [("Succeeded", "Succeeded"), ("Failed", "Failed"), ("Running", None)])
def test_rows_of_finished_pods_say_so(phase: str, reason: str | None) -> None:
    conditions = pod_conditions(a_reported_pod(phase=phase)) or [{"reason": None}]
    assert [condition["reason"] for condition in conditions] == [reason]
