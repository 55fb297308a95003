from __future__ import annotations

from typing import Any

import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import lives_of
from tests.workloads.inputs import a_file, a_manifest, arrivals_of
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.nodes.k8ssim.parameters import FIELDS, UNIT
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.k8ssim import K8sSimWorkload, is_k8ssim, read_k8ssim_nodes
from wavetank.workloads.formats.manifests import ManifestWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.volcanojobs import MIN_AVAILABLE

CAPACITY = {"cpu": 4, "memory": "8Gi", "pods": 110}


def a_job(**fields: Any) -> dict[str, Any]:
    container = {
        "name": "task",
        "command": ["python3", "train.py", "--epochs=2"],
        "resources": {"limits": {"cpu": "1.0"}, "requests": {"cpu": "0.8"}},
    }
    template = {"metadata": fields.get("template", {}), "spec": {"containers": [fields.get("container", container)]}}
    tasks = [{"name": "worker", "replicas": 2, "template": template}]
    spec = {"minAvailable": 2, "schedulerName": "volcano", "tasks": tasks}
    metadata = {"name": "train", "labels": {"sub-time": "110"}}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata, "spec": spec}


def _circle() -> dict[str, Any]:
    job = a_job()
    (task,) = job["spec"]["tasks"]
    job["spec"]["tasks"] = [
        {**task, "name": name, "dependsOn": {"name": [other]}} for name, other in (("a", "b"), ("b", "a"))
    ]
    return job


def a_k8ssim_pod(start: object = 0, **annotations: str) -> dict[str, Any]:
    manifest = a_manifest(spec={"containers": [{"name": "c"}]})
    manifest["metadata"]["annotations"] = annotations
    return {"pod": manifest, "startTime": start}


def test_a_node_keeps_what_k8ssim_says_of_it() -> None:
    node = {"metadata": {"name": "n"}, "status": {"allocatable": CAPACITY}, "calculationSpeed": 0.75}
    (manifest,) = read_k8ssim_nodes(a_file({"cluster": [{**node, "ctnCreationTime": 6}]}))
    assert Node(manifest).speed == 0.75 * UNIT
    assert Node(manifest).annotations[f"{FIELDS}ctnCreationTime"] == "6.0"


def test_a_configuration_of_pfnet_is_read_for_its_nodes() -> None:
    node = {"metadata": {"name": "n"}, "spec": {"unschedulable": False}, "status": {"allocatable": CAPACITY}}
    (manifest,) = read_k8ssim_nodes(a_file({"logLevel": "info", "tick": 10, "cluster": [node]}))
    assert Node(manifest).allocatable["cpu"] == 4000


def test_a_volcano_job_becomes_the_replicas_of_its_tasks() -> None:
    arrivals = arrivals_of(K8sSimWorkload(a_file({"jobs": [a_job()]})))
    assert [(arrival.time / 1e9, arrival.pod.name) for arrival in arrivals] == [
        (110, "train-worker-0"),
        (110, "train-worker-1"),
    ]
    pod = arrivals[0].pod
    assert pod.scheduler_name == "volcano"
    assert pod.annotations[MIN_AVAILABLE] == "2"
    assert pod.annotations["scheduling.k8s.io/group-name"] == "train"


def test_epochs_take_the_time_of_full_speed() -> None:
    run = arrivals_of(K8sSimWorkload(a_file({"jobs": [a_job()]})))[0].pod.behavior
    assert run is not None
    assert run.flops / UNIT == pytest.approx(2 * 135 / (1.0 - 0.3))


@pytest.mark.parametrize(
    ("cpu", "gpus", "rate"),
    [
        pytest.param("5", 0, 3.0, id="more than three cores do no more"),
        pytest.param("3.0", 0, 2.8, id="three"),
        pytest.param("0.7", 0, 0.43, id="less than one"),
        pytest.param("0.4", 0, 0.184, id="little"),
        pytest.param("2", 1, 7.5, id="a GPU"),
        pytest.param("1", 1, 7.125, id="a GPU with too little CPU"),
    ],
)
def test_the_rate_is_that_of_k8ssims_model(cpu: str, gpus: int, rate: float) -> None:
    resources = {"limits": {"cpu": cpu, "nvidia.com/gpu": gpus}}
    container = {"name": "task", "command": ["--epochs=1"], "resources": resources}
    run = arrivals_of(K8sSimWorkload(a_file({"jobs": [a_job(container=container)]})))[0].pod.behavior
    assert run is not None
    assert run.flops / UNIT == pytest.approx(135 / rate)


def test_volcano_jobs_are_manifests_too() -> None:
    assert [time for _, time, _ in lives_of(ManifestWorkload(a_file([a_job()])))] == [110, 110]


def test_listed_pods_start_at_their_time_and_run_for_a_minute_or_as_they_say() -> None:
    phases = "- seconds: 5\n- seconds: 2.5\n"
    pods = [a_k8ssim_pod(3.5), a_k8ssim_pod(1, simSpec=phases), a_k8ssim_pod(2, **{"wavetank.dev/duration": "9"})]
    for i, item in enumerate(pods):
        item["pod"]["metadata"] = {**item["pod"]["metadata"], "name": f"p{i}"}
    assert lives_of(K8sSimWorkload(a_file(pods))) == [("p1", 1, 7.5), ("p2", 2, 9), ("p0", 3.5, 60)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param({"jobs": [{**a_job(), "spec": {}}]}, r"jobs\[0\].spec.tasks: expected a list", id="no tasks"),
        pytest.param(
            {"jobs": [a_job(container={"name": "c", "command": ["--epochs=1"]})]},
            r"spec.tasks\[0\].template.spec.containers\[0\].resources: a task with --epochs needs a CPU limit",
            id="no CPU",
        ),
        pytest.param(
            {"jobs": [{**a_job(), "spec": {**a_job()["spec"], "minAvailable": 3}}]},
            r"jobs\[0\]: job 'minAvailable' should not be greater than total replicas in tasks",
            id="more than there are",
        ),
        pytest.param(
            {"jobs": [_circle()]}, r"jobs\[0\]: job has dependencies between tasks, but doesn't form", id="a circle"
        ),
        pytest.param([a_k8ssim_pod("soon")], r"\[0\].startTime: expected a duration", id="no time"),
        pytest.param([{**a_k8ssim_pod(), "end": 3}], r"\[0\]: unknown field 'end'", id="an unknown field"),
        pytest.param(
            [a_k8ssim_pod(simSpec="x")], r"\[0\].pod.metadata.annotations.simSpec: expected a list", id="phases"
        ),
    ],
)
def test_what_is_wrong_is_named_and_a_lenient_reading_goes_on(content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        K8sSimWorkload(a_file(content))
    file = a_file(content)
    file.lenient = True
    assert arrivals_of(K8sSimWorkload(file)) == []
    assert file.skipped.total() == 1


def test_a_faulty_node_is_named() -> None:
    with pytest.raises(InputError, match=r"cluster\[0\]: unknown field 'speed' \(did you mean spec\?\)"):
        read_k8ssim_nodes(a_file({"cluster": [{"metadata": {"name": "n"}, "speed": 1}]}))


@pytest.mark.parametrize("name", ["nodes_1", "nodes_5", "nodes_7+50", "nodes_7-0", "nodes_7-50"])
def test_real_nodes_are_all_there(name: str) -> None:
    path = shared_data(f"k8ssim/common/nodes/{name}.yaml")
    file = InputFile.read(path)
    assert is_k8ssim(file)
    nodes = Cluster(read_k8ssim_nodes(file)).resources(SpecTable())
    assert len(nodes) == sum(line.startswith("  - metadata:") for line in path.read_text().splitlines())


def test_real_workloads_are_all_there() -> None:
    for path in sorted(shared_data("k8ssim/common/workloads").rglob("*.yaml")):
        file = InputFile.read(path)
        assert is_k8ssim(file)
        lines = [line.split("#")[0] for line in path.read_text().splitlines()]
        replicas = [int(line.split(":")[1]) for line in lines if line.strip().startswith("replicas:")]
        assert len(arrivals_of(K8sSimWorkload(file))) == sum(replicas)
