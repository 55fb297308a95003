from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import lives_of
from tests.workloads.inputs import arrivals_of
from wavetank.errors import InputError
from wavetank.workloads.formats.schedulerperf.cases import case_names
from wavetank.workloads.formats.schedulerperf.workload import (
    SchedulerPerfWorkload,
    is_scheduler_perf,
    read_scheduler_perf_cluster,
)
from wavetank.workloads.inputfile import InputFile

NODES = {"opcode": "createNodes", "countParam": "$nodes"}
PODS = {"opcode": "createPods", "countParam": "$pods"}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "high-"},
    "spec": {"containers": [{"name": "c"}]},
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": "s-"}, "spec": {}}
CLAIM = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, template in (("pod", POD), ("service", SERVICE), ("claim", CLAIM)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(template))
    (tmp_path / "go.yaml").write_text("name: p-{{.Index}}")
    return tmp_path


def a_case(folder: Path, *operations: dict[str, Any], **options: str) -> InputFile:
    workloads = [
        {"name": "small", "params": {"nodes": 2, "pods": 1}},
        {"name": "large", "params": {"nodes": 3, "pods": 4}},
    ]
    case = {"name": "Basic", "workloadTemplate": list(operations), "workloads": workloads}
    path = folder / "performance-config.yaml"
    path.write_text(yaml.safe_dump([case]))
    return InputFile.read(path, options=options)


def read_all(file: InputFile) -> None:
    read_scheduler_perf_cluster(file)
    SchedulerPerfWorkload(file)


def test_the_first_workload_of_the_first_case_is_meant_unless_another_is_named(folder: Path) -> None:
    assert len(read_scheduler_perf_cluster(a_case(folder, NODES, PODS))) == 2
    assert len(read_scheduler_perf_cluster(a_case(folder, NODES, PODS, case="Basic/large"))) == 3
    workload = SchedulerPerfWorkload(a_case(folder, NODES, PODS, case="Basic/large"))
    assert workload.description == "4 pods from performance-config.yaml, Basic/large"


def test_pods_are_named_and_numbered_in_the_operations_namespace(folder: Path) -> None:
    named = {**PODS, "namespace": "mine", "podTemplatePath": "pod.yaml"}
    workload = SchedulerPerfWorkload(a_case(folder, NODES, PODS, named, named))
    keys = [(arrival.pod.namespace, arrival.pod.name) for arrival in arrivals_of(workload)]
    assert keys == [("namespace-1", "pod-0"), ("mine", "high-0"), ("mine", "high-1")]


def test_what_waits_takes_ten_seconds(folder: Path) -> None:
    at_once = {**PODS, "skipWaitToCompletion": True}
    sleep = {"opcode": "sleep", "duration": "3s"}
    workload = SchedulerPerfWorkload(a_case(folder, PODS, at_once, PODS, sleep, {"opcode": "barrier"}, PODS))
    assert [time for _, time, _ in lives_of(workload)] == [0, 10, 10, 33]


def test_churn_goes_on_until_the_end(folder: Path) -> None:
    churn = {"opcode": "churn", "mode": "create", "templatePaths": ["pod.yaml"], "intervalMilliseconds": 4000}
    workload = SchedulerPerfWorkload(a_case(folder, PODS, churn, PODS))
    assert lives_of(workload)[1:] == [
        ("pod-0", 10, None),
        ("high-0", 10, None),
        ("high-1", 14, None),
        ("high-2", 18, None),
    ]
    limited = SchedulerPerfWorkload(a_case(folder, {**churn, "number": 2}, PODS))
    assert [time for name, time, _ in lives_of(limited) if name.startswith("high")] == [0, 4]


def test_labels_are_dealt_to_the_nodes_in_turn(folder: Path) -> None:
    strategy = {"labelKey": "zone", "labelValues": ["a", "b"]}
    nodes = read_scheduler_perf_cluster(a_case(folder, {**NODES, "labelNodePrepareStrategy": strategy}, case="/large"))
    assert [node["metadata"]["labels"]["zone"] for node in nodes] == ["a", "b", "a"]
    assert [node["metadata"]["name"] for node in nodes] == [f"scheduler-perf-{i}" for i in range(3)]


def test_namespaces_and_other_objects_are_there_before_the_pods(folder: Path) -> None:
    namespaces = {"opcode": "createNamespaces", "prefix": "ns", "count": 2}
    service = {"opcode": "createAny", "templatePath": "service.yaml", "namespace": "ns-0"}
    objects = read_scheduler_perf_cluster(a_case(folder, namespaces, service, NODES, PODS))
    assert [item["metadata"]["name"] for item in objects[:3]] == ["ns-0", "ns-1", "s-0"]


def test_sets_of_pods_fill_namespaces(folder: Path) -> None:
    sets = {"opcode": "createPodSets", "count": 2, "namespacePrefix": "ns", "createPodsOp": PODS}
    workload = SchedulerPerfWorkload(a_case(folder, sets))
    assert [arrival.pod.namespace for arrival in arrivals_of(workload)] == ["ns-0", "ns-1"]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        pytest.param({"opcode": "deletePods"}, "deletePods deletes pods", id="deletions"),
        pytest.param({"opcode": "updateAny"}, "updateAny changes objects", id="updates"),
        pytest.param({"opcode": "createPodGroups"}, "PodGroups, which are not simulated", id="groups"),
        pytest.param({"opcode": "dance"}, "dance is not known: expected one of createNodes", id="an opcode"),
        pytest.param({"opcode": "createAny", "templatePath": "claim.yaml"}, "ResourceClaim needs dynamic", id="DRA"),
        pytest.param({**PODS, "podTemplatePath": "go.yaml"}, "go.yaml: Go templates are not filled in", id="Go"),
        pytest.param({**PODS, "podTemplatePath": "gone.yaml"}, "gone.yaml: no such file", id="no template"),
        pytest.param({**PODS, "podTemplatePath": "service.yaml"}, "createPods of a Service", id="no pod"),
        pytest.param({**PODS, "countParam": "$what"}, "the workload has no parameter 'what'", id="a parameter"),
        pytest.param({**PODS, "persistentVolumeTemplatePath": "v.yaml"}, "createPods with volumes", id="volumes"),
        pytest.param({"opcode": "churn", "mode": "recreate"}, "churn in mode recreate deletes", id="churn"),
    ],
)
def test_what_cannot_be_simulated_is_refused_by_name(folder: Path, operation: dict[str, Any], message: str) -> None:
    file = a_case(folder, operation)
    with pytest.raises(InputError) as caught:
        read_all(file)
    assert str(caught.value).startswith(str(file.path))
    assert message in str(caught.value)


def test_nodes_that_come_later_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"\[0\].workloadTemplate\[1\].opcode: createNodes after the first pods"):
        SchedulerPerfWorkload(a_case(folder, PODS, NODES))


def test_an_unknown_case_is_named_with_those_there_are(folder: Path) -> None:
    with pytest.raises(InputError, match=r"options\.case: there is no 'huge': expected one of small, large"):
        SchedulerPerfWorkload(a_case(folder, PODS, case="Basic/huge"))


@pytest.mark.parametrize(
    ("case", "nodes", "pods"),
    [
        pytest.param("SchedulingBasic/500Nodes", 500, 1500, id="basic"),
        pytest.param("SchedulingDaemonset/5Nodes", 6, 10, id="daemons"),
    ],
)
def test_real_cases_add_up(case: str, nodes: int, pods: int) -> None:
    file = InputFile.read(shared_data("scheduler_perf/misc/performance-config.yaml"), options={"case": case})
    assert is_scheduler_perf(file)
    assert case in case_names(file)
    assert sum(item["kind"] == "Node" for item in read_scheduler_perf_cluster(file)) == nodes
    assert len(arrivals_of(SchedulerPerfWorkload(file))) == pods
