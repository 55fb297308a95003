"""Whatever a trace holds, it is either used or refused with an InputError."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.simkube import SimkubeWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import FORMATS

TABLES = {
    "openb-nodes": "sn,cpu_milli,memory_mib,gpu,model",
    "openb-pods": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time,scheduled_time",
    "dlrm": (
        "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,"
        "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time"
    ),
    "philly": "timestamp,duration,num_gpus,gpu_time,cluster",
    "alibaba-machines": "m_1,0,1,1,96,100,USING",
    "alibaba-tasks": "M1,1,j_1,1,Terminated,1,2,100,1",
    "pai-machines": "82e5af3cd5c4af3f56c62c54,T4,96,512,2",
    "pai-tasks": "4b3f,worker,1.0,Terminated,1.0,2.0,600.0,29.3,50.0,MISC",
    "alibaba-instances": "ins_1,M1,j_1,1,Terminated,1,2,m_1,1,1,1,1,1,1",
}
DOCUMENTS = ["k8ssim", "scheduler-perf", "simkube", "kubernetriks", "manifests"]
NASTY = """0 1 -1 2.5 nan inf 1e400 999999999999999999999999999999 a J R2_1 A10|T4 | USING HN " é _ ٣ 2017-13-99"""
CELLS = st.sampled_from([*NASTY.split(), "", "2017-10-09 07:01:55", "0001-01-01 00:00:00+99:00", "x" * 300])
WORDS_OF_ALL_FORMATS = """
    cluster jobs pod startTime metadata name labels annotations sub-time spec tasks replicas template containers
    command --epochs=3 resources limits requests cpu memory kind Job Deployment Pod Node CronJob apiVersion v1
    apps/v1 batch.volcano.sh/v1alpha1 calculationSpeed ctnCreationTime status allocatable simSpec version events ts
    applied_objs deleted_objs pod_lifecycles Finished Running Empty workloadTemplate workloads params opcode createPods
    createNodes createNamespaces createAny churn barrier sleep count countParam $n n prefix duration mode create
    templatePaths intervalMilliseconds labelNodePrepareStrategy labelKey labelValues timestamp event_type node
    pod_name ram running_duration capacity wavetank.dev/count wavetank.dev/arrival jobTemplate
"""
WORDS = st.sampled_from(WORDS_OF_ALL_FORMATS.split())
NUMBERS = st.integers(-3, 40) | st.floats() | st.sampled_from([10**400, 2**63, 1e300])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=25,
)
OBJECT = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["v1", "apps/v1", "batch/v1", "batch.volcano.sh/v1alpha1"]),
        "kind": st.sampled_from(["Pod", "Job", "Deployment", "CronJob", "Node"]),
        "metadata": st.fixed_dictionaries({"name": WORDS}, optional={"labels": VALUES, "annotations": VALUES}),
        "spec": st.fixed_dictionaries(
            {}, optional=dict.fromkeys(["containers", "template", "tasks", "replicas"], VALUES)
        ),
    }
)
OPERATION = st.fixed_dictionaries(
    {"opcode": st.sampled_from(["createPods", "createNodes", "churn", "createNamespaces", "sleep", "createPodSets"])},
    optional=dict.fromkeys(
        ["count", "countParam", "namespace", "prefix", "mode", "templatePaths", "duration", "createPodsOp"], VALUES
    ),
)
CASE = st.fixed_dictionaries(
    {
        "name": WORDS,
        "workloadTemplate": st.lists(OPERATION, min_size=1, max_size=3) | VALUES,
        "workloads": st.just([{"name": "w", "params": {"n": 2}}]) | VALUES,
    }
)
EVENT = st.fixed_dictionaries({"ts": st.integers(0, 9) | VALUES, "applied_objs": st.lists(OBJECT, max_size=2) | VALUES})
TRACE = st.fixed_dictionaries(
    {"version": st.just(2), "events": st.lists(EVENT, min_size=1, max_size=3)}, optional={"pod_lifecycles": VALUES}
)
LISTED = st.fixed_dictionaries({"pod": OBJECT | VALUES, "startTime": NUMBERS | VALUES})
SHAPED = (
    st.fixed_dictionaries({"jobs": st.lists(OBJECT, max_size=2)})
    | st.fixed_dictionaries({"cluster": st.lists(OBJECT | VALUES, max_size=2)})
    | st.lists(LISTED, max_size=2)
    | st.lists(CASE, min_size=1, max_size=2)
    | TRACE
    | st.lists(OBJECT, max_size=3)
)
KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


def survives(name: str, file: InputFile) -> None:
    entry = FORMATS[name]
    if entry.workload is not None:
        with suppress(InputError):
            arrivals_of(entry.workload(file))
    if entry.cluster is not None:
        with suppress(InputError):
            Cluster(entry.cluster(file)).resources(SpecTable())


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
@KEPT
@given(data=st.data())
def test_tables(name: str, lenient: bool, data: st.DataObject) -> None:
    columns = TABLES[name].count(",") + 1
    row = st.lists(CELLS, min_size=columns, max_size=columns) | st.lists(CELLS, max_size=3)
    rows = [",".join(cells) for cells in data.draw(st.lists(row, max_size=4))]
    survives(name, InputFile(Path("t.csv"), "\n".join([TABLES[name], *rows]), lenient=lenient))


@pytest.mark.parametrize("name", DOCUMENTS)
@KEPT
@given(document=SHAPED | VALUES, lenient=st.booleans())
def test_documents(name: str, document: Any, lenient: bool) -> None:
    survives(name, InputFile(Path("t.yaml"), json.dumps(document), lenient=lenient))


@KEPT
@given(
    kind=st.sampled_from(["CreatePod", "RemovePod", "CreateNode", "X"]), body=VALUES, time=VALUES, lenient=st.booleans()
)
def test_events_of_kubernetriks(kind: str, body: Any, time: Any, lenient: bool) -> None:
    flow = yaml.safe_dump(body, default_flow_style=True, width=10**6).split("\n...")[0].strip()
    text = f"events:\n- timestamp: {json.dumps(time)}\n  event_type: !{kind} {flow}\n"
    survives("kubernetriks", InputFile(Path("t.yaml"), text, lenient=lenient))


@KEPT
@given(trace=TRACE | VALUES, cut=st.integers(0, 200))
def test_packed_traces(tmp_path: Path, trace: Any, cut: int) -> None:
    path = tmp_path / "t.sktrace"
    with suppress(OverflowError):
        path.write_bytes(b"\x85\xa7version" + msgspec.msgpack.encode(trace)[cut:])
        with suppress(InputError):
            arrivals_of(SimkubeWorkload(InputFile.read(path)))


@pytest.mark.parametrize("name", [*TABLES, *DOCUMENTS])
@KEPT
@given(data=st.binary() | st.text().map(str.encode))
def test_any_bytes(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(data)
    with suppress(InputError):
        file = InputFile.read(path)
        survives(name, file)
        FORMATS[name].detect(file)


def test_every_format_of_these_is_registered() -> None:
    readers: list[Callable[..., Any] | None] = [FORMATS[name].workload or FORMATS[name].cluster for name in TABLES]
    assert None not in readers
