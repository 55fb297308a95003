"""The containers of a served pod run one by one where they differ: init containers, probes, hooks, exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from tests.support.objects import node_manifest
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

PODS = "/api/v1/namespaces/default/pods"
SETTINGS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"mode": "fast"}}
USER = User("tester", ("system:masters",))


class OneNode:
    """A served cluster with one node and its kubelet; times are in seconds since its start."""

    def __init__(self) -> None:
        self._cluster = ServedCluster(ServedSetting(kubelets=True, start=0), lambda _: USER)
        self.ask("POST", "/api/v1/nodes", node_manifest("n"))

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        data = b"" if body is None else msgspec.json.encode(body)
        answer = self._cluster.api.handle(Request(method, path, headers=headers, body=data, user=USER))
        assert isinstance(answer, Response)
        document: dict[str, Any] = msgspec.json.decode(answer.body)
        assert answer.status < 300, document
        return document

    def create(
        self,
        containers: list[dict[str, Any]],
        annotations: dict[str, str] | None = None,
        name: str = "p",
        init: Sequence[dict[str, Any]] = (),
        **spec: Any,
    ) -> None:
        spec["containers"] = [{"name": f"c{place}", "image": "app:1", **each} for place, each in enumerate(containers)]
        spec["initContainers"] = [{"name": f"i{place}", "image": "app:1", **each} for place, each in enumerate(init)]
        metadata = {"name": name, "annotations": annotations or {}}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": "n", **spec}}
        self.ask("POST", PODS, pod)

    def run_until(self, seconds: float) -> None:
        self._cluster.clock.run(round(seconds * SECOND))

    def run_part_of(self, seconds: float, events: int) -> None:
        """Runs all events up to a time, and the first ones of that time."""
        clock, now = self._cluster.clock, round(seconds * SECOND)
        while (due := clock.next_due()) is not None and due < now:
            clock.step()
        for _ in range(events):
            clock.step(now)

    @property
    def seconds(self) -> float:
        return self._cluster.clock.now / SECOND

    @property
    def version(self) -> int:
        return self._cluster.store.version

    def crash(self) -> None:
        assert self._cluster.kubelets is not None
        self._cluster.kubelets.crash("n")

    def repair(self) -> None:
        assert self._cluster.kubelets is not None
        self._cluster.kubelets.repair("n")

    @property
    def exists(self) -> bool:
        return self._cluster.store.find("Pod", "default", "p") is not None

    @property
    def document(self) -> dict[str, Any]:
        return self.ask("GET", f"{PODS}/p")

    @property
    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = self.document["status"]
        return status

    def condition(self, kind: str) -> dict[str, Any]:
        found: dict[str, Any] = next(each for each in self.status["conditions"] if each["type"] == kind)
        return found

    def write(self, document: dict[str, Any], subresource: str = "") -> dict[str, Any]:
        return self.ask("PUT", f"{PODS}/p{subresource}", document)

    def delete(self) -> None:
        self.ask("DELETE", f"{PODS}/p")

    def watch(self) -> list[dict[str, Any]]:
        """Returns the versions of the pod from now on, as they are shown."""
        versions: list[dict[str, Any]] = []
        self._cluster.store.subscribe("Pod", modified=lambda *_: versions.append(self.document))
        return versions

    def step(self) -> bool:
        """Runs the next event of this instant; returns False if there is none."""
        return self._cluster.clock.step(self._cluster.clock.now)

    def events(self) -> list[str]:
        return [str(each.manifest["reason"]) for each in self._cluster.store.list("Event")]


@pytest.fixture
def node() -> OneNode:
    return OneNode()


def states(statuses: list[dict[str, Any]]) -> list[str]:
    """Returns `running`, the reason to wait, or the exit code of each container."""
    found = []
    for each in statuses:
        ((kind, detail),) = each["state"].items()
        found.append({"running": "running", "waiting": detail.get("reason")}.get(kind, str(detail.get("exitCode"))))
    return found


def test_init_containers_run_one_after_the_other(node: OneNode) -> None:
    node.create([{}], init=[{"command": ["sleep", "2"]}, {"command": ["sleep", "3"]}])
    node.run_until(1)
    assert states(node.status["initContainerStatuses"]) == ["running", "PodInitializing"]
    assert states(node.status["containerStatuses"]) == ["PodInitializing"]
    assert node.condition("Initialized")["message"] == "containers with incomplete status: [i0 i1]"
    node.run_until(4)
    assert states(node.status["initContainerStatuses"]) == ["0", "running"]
    assert node.status["phase"] == "Pending"
    node.run_until(5.5)
    assert states(node.status["containerStatuses"]) == ["running"]
    assert (node.status["phase"], node.condition("Ready")["status"]) == ("Running", "True")


def test_a_failed_init_container_fails_a_pod_that_never_restarts(node: OneNode) -> None:
    node.create([{}], init=[{"command": ["true"]}, {"command": ["sh", "-c", "exit 4"]}], restartPolicy="Never")
    node.run_until(1)
    assert states(node.status["initContainerStatuses"]) == ["0", "4"]
    assert states(node.status["containerStatuses"]) == ["PodInitializing"]
    assert node.status["phase"] == "Failed"
    assert node.condition("Initialized")["reason"] == "ContainersNotInitialized"


def test_a_failed_init_container_is_restarted_with_back_off(node: OneNode) -> None:
    node.create([{}], init=[{"command": ["false"]}])
    node.run_until(5)
    (init,) = node.status["initContainerStatuses"]
    assert (init["restartCount"], init["state"]["waiting"]["reason"]) == (1, "CrashLoopBackOff")
    assert init["lastState"]["terminated"]["exitCode"] == 1
    node.run_until(35)
    assert node.status["initContainerStatuses"][0]["restartCount"] == 3
    assert node.status["phase"] == "Pending"


def test_a_sidecar_ends_with_the_pod(node: OneNode) -> None:
    node.create([{"command": ["sleep", "5"]}], init=[{"restartPolicy": "Always"}], restartPolicy="Never")
    node.run_until(1)
    assert states(node.status["initContainerStatuses"]) == ["running"]
    node.run_until(6)
    assert (node.status["phase"], states(node.status["initContainerStatuses"])) == ("Succeeded", ["0"])


def test_containers_end_each_with_its_own_exit_code(node: OneNode) -> None:
    commands = ["sleep 1", "sleep 3; exit 2"]
    node.create([{"command": ["sh", "-c", command]} for command in commands], restartPolicy="Never")
    node.run_until(2)
    assert (states(node.status["containerStatuses"]), node.status["phase"]) == (["0", "running"], "Running")
    node.run_until(4)
    assert (states(node.status["containerStatuses"]), node.status["phase"]) == (["0", "2"], "Failed")


def test_files_of_a_volume_outlive_a_restart(node: OneNode) -> None:
    script = "if [ -f /data/ran ]; then exit 0; fi; touch /data/ran; exit 1"
    container = {"command": ["sh", "-c", script], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    node.create([container], volumes=[{"name": "data", "emptyDir": {}}], restartPolicy="OnFailure")
    node.run_until(1)
    assert node.status["phase"] == "Succeeded"
    assert node.status["containerStatuses"][0]["restartCount"] == 1


def test_a_termination_message_is_read_from_its_file(node: OneNode) -> None:
    node.create([{"command": ["sh", "-c", "echo -n done > /dev/termination-log"]}], restartPolicy="Never")
    node.run_until(1)
    assert node.status["containerStatuses"][0]["state"]["terminated"]["message"] == "done"


def test_a_pod_is_ready_after_the_initial_delay_of_its_probe(node: OneNode) -> None:
    node.create([{"readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 30}}])
    node.run_until(29)
    assert node.condition("Ready")["reason"] == "ContainersNotReady"
    node.run_until(31)
    assert node.condition("Ready")["status"] == "True"


def test_an_annotation_says_what_a_probe_finds(node: OneNode) -> None:
    probe = {"httpGet": {"port": 80}, "periodSeconds": 1, "failureThreshold": 2}
    node.create([{"readinessProbe": probe}], {"wavetank.dev/readiness": "pass after 10s"})
    node.run_until(9)
    assert node.condition("Ready")["status"] == "False"
    node.run_until(11)
    assert node.condition("Ready")["status"] == "True"
    document = node.document
    document["metadata"]["annotations"]["wavetank.dev/readiness"] = "fail"
    node.write(document)
    node.run_until(14)
    assert node.condition("Ready")["status"] == "False"


def test_a_container_that_fails_its_liveness_probe_is_restarted(node: OneNode) -> None:
    probe = {"exec": {"command": ["cat", "/tmp/health"]}, "periodSeconds": 1, "failureThreshold": 1}
    script = "touch /tmp/health; sleep 10; rm /tmp/health; sleep 600"
    spec = {"terminationGracePeriodSeconds": 5}
    node.create([{"command": ["sh", "-c", script], "livenessProbe": probe}], **spec)
    node.run_until(9)
    assert node.status["containerStatuses"][0]["restartCount"] == 0
    node.run_until(20)
    assert node.status["containerStatuses"][0]["restartCount"] == 1
    assert "Unhealthy" in node.events()


def test_a_container_waits_for_what_its_environment_refers_to(node: OneNode) -> None:
    source = {"configMapKeyRef": {"name": "settings", "key": "mode"}}
    node.create([{"env": [{"name": "MODE", "valueFrom": source}]}])
    node.run_until(1)
    (status,) = node.status["containerStatuses"]
    waiting = {"reason": "CreateContainerConfigError", "message": 'configmap "settings" not found'}
    assert status["state"] == {"waiting": waiting}
    node.ask("POST", "/api/v1/namespaces/default/configmaps", SETTINGS)
    node.run_until(20)
    assert node.status["phase"] == "Running"


def test_nothing_answers_a_probe_where_only_sleep_runs(node: OneNode) -> None:
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 10, "failureThreshold": 1}
    stopping = {"terminationGracePeriodSeconds": 5}
    node.create([{"command": ["sleep", "1000"], "livenessProbe": probe | stopping, "readinessProbe": probe}])
    node.run_until(14)
    assert node.condition("Ready")["status"] == "False"
    assert node.status["containerStatuses"][0]["restartCount"] == 0
    node.run_until(16)
    assert node.status["containerStatuses"][0]["restartCount"] == 1


def test_a_kubelet_refuses_a_pod_of_another_operating_system(node: OneNode) -> None:
    node.create([{}], os={"name": "windows"})
    node.run_until(1)
    assert (node.status["phase"], node.status["reason"]) == ("Failed", "PodOSNotSupported")


def test_a_probe_has_the_variables_and_volumes_of_its_container(node: OneNode) -> None:
    probe = {"exec": {"command": ["sh", "-c", "cat /data/$NAME"]}, "periodSeconds": 1}
    container = {
        "command": ["sh", "-c", "sleep 3; touch /data/$NAME; sleep 600"],
        "env": [{"name": "NAME", "value": "up"}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        "readinessProbe": probe,
    }
    node.create([container], volumes=[{"name": "data", "emptyDir": {}}])
    node.run_until(2)
    assert node.condition("Ready")["status"] == "False"
    node.run_until(5)
    assert node.condition("Ready")["status"] == "True"


def test_an_ephemeral_container_is_started(node: OneNode) -> None:
    node.create([{}])
    node.run_until(1)
    document = node.document
    document["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "busybox", "command": ["sleep", "5"]}]
    node.write(document, "/ephemeralcontainers")
    node.run_until(2)
    assert states(node.status["ephemeralContainerStatuses"]) == ["running"]
    assert states(node.status["containerStatuses"]) == ["running"]
    node.run_until(8)
    assert states(node.status["ephemeralContainerStatuses"]) == ["0"]
    assert node.status["phase"] == "Running"


def test_an_image_that_does_not_exist_is_not_pulled(node: OneNode) -> None:
    node.create([{"image": "app:does-not-exist"}])
    node.run_until(1)
    assert states(node.status["containerStatuses"]) == ["ErrImagePull"]
    node.run_until(20)
    assert states(node.status["containerStatuses"]) == ["ImagePullBackOff"]
    assert node.status["phase"] == "Pending"
    document = node.document
    document["spec"]["containers"][0]["image"] = "app:2"
    node.write(document)
    node.run_until(21)
    assert node.status["phase"] == "Running"


@pytest.mark.parametrize(
    ("container", "seconds"),
    [
        pytest.param({}, 0.15, id="a program that heeds SIGTERM"),
        pytest.param({"command": ["sleep", "3600"]}, 20, id="sleep as the first process does not"),
        pytest.param({"lifecycle": {"preStop": {"sleep": {"seconds": 7}}}}, 7.15, id="after its hook"),
        pytest.param(
            {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "70"]}}}}, 20, id="a hook within the grace period"
        ),
    ],
)
def test_a_deleted_pod_is_there_until_its_containers_have_ended(
    node: OneNode, container: dict[str, Any], seconds: float
) -> None:
    node.create([container], terminationGracePeriodSeconds=20)
    node.run_until(1)
    node.delete()
    node.run_until(seconds + 0.95)
    assert node.document["metadata"]["generation"] == 2
    node.run_until(seconds + 1.05)
    assert not node.exists


def test_a_deleted_pod_with_a_finalizer_shows_how_its_containers_ended(node: OneNode) -> None:
    node.create([{"command": ["sleep", "3600"]}, {}], terminationGracePeriodSeconds=5)
    document = node.document
    document["metadata"]["finalizers"] = ["example.com/keep"]
    node.write(document)
    node.delete()
    node.run_until(6)
    assert (node.status["phase"], states(node.status["containerStatuses"])) == ("Failed", ["137", "143"])


def test_a_readiness_gate_waits_for_its_condition(node: OneNode) -> None:
    node.create([{}], readinessGates=[{"conditionType": "example.com/up"}])
    node.run_until(1)
    assert node.condition("Ready")["reason"] == "ReadinessGatesNotReady"
    assert node.condition("ContainersReady")["status"] == "True"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param({"resources": {"requests": {"cpu": "1000"}}}, "OutOfcpu", id="too large"),
        pytest.param({"ports": [{"containerPort": 80, "hostPort": 80}]}, "NodePorts", id="a port that is taken"),
    ],
)
def test_a_kubelet_refuses_what_does_not_fit(node: OneNode, spec: dict[str, Any], reason: str) -> None:
    node.create([{"ports": [{"containerPort": 8080, "hostPort": 80}]}], name="first")
    node.create([spec])
    node.run_until(1)
    assert (node.status["phase"], node.status["reason"]) == ("Failed", reason)


def test_conditions_that_a_client_writes_are_restored(node: OneNode) -> None:
    node.create([{}])
    node.run_until(1)
    document = node.document
    for condition in document["status"]["conditions"]:
        condition["status"] = "False" if condition["type"] == "Ready" else condition["status"]
    node.write(document, "/status")
    assert node.condition("Ready")["status"] == "False"
    node.run_until(3)
    assert node.condition("Ready")["status"] == "True"


@pytest.mark.parametrize(
    ("value", "phase", "reason"),
    [
        ("mypath", "Running", None),
        ("/tmp", "Pending", "CreateContainerConfigError"),
        ("..", "Pending", "CreateContainerConfigError"),
    ],
)
def test_a_mount_whose_path_cannot_be_made_keeps_a_container_from_starting(
    node: OneNode, value: str, phase: str, reason: str | None
) -> None:
    mount = {"name": "v", "mountPath": "/v", "subPathExpr": "$(WHERE)"}
    container = {"env": [{"name": "WHERE", "value": value}], "volumeMounts": [mount]}
    node.create([container], volumes=[{"name": "v", "emptyDir": {}}])
    node.run_until(30)
    status = node.status
    waiting = status["containerStatuses"][0]["state"].get("waiting") or {}
    assert (status["phase"], waiting.get("reason")) == (phase, reason)


def test_a_container_starts_when_its_pod_is_mended(node: OneNode) -> None:
    source = {"fieldRef": {"fieldPath": "metadata.annotations['path']"}}
    mount = {"name": "v", "mountPath": "/v", "subPathExpr": "$(WHERE)/x"}
    container = {"env": [{"name": "WHERE", "valueFrom": source}], "volumeMounts": [mount]}
    node.create([container], volumes=[{"name": "v", "emptyDir": {}}])
    node.run_until(30)
    assert node.status["phase"] == "Pending"
    pod = node.document
    pod["metadata"]["annotations"] = {"path": "here"}
    node.write(pod)
    node.run_until(60)
    assert node.status["phase"] == "Running"
