"""Whatever a file holds, it is either used or refused with an InputError."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.workloads.inputs import a_file, arrivals_of, cluster_of, generator_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.events import read_events
from wavetank.workloads.formats.batsim.platform import read_platform
from wavetank.workloads.formats.batsim.workload import BatsimWorkload
from wavetank.workloads.formats.manifests import ManifestWorkload, read_cluster_manifests
from wavetank.workloads.formats.plaincsv import CsvWorkload, read_csv_nodes
from wavetank.workloads.formats.swf.workload import SwfWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import open_cluster, open_workload

WORDS_OF_ALL_FORMATS = """
    a id subtime res profile walltime nb_res jobs profiles type delay composed seq cpu com memory
    ret repeat kind apiVersion metadata name spec status Pod Node Job Deployment v1 apps/v1 batch/v1
    containers labels annotations resources requests limits template replicas parallelism nodeName
    tolerations affinity taints allocatable capacity conditions command args initContainers
    schedulingGates overhead count zone pods 1 4Gi burst poisson rate every duration sleep
    wavetank.dev/duration nodeAffinity ports priority selector
"""
WORDS = st.sampled_from(WORDS_OF_ALL_FORMATS.split())
NUMBERS = st.integers(-3, 40) | st.floats() | st.sampled_from([1e300, 10**400, 2**63])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
JOB = st.fixed_dictionaries(
    {"id": VALUES, "subtime": VALUES, "res": VALUES, "profile": WORDS}, optional={"cpu": VALUES}
)
PROFILE = st.fixed_dictionaries(
    {"type": WORDS}, optional={"delay": VALUES, "seq": VALUES, "cpu": VALUES, "com": VALUES}
)
BATSIM = st.fixed_dictionaries(
    {
        "nb_res": st.just(9) | VALUES,
        "jobs": st.lists(JOB, min_size=1, max_size=3),
        "profiles": st.dictionaries(WORDS, PROFILE),
    }
)
CONTAINER = st.fixed_dictionaries({"name": WORDS}, optional={"resources": VALUES, "command": VALUES, "ports": VALUES})
SPEC_FIELDS = """
    template replicas affinity tolerations taints overhead initContainers nodeSelector priority resources
    terminationGracePeriodSeconds schedulingGates selector parallelism nodeName topologySpreadConstraints
"""
SPEC = st.fixed_dictionaries(
    {"containers": st.lists(CONTAINER) | VALUES},
    optional=dict.fromkeys(SPEC_FIELDS.split(), VALUES),
)
MANIFEST = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["v1", "apps/v1", "batch/v1"]),
        "kind": st.sampled_from(["Pod", "Node", "Job", "Deployment", "PriorityClass", "Service", "ReplicaSet"]),
        "metadata": st.fixed_dictionaries({"name": WORDS}, optional={"labels": VALUES, "annotations": VALUES}) | VALUES,
    },
    optional={"spec": SPEC | VALUES, "status": st.dictionaries(WORDS, VALUES, max_size=3) | VALUES, "value": VALUES},
)
GROUP = st.fixed_dictionaries(
    {"cpu": VALUES, "memory": VALUES},
    optional={"count": st.integers(-1, 9), "taints": VALUES, "labels": VALUES, "zone": VALUES, "resources": VALUES},
)
GENERATOR_FIELDS = """
    jobs type file format lenient parameters swing peak period every rate bursts duration requests name tolerations
    labels priority
    nodeSelector
"""
GENERATOR = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["burst", "spaced", "poisson", "bursty", "diurnal", "lublin", "fitted"]),
        "pods": st.integers(0, 9),
    },
    optional=dict.fromkeys(GENERATOR_FIELDS.split(), VALUES),
)
SPEEDS = st.sampled_from(["1Gf", "1e9f", "x", "", "0f"])
PLATFORM = st.builds(
    '<platform version="4"><host id="{}" speed="{}" core="{}"/><cluster radical="{}" speed="1f"/></platform>'.format,
    st.text("aZ-._1é", max_size=5),
    SPEEDS,
    st.sampled_from(["1", "", "-3", "x"]),
    st.text("0123456789,- ", max_size=6),
)


SWF_WORDS = st.sampled_from(["0", "1", "-1", "60", "-7", "1.5", "1e400", "nan", "x", ";", "9" * 30, "\xff", "5"])
SWF_LINE = st.lists(SWF_WORDS, max_size=20).map(" ".join) | st.lists(SWF_WORDS, min_size=18, max_size=18).map(" ".join)
SWF = st.lists(SWF_LINE, max_size=5).map("\n".join)
CSV_HEADERS = """
    name namespace arrival_s arrival_ns duration_s walltime_s pods exit_code cpu_milli memory_bytes cpu memory priority
    scheduler label:a selector:b nvidia.com/gpu hugepages-2Mi label: x
"""
CSV_CELLS = st.sampled_from(
    ["", "a", "b", "0", "1", "-1", "2.5", "nan", "1e400", "9" * 30, "1Gi", '"', "é", "_", "A B", "1e9", " ", "'", "٣"]
)
CSV = st.lists(st.sampled_from(CSV_HEADERS.split()), min_size=1, max_size=5, unique=True).flatmap(
    lambda header: st.lists(
        st.lists(CSV_CELLS, min_size=len(header), max_size=len(header)) | st.lists(CSV_CELLS, max_size=6), max_size=5
    ).map(lambda rows: "\n".join(",".join(row) for row in (header, *rows)))
)
EVENTS = st.lists(
    (VALUES | st.fixed_dictionaries({"type": st.just("machine_available"), "resources": VALUES, "timestamp": VALUES}))
    .map(json.dumps)
    .map(str),
    max_size=3,
).map("\n".join)


def survives(read: Callable[[], object]) -> None:
    with suppress(InputError):
        read()


def as_text(value: Any) -> str:
    return json.dumps(value)


def objects_of(file: InputFile) -> object:
    return Cluster(read_cluster_manifests(file)).resources(SpecTable())


@given(st.text() | VALUES.map(as_text) | BATSIM.map(as_text))
def test_batsim(text: str) -> None:
    survives(lambda: arrivals_of(BatsimWorkload(a_file(text))))


@given(st.text() | VALUES.map(as_text) | MANIFEST.map(as_text) | st.lists(MANIFEST, max_size=3).map(as_text))
def test_manifests_as_a_workload(text: str) -> None:
    survives(lambda: arrivals_of(ManifestWorkload(a_file(text))))


@given(st.text() | VALUES.map(as_text) | MANIFEST.map(as_text) | st.lists(MANIFEST, max_size=3).map(as_text))
def test_manifests_as_a_cluster(text: str) -> None:
    survives(lambda: objects_of(a_file(text)))


@given(st.text() | st.text().map(lambda text: f'<platform version="4">{text}</platform>') | PLATFORM)
def test_platforms(text: str) -> None:
    survives(lambda: Cluster(read_platform(a_file(text))).resources(SpecTable()))


@given(text=st.text() | SWF, lenient=st.booleans())
def test_swf(text: str, lenient: bool) -> None:
    survives(lambda: arrivals_of(SwfWorkload(InputFile(Path("in.swf"), text, lenient=lenient))))


@given(text=st.text() | CSV, lenient=st.booleans())
@example(text="duration_s,name,namespace,arrival_s,walltime_s\n,,,,", lenient=True)  # no row is left
def test_csv_as_a_workload(text: str, lenient: bool) -> None:
    survives(lambda: arrivals_of(CsvWorkload(InputFile(Path("in.csv"), text, lenient=lenient))))


@given(text=st.text() | CSV, lenient=st.booleans())
def test_csv_as_a_cluster(text: str, lenient: bool) -> None:
    file = InputFile(Path("in.csv"), text, lenient=lenient)
    survives(lambda: Cluster(read_csv_nodes(file)).resources(SpecTable()))


# the same cases every time: a spoiled length may make polars ask for more memory than there is, which cannot be caught
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, derandomize=True)
@given(at=st.integers(0, 2000), noise=st.binary(min_size=1, max_size=8))
def test_parquet(tmp_path: Path, at: int, noise: bytes) -> None:
    path = tmp_path / "in.parquet"
    pl.DataFrame({"name": ["a", "b"], "arrival_s": [0.0, 1.0], "cpu_milli": [1, 2]}).write_parquet(path)
    data = bytearray(path.read_bytes())
    data[at : at + len(noise)] = noise
    path.write_bytes(data)
    survives(lambda: arrivals_of(open_workload(path)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text() | EVENTS)
def test_events(tmp_path: Path, text: str) -> None:
    path = tmp_path / "events"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    survives(lambda: read_events(path))


@given(VALUES | st.lists(GROUP, max_size=3))
def test_groups_of_nodes(groups: object) -> None:
    survives(lambda: cluster_of(groups).resources(SpecTable()))


@given(VALUES | GENERATOR)
def test_generators(document: object) -> None:
    survives(lambda: arrivals_of(generator_of(document)))


@pytest.mark.parametrize("read", [open_workload, lambda path: open_cluster([path])], ids=["workload", "cluster"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary() | st.text().map(str.encode))
@example(data=b"\x1f\x8b")
@example(data=b"\xff\xfe<\x00")
@example(data=b"[" * 100_000)
def test_files_of_any_bytes(tmp_path: Path, read: Callable[[Path], object], data: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(data)
    survives(lambda: read(path))
