from __future__ import annotations

from typing import Any

import pytest

from tests.workloads.inputs import a_file, a_manifest, arrivals_of, names_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.workloads.formats.manifests import ManifestWorkload, read_cluster_manifests
from wavetank.workloads.workload import Arrival, ObjectArrival

POD_SPEC = {"containers": [{"name": "c", "command": ["sleep", "5"]}]}
JOB_SPEC = {"containers": [{"name": "c"}], "restartPolicy": "Never"}


def an_arriving_pod(name: str = "a", arrival: str | None = None) -> dict[str, Any]:
    annotations = {} if arrival is None else {"wavetank.dev/arrival": arrival}
    return a_manifest(spec=POD_SPEC) | {"metadata": {"name": name, "annotations": annotations}}


def a_controller(kind: str, group: str = "apps/v1", pod: dict[str, Any] = POD_SPEC, **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "x"}}, "spec": pod}
    return {**a_manifest(kind, "web", spec={"template": template, **spec}), "apiVersion": group}


def a_job(**spec: Any) -> dict[str, Any]:
    return a_controller("Job", "batch/v1", JOB_SPEC, **spec)


def test_pods_come_at_their_arrival_and_in_file_order() -> None:
    workload = ManifestWorkload(
        a_file([an_arriving_pod("late", "1m"), an_arriving_pod("b"), an_arriving_pod("a", "0s")], "pods.yaml")
    )
    assert [(arrival.time, arrival.pod.name) for arrival in arrivals_of(workload)] == [
        (0, "b"),
        (0, "a"),
        (60 * SECOND, "late"),
    ]
    assert workload.description == "3 pods from pods.yaml"


def test_every_run_gets_pods_of_its_own() -> None:
    workload = ManifestWorkload(a_file(an_arriving_pod()))
    assert arrivals_of(workload)[0].pod is not arrivals_of(workload)[0].pod


@pytest.mark.parametrize(
    ("manifest", "names"),
    [
        pytest.param(a_controller("Deployment", replicas=2), ["web-0", "web-1"], id="a Deployment"),
        pytest.param(a_controller("ReplicaSet"), ["web-0"], id="one replica unless stated"),
        pytest.param(
            {**a_controller("ReplicationController", replicas=2), "apiVersion": "v1"}, ["web-0", "web-1"], id="v1"
        ),
        pytest.param(a_controller("StatefulSet", replicas=0), [], id="none if so stated"),
        pytest.param(a_job(), ["web-0"], id="a Job"),
        pytest.param(a_job(parallelism=3), ["web-0", "web-1", "web-2"], id="a Job of workers"),
        pytest.param(a_job(parallelism=3, completions=2), ["web-0", "web-1"], id="no more than are wanted"),
    ],
)
def test_a_controller_becomes_its_pods(manifest: dict[str, Any], names: list[str]) -> None:
    assert names_of(ManifestWorkload(a_file(manifest))) == names


def test_a_controllers_pods_are_its_templates() -> None:
    manifest = a_controller("Deployment", replicas=2)
    manifest["metadata"] |= {"namespace": "shop", "annotations": {"wavetank.dev/arrival": "5s"}}
    first, second = arrivals_of(ManifestWorkload(a_file(manifest)))
    assert (first.time, first.pod.namespace, first.pod.labels) == (5 * SECOND, "shop", {"app": "x"})
    assert first.pod.spec is second.pod.spec
    assert first.pod.render()["metadata"]["name"] == "web-0"
    assert first.pod.behavior is not None
    assert first.pod.behavior.duration == 5 * SECOND


@pytest.mark.parametrize(
    ("annotations", "seconds"),
    [
        pytest.param({}, 60, id="a minute by default"),
        pytest.param({"wavetank.dev/duration": "7s"}, 7, id="as the Job says"),
    ],
)
def test_how_long_a_jobs_pod_runs(annotations: dict[str, str], seconds: int) -> None:
    manifest = a_job()
    manifest["metadata"]["annotations"] = annotations
    run = arrivals_of(ManifestWorkload(a_file(manifest)))[0].pod.behavior
    assert run is not None
    assert run.duration == seconds * SECOND


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param(
            a_controller("ConfigMap", "v1"),
            "p.yaml: kind: a ConfigMap cannot be submitted as a workload yet",
            id="no pods",
        ),
        pytest.param(a_controller("CronJob", "batch/v1"), "spec.schedule: empty spec string", id="cron"),
        pytest.param(
            a_controller("Deployment", pod={**POD_SPEC, "restartPolicy": "Never"}),
            "spec.template.spec.restartPolicy: expected Always in a Deployment, got 'Never'",
            id="a Deployment that ends",
        ),
        pytest.param(
            a_controller("Job", "batch/v1"),
            "spec.template.spec.restartPolicy: expected Never or OnFailure in a Job, got None",
            id="a Job that never ends",
        ),
        pytest.param(a_controller("Deployment", replicas=-1), "spec.replicas: expected a whole number", id="negative"),
        pytest.param(
            a_controller("Deployment", pod={"containers": [{"resources": {"requests": {"cpu": "x"}}}]}),
            "p.yaml: spec.template.spec.containers[0].resources.requests.cpu: 'x' is not a quantity",
            id="a bad template",
        ),
        pytest.param(
            an_arriving_pod(arrival="soon"), "metadata.annotations.wavetank.dev/arrival: expected a duration", id="time"
        ),
        pytest.param(
            [an_arriving_pod(), an_arriving_pod()], '[1].metadata.name: a second pod "a"', id="one name twice"
        ),
        pytest.param(
            [an_arriving_pod("web-0"), a_controller("Deployment")],
            '[1].metadata.name: a second pod "web-0"',
            id="a replica's name",
        ),
        pytest.param(
            {**an_arriving_pod(), "status": {"phase": "Fine"}}, "status.phase: unknown phase 'Fine'", id="a phase"
        ),
        pytest.param({"kind": "Pod"}, "apiVersion: a manifest needs its apiVersion", id="no version"),
        pytest.param("3", "expected a Kubernetes object, got 3", id="no object"),
    ],
)
def test_what_cannot_be_submitted_is_refused_by_name(manifest: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        ManifestWorkload(a_file(manifest, "p.yaml"))
    assert message in str(caught.value)


def test_an_error_tells_file_document_and_field() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: c, RESOURCES}]}\n"
    good = pod.replace(", RESOURCES", "")
    bad = pod.replace("RESOURCES", "resources: {requests: {cpu: lots}}")
    text = "---\n".join([good.replace("NAME", "a"), good.replace("NAME", "b"), bad.replace("NAME", "c")])
    for read in (ManifestWorkload, read_cluster_manifests):
        with pytest.raises(InputError) as caught:
            read(a_file(text, "pods.yaml"))
        assert str(caught.value).startswith(
            "pods.yaml: document 3: spec.containers[0].resources.requests.cpu: 'lots' is not a quantity"
        )


def test_a_cluster_keeps_objects_of_any_kind() -> None:
    node = a_manifest("Node", "n", status={"allocatable": {"cpu": 1}})
    things = [node, a_controller("Deployment"), {**a_manifest("Thing", "t"), "apiVersion": "example.com/v1"}]
    document = {"apiVersion": "v1", "kind": "List", "items": things}
    assert read_cluster_manifests(a_file(document)) == things


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"metadata": {"name": "n", "labels": ["a"]}}, "metadata.labels: expected a mapping", id="labels"),
        pytest.param({"metadata": {"name": 1}}, "metadata.name: expected a text", id="a name that is a number"),
        pytest.param({"spec": []}, "not a valid Node", id="a spec of the wrong type"),
        pytest.param({"status": {"allocatable": 3}}, "not a valid Node", id="amounts of the wrong type"),
        pytest.param({"status": {}}, "status.allocatable: a Node needs its allocatable resources", id="nothing"),
        pytest.param(
            {"metadata": {"name": "n", "annotations": {"wavetank.dev/speed": "0"}}}, "wavetank.dev/speed", id="speed"
        ),
    ],
)
def test_a_field_of_the_wrong_type_is_refused(fields: dict[str, Any], message: str) -> None:
    node = a_manifest("Node", "n", status={"allocatable": {"cpu": 1}}) | fields
    if fields.get("spec") == []:
        node["spec"] = ["x"]
    with pytest.raises(InputError) as caught:
        read_cluster_manifests(a_file(node, "n.yaml"))
    assert message in str(caught.value)


KEPT_ALIVE = frozenset({"Deployment.apps", "ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps"})


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])
def test_an_owner_comes_as_it_is_if_its_controller_is_on(kind: str) -> None:
    manifest = a_controller(kind, replicas=2)
    annotations = {"arrival": "5s", "lifetime": "1m", "duration": "7s"}
    manifest["metadata"]["annotations"] = {f"wavetank.dev/{name}": text for name, text in annotations.items()}
    workload = ManifestWorkload(a_file([an_arriving_pod("single"), manifest]))
    pod, planting = workload.object_arrivals(SpecTable(), Streams(1), KEPT_ALIVE)
    assert isinstance(pod, Arrival)
    assert isinstance(planting, ObjectArrival)
    assert (planting.time, planting.lifetime) == (5 * SECOND, 60 * SECOND)
    spec = planting.resource.manifest["spec"]
    assert spec["selector"] == {"matchLabels": {"app": "x"}}
    assert spec["template"]["metadata"]["annotations"] == {"wavetank.dev/duration": "7s"}
