from __future__ import annotations

import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import a_trace, lines_of, lives_of, only_pod
from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.gpus import GPU, GPU_COUNT, GPU_MILLI, GPU_MODEL
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.openb import QOS, OpenbPods, is_openb_nodes, is_openb_pods, read_openb_nodes
from wavetank.workloads.inputfile import InputFile

NODES = "sn,cpu_milli,memory_mib,gpu,model"
SHORT = "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
PODS = f"{SHORT},gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"
LISTS = ["cpu100", "default", "gpushare40", "gpuspec10", "multigpu20"]


def test_a_node_has_its_gpus_and_their_model() -> None:
    with_gpus, without = read_openb_nodes(a_trace(NODES, "n-0,32000,1024,2,T4", "n-1,500,10,0,"))
    assert with_gpus["status"]["allocatable"] == {"cpu": "32", "memory": "1Gi", "pods": "110", GPU: "2"}
    assert with_gpus["metadata"]["labels"][GPU_MODEL] == "T4"
    assert GPU not in without["status"]["allocatable"]


def test_whole_gpus_are_requested_and_parts_are_annotations() -> None:
    whole = only_pod(OpenbPods(a_trace(SHORT, "p,1000,2,4,1000")))
    part = only_pod(OpenbPods(a_trace(SHORT, "p,1000,2,1,460")))
    none = only_pod(OpenbPods(a_trace(SHORT, "p,1000,2,0,0")))
    assert whole.requests == {"cpu": 1000, "memory": 2 << 20, GPU: 4}
    assert part.requests == none.requests == {"cpu": 1000, "memory": 2 << 20}
    assert part.annotations == {GPU_COUNT: "1", GPU_MILLI: "460"}
    assert none.annotations == {}


def test_a_wanted_model_is_an_affinity_and_an_annotation() -> None:
    pod = only_pod(OpenbPods(a_trace(PODS, "p,1,1,1,1000,T4|A10|T4,LS,Running,0,9,3")))
    assert pod.annotations[GPU_MODEL] == "T4|A10|T4"
    assert pod.annotations[QOS] == "LS"
    assert pod.spec.node_affinity.matches({GPU_MODEL: "T4"}, "n")
    assert not pod.spec.node_affinity.matches({GPU_MODEL: "V100M16"}, "n")
    assert pod.requests[GPU] == 1


def test_a_pod_runs_from_its_scheduling_to_its_deletion() -> None:
    file = a_trace(PODS, "b,1,1,0,0,,,Running,5,90,20", "a,1,1,0,0,,,Pending,2,12,")
    assert lives_of(OpenbPods(file)) == [("a", 2, 10), ("b", 5, 70)]
    assert file.assumed["a pod that never ran in the trace runs from its creation to its deletion"] == 1


def test_without_times_pods_are_there_from_the_start_and_stay() -> None:
    assert lives_of(OpenbPods(a_trace(SHORT, "a,1,1,0,0"))) == [("a", 0, None)]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param({}, ["a", "b", "c"], id="everything"),
        pytest.param({"window": "night"}, ["a", "c"], id="before eight"),
        pytest.param({"window": "day"}, ["b"], id="from eight"),
        pytest.param({"window": "night", "day": 1}, ["c"], id="one night"),
    ],
)
def test_a_window_cuts_out_part_of_each_day(options: dict[str, object], names: list[str]) -> None:
    rows = [
        f"{name},1,1,0,0,,,Running,{time},{time + 9},{time}" for name, time in (("a", 60), ("b", 28_800), ("c", 86_460))
    ]
    lives = lives_of(OpenbPods(a_trace(PODS, *rows, **options)))
    assert [name for name, _, _ in lives] == names
    if "window" in options:
        assert lives[0][1] == (60 if "a" in names or "day" in options else 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("p,x,1,0,0", "line 2, cpu_milli: expected a whole number", id="a text for a number"),
        pytest.param("p,1,1,0", "line 2: expected 5 cells, got 4", id="cut off"),
        pytest.param("p,1,1,2,500", "line 2, gpu_milli: expected 0 for no GPU", id="parts of two GPUs"),
        pytest.param(",1,1,0,0", "line 2, name: expected a text", id="no name"),
    ],
)
def test_a_faulty_row_is_named_and_a_lenient_reading_goes_on(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        OpenbPods(a_trace(SHORT, line))
    file = a_trace(SHORT, line, "q,1,1,0,0", lenient=True)
    assert [name for name, _, _ in lives_of(OpenbPods(file))] == ["q"]
    assert file.skipped.total() == 1


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(InputError, match="line 1: unknown column 'colour'"):
        OpenbPods(a_trace(f"{SHORT},colour", "p,1,1,0,0,red"))
    with pytest.raises(InputError, match="line 1: expected a column gpu_milli"):
        OpenbPods(a_trace("name,cpu_milli,memory_mib,num_gpu", "p,1,1,0"))


@pytest.mark.parametrize("name", ["all_node", "gpu_node"])
def test_real_nodes_add_up(name: str) -> None:
    path = shared_data(f"openb/openb_node_list_{name}.csv")
    rows = lines_of(path)[1:]
    file = InputFile.read(path)
    assert is_openb_nodes(file)
    nodes = Cluster(read_openb_nodes(file)).resources(SpecTable())
    assert len(nodes) == len(rows)
    gpus = [node.allocatable.get(GPU, 0) for node in nodes]  # type: ignore[attr-defined]
    assert sum(gpus) == sum(int(row[3]) for row in rows)


@pytest.mark.parametrize("name", LISTS)
def test_real_pods_add_up(name: str) -> None:
    path = shared_data(f"openb/openb_pod_list_{name}.csv")
    rows = lines_of(path)[1:]
    file = InputFile.read(path)
    assert is_openb_pods(file)
    pods = [arrival.pod for arrival in arrivals_of(OpenbPods(file))]
    assert len(pods) == len(rows)
    assert sum(pod.requests["cpu"] for pod in pods) == sum(int(row[1]) for row in rows)
    assert sum(pod.requests.get(GPU, 0) for pod in pods) == sum(int(row[3]) for row in rows if row[4] == "1000")
    parts = sum(int(pod.annotations.get(GPU_MILLI, 0)) for pod in pods)
    assert parts == sum(int(row[4]) for row in rows)
