"""Containers that run one by one go on where they were when their server was killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.state.kept import MAPS, PODS, Document, KeptCluster, a_setting
from wavetank.apiserver.requests.request import Response
from wavetank.ui.nodefaults import fail_node, recover_node


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KeptCluster]:
    made = KeptCluster(tmp_path / "state", a_setting())
    yield made
    made.close()


def runs(name: str, script: str, **more: Any) -> Document:
    return {"name": name, "image": "busybox", "command": ["sh", "-c", script], **more}


def a_pod(*containers: Document, annotations: dict[str, str] | None = None, **spec: Any) -> Document:
    metadata = {
        "name": "p",
        "annotations": {f"wavetank.dev/{key}": value for key, value in (annotations or {}).items()},
    }
    return {"metadata": metadata, "spec": {"containers": list(containers), **spec}}


PROBE = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 7}
SERVER = {"name": "server", "image": "nginx"}
SHARED: Document = {"volumeMounts": [{"name": "files", "mountPath": "/files"}]}

LIVES: dict[str, Document] = {
    "init containers in a row": a_pod(
        runs("main", "echo begun; sleep 40; echo done"),
        initContainers=[runs("one", "sleep 15"), runs("two", "sleep 20")],
        restartPolicy="Never",
    ),
    "an init container that fails again and again": a_pod(
        SERVER, initContainers=[runs("one", "sleep 4; exit 3")], restartPolicy="OnFailure"
    ),
    "an init container that fails for good": a_pod(
        SERVER, initContainers=[runs("one", "sleep 20; exit 3")], restartPolicy="Never"
    ),
    "a sidecar that is slow to start": a_pod(
        runs("main", "sleep 50"),
        initContainers=[{**SERVER, "restartPolicy": "Always", "startupProbe": PROBE}],
        annotations={"startup": "pass after 25s"},
        restartPolicy="Never",
    ),
    "containers with ends of their own": a_pod(
        runs("short", "sleep 17; exit 4"), runs("long", "sleep 60"), restartPolicy="Never"
    ),
    "a container in a crash loop beside another": a_pod(runs("bad", "sleep 3; exit 1"), SERVER),
    "a container that becomes ready late": a_pod(
        {**SERVER, "readinessProbe": {**PROBE, "successThreshold": 3}}, annotations={"readiness": "pass after 30s"}
    ),
    "a container that becomes unready": a_pod(
        {**SERVER, "readinessProbe": PROBE}, annotations={"readiness": "fail after 40s"}
    ),
    "a container that is killed since it is not alive, after its grace period": a_pod(
        runs("main", "trap '' TERM; sleep 1000", livenessProbe=PROBE),
        annotations={"liveness": "fail after 20s"},
        terminationGracePeriodSeconds=17,
    ),
    "a container that never starts up": a_pod(
        {**SERVER, "startupProbe": {**PROBE, "failureThreshold": 4}}, annotations={"startup": "fail"}
    ),
    "an image that does not exist": a_pod({**SERVER, "image": "nonexistent:1"}),
    "a missing ConfigMap": a_pod({**SERVER, "envFrom": [{"configMapRef": {"name": "missing"}}]}),
    "a file that an init container has written": a_pod(
        runs("main", "sleep 20; cat /files/a; exit 7", **SHARED, terminationMessagePolicy="FallbackToLogsOnError"),
        initContainers=[runs("one", "echo hello > /files/a; sleep 20", **SHARED)],
        volumes=[{"name": "files", "emptyDir": {}}],
        restartPolicy="OnFailure",
    ),
}


def seen(cluster: KeptCluster) -> tuple[Document, list[bytes]]:
    """Returns the pod and the logs of its containers, without what may differ if time has passed in other steps."""
    pod = cluster.ask("GET", f"{PODS}/p")
    pod["metadata"].pop("resourceVersion")
    names = [each["name"] for kind in ("initContainers", "containers") for each in pod["spec"].get(kind, ())]
    logs = [cluster.send("GET", f"{PODS}/p/log?container={name}") for name in names]
    return pod, [each.body for each in logs if isinstance(each, Response)]


@pytest.mark.parametrize("pod", LIVES.values(), ids=LIVES)
def test_the_life_of_containers_goes_on_to_the_second(cluster: KeptCluster, pod: Document) -> None:
    cluster.create(PODS, pod)
    again = cluster.killed()
    for _ in range(14):
        cluster.advance(7)
        again.advance(7)
        assert seen(again) == seen(cluster)
        again = again.killed()


def test_containers_that_are_being_stopped_are_stopped_in_time(cluster: KeptCluster) -> None:
    hook = {"preStop": {"sleep": {"seconds": 12}}}
    cluster.create(PODS, a_pod({**SERVER, "lifecycle": hook}, {**SERVER, "name": "other"}))
    cluster.advance(5)
    cluster.ask("DELETE", f"{PODS}/p")
    cluster.advance(8)
    again = cluster.killed()
    again.advance(4)
    assert "deletionTimestamp" in again.ask("GET", f"{PODS}/p")["metadata"]
    again.advance(1)
    again.ask("GET", f"{PODS}/p", status=404)


def test_containers_of_a_crashed_machine_are_restarted_when_it_is_repaired(cluster: KeptCluster) -> None:
    pod = a_pod(runs("done", "sleep 5"), SERVER, restartPolicy="OnFailure", nodeName="n1")
    cluster.create(PODS, pod)
    cluster.advance(10)
    fail_node(cluster.cluster, "n1")
    cluster.state.journal.commit()
    again = cluster.killed()
    again.advance(20)
    recover_node(again.cluster, "n1")
    again.advance(1)
    done, server = again.pods()["p"]["status"]["containerStatuses"]
    assert done["state"]["terminated"]["reason"] == "Completed"
    assert (server["restartCount"], server["lastState"]["terminated"]["reason"]) == (1, "ContainerStatusUnknown")


def test_an_ephemeral_container_goes_on(cluster: KeptCluster) -> None:
    cluster.create(PODS, a_pod(SERVER))
    cluster.advance(5)
    debug = {"spec": {"ephemeralContainers": [runs("debug", "sleep 30")]}}
    cluster.ask("PATCH", f"{PODS}/p/ephemeralcontainers", debug)
    cluster.advance(10)
    again = cluster.killed()
    cluster.advance(21)
    again.advance(21)
    assert seen(again) == seen(cluster)
    (status,) = again.pods()["p"]["status"]["ephemeralContainerStatuses"]
    assert status["state"]["terminated"]["exitCode"] == 0


def test_a_container_starts_when_what_it_lacks_is_there(cluster: KeptCluster) -> None:
    cluster.create(PODS, LIVES["a missing ConfigMap"])
    cluster.advance(15)
    again = cluster.killed()
    for each in (cluster, again):
        each.create(MAPS, {"metadata": {"name": "missing"}, "data": {"A": "b"}})
        each.advance(10)
    assert seen(again) == seen(cluster)
    assert again.pods()["p"]["status"]["phase"] == "Running"
