"""What is written and read again is the same, and what a format cannot express is said."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.paths import shared_data
from tests.workloads.inputs import a_file, a_manifest, arrivals_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.convert.writers import TARGETS, write_workload
from wavetank.workloads.formats.batsim.workload import BatsimWorkload
from wavetank.workloads.formats.manifests import ManifestWorkload
from wavetank.workloads.formats.plaincsv import CsvWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import open_workload
from wavetank.workloads.records import Record, Records, records_of
from wavetank.workloads.workload import Workload

COLUMNS = "arrival_ns,duration_ns,pods,walltime_ns,exit_code,cpu_milli,memory_bytes"
EXTRA = "nvidia.com/gpu,priority,namespace,scheduler,label:app,selector:disk"


def a_workload(rows: list[tuple[Any, ...]], header: str = COLUMNS) -> CsvWorkload:
    cells = [f"{i}," + ",".join("" if cell is None else str(cell) for cell in row) for i, row in enumerate(rows)]
    return CsvWorkload(InputFile(Path("in.csv"), f"name,{header}\n" + "\n".join(cells)))


def seen(workload: Workload) -> list[tuple[Any, ...]]:
    """Returns what a simulation would see of each pod, in an order that does not depend on ties."""
    return sorted(map(_facts, arrivals_of(workload)), key=lambda facts: facts[:2])


def jobs_of(workload: Workload) -> list[tuple[Any, ...]]:
    """Returns the same of each job, for traces with too many pods to look at each."""
    jobs = records_of(workload)()
    return sorted(
        (job.time, job.name, job.size, tuple(job.requests.items()), job.behavior.duration, job.behavior.exit_code)
        for job in jobs
    )


def _facts(arrival: Any) -> tuple[Any, ...]:
    pod, run = arrival.pod, arrival.pod.behavior
    job = run.job and (run.job.id, run.job.size, run.job.walltime)
    spec = (pod.priority, pod.scheduler_name, pod.spec.manifest.get("nodeSelector"), dict(pod.requests))
    return (arrival.time, pod.name, pod.namespace, dict(pod.labels), spec, run.duration, run.exit_code, job)


def again(workload: Workload, suffix: str) -> tuple[Workload, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out{suffix}"
        written = write_workload(records_of(workload), path)
        read = open_workload(path)
        read.arrivals(SpecTable(), None)  # type: ignore[arg-type]
        return _held(read), written.notes


def _held(workload: Workload) -> Workload:
    """Returns a workload that has been read as a whole, so that its file may go."""
    arrivals = arrivals_of(workload)

    class Held:
        description = workload.description

        def arrivals(self, *_: Any) -> Iterator[Any]:
            return iter(arrivals)

    return Held()


NANOSECONDS = st.integers(0, 10**9 * SECOND)
SECONDS = st.integers(0, 10**6).map(lambda value: value * SECOND)
MILLISECONDS = st.integers(1, 10**9).map(lambda value: value * 10**6)
AMOUNTS = st.integers(0, 2**50)


@settings(deadline=None)
@given(
    suffix=st.sampled_from([".csv", ".parquet"]),
    jobs=st.lists(
        st.tuples(
            NANOSECONDS,
            st.none() | NANOSECONDS,
            st.integers(1, 4),
            st.none() | NANOSECONDS,
            st.integers(0, 255),
            st.none() | AMOUNTS,
            st.none() | AMOUNTS,
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_tables_of_jobs(suffix: str, jobs: list[tuple[Any, ...]]) -> None:
    workload = a_workload(jobs)
    read, notes = again(workload, suffix)
    assert seen(read) == seen(workload)
    assert notes == []


@settings(deadline=None)
@given(
    suffix=st.sampled_from([".csv", ".parquet", ".yaml"]),
    pods=st.lists(
        st.tuples(
            NANOSECONDS,
            st.none() | NANOSECONDS,
            st.none() | AMOUNTS,
            st.none() | st.integers(0, 8),
            st.none() | st.integers(-9, 9),
            st.sampled_from([None, "a", "b"]),
            st.sampled_from([None, "mine"]),
            st.sampled_from([None, "x", "Y.z"]),
            st.sampled_from([None, "ssd"]),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_tables_and_manifests_of_pods(suffix: str, pods: list[tuple[Any, ...]]) -> None:
    workload = a_workload(pods, f"arrival_ns,duration_ns,cpu_milli,{EXTRA}")
    read, notes = again(workload, suffix)
    assert seen(read) == seen(workload)
    assert notes == []


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            MILLISECONDS,
            MILLISECONDS,
            st.integers(1, 4),
            st.none() | MILLISECONDS,
            st.integers(0, 255),
            AMOUNTS,
            st.none() | AMOUNTS,
        ),
        min_size=1,
        max_size=6,
    )
)
def test_batsim(jobs: list[tuple[Any, ...]]) -> None:
    workload = a_workload(jobs)
    read, notes = again(workload, ".json")
    assert seen(read) == seen(workload)
    assert notes == []


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            SECONDS,
            st.integers(1, 1000).map(lambda value: value * SECOND),
            st.integers(1, 4),
            st.none() | st.integers(1001, 2000).map(lambda value: value * SECOND),
            st.sampled_from([0, 1, 143]),
            st.just(1000),
            st.none() | st.integers(1, 2**30).map(lambda value: value * 1024),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_swf(jobs: list[tuple[Any, ...]]) -> None:
    workload = a_workload(jobs)
    read, notes = again(workload, ".swf")
    assert seen(read) == seen(workload)
    assert notes == []


@pytest.mark.parametrize("suffix", [".json", ".swf", ".csv", ".parquet"])
def test_a_real_trace_survives_every_format_for_jobs(suffix: str) -> None:
    workload = open_workload(shared_data("swf/NASA-iPSC-1993-3.1-cln.swf.gz"))
    read, notes = again(workload, suffix)
    given = jobs_of(workload)
    if suffix == ".json":
        expected = [facts for facts in given if facts[4]]
        assert notes == [f"left out: {len(given) - len(expected)} × job that takes no time (batsim has none)"]
        assert jobs_of(read) == expected
    else:
        assert jobs_of(read) == given
        assert notes == []


COMPUTING = BatsimWorkload(
    a_file(
        {
            "nb_res": 2,
            "jobs": [
                {"id": "1", "subtime": 1, "res": 2, "profile": "c"},
                {"id": "2", "subtime": 2, "res": 1, "profile": "f"},
                {"id": "3", "subtime": 3, "res": 1, "profile": "r"},
            ],
            "profiles": {
                "d": {"type": "delay", "delay": 3},
                "f": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0},
                "r": {"type": "parallel_homogeneous", "cpu": 2e9, "com": 0, "ret": 4},
                "c": {"type": "composed", "seq": ["d", "f"]},
            },
        }
    )
)


def test_batsim_keeps_work_that_depends_on_the_host() -> None:
    read, notes = again(COMPUTING, ".json")
    assert seen(read) == seen(COMPUTING)
    flops = [arrival.pod.behavior.flops for arrival in arrivals_of(read) if arrival.pod.behavior]
    assert flops == [1e9, 1e9, 1e9, 2e9]
    assert notes == []


PLAIN = [(0, SECOND, 1, None, 0, 1000, None)]
POD = a_manifest(
    metadata={"name": "a", "labels": {"x": "y"}, "namespace": "team"},
    spec={
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "500m", "nvidia.com/gpu": 1}}}],
        "tolerations": [{"operator": "Exists"}],
    },
)


def manifests(**annotations: str) -> Callable[[], Workload]:
    given = {f"wavetank.dev/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return lambda: ManifestWorkload(a_file({**POD, "metadata": {**POD["metadata"], "annotations": given}}))


@pytest.mark.parametrize(
    ("workload", "suffix", "notes"),
    [
        pytest.param(
            manifests(),
            ".json",
            ["left out: 1 × pod that runs forever (batsim has none)"],
            id="Batsim knows no end of services",
        ),
        pytest.param(
            manifests(duration="1", termination="2"),
            ".json",
            [
                f"not written: 1 × {what} (batsim cannot express it)"
                for what in (
                    "toleration",
                    "time that a pod needs to stop",
                    "namespace",
                    "label set",
                    "request for nvidia.com/gpu",
                )
            ],
            id="nor tolerations, labels and GPUs",
        ),
        pytest.param(
            manifests(duration="1.5"),
            ".swf",
            [
                f"not written: 1 × {what} (swf cannot express it)"
                for what in (
                    "toleration",
                    "namespace",
                    "label set",
                    "name, replaced by a number",
                    "fraction of a second",
                    "fraction of a CPU, rounded up",
                    "request for nvidia.com/gpu",
                )
            ],
            id="SWF is for whole numbers",
        ),
        pytest.param(
            manifests(duration="1"),
            ".csv",
            ["not written: 1 × toleration (csv cannot express it)"],
            id="CSV has labels but no tolerations",
        ),
        pytest.param(
            lambda: COMPUTING,
            ".yaml",
            ["left out: 3 × job whose time depends on the host's speed (manifests has none)"],
            id="manifests state times",
        ),
        pytest.param(
            lambda: a_workload([(0, SECOND, 2, 9, 0, 1, 1)]),
            ".yaml",
            [
                "not written: 1 × job whose pods start their work together (manifests cannot express it)",
                "not written: 1 × time limit of a job (manifests cannot express it)",
            ],
            id="and know no jobs",
        ),
    ],
)
def test_what_cannot_be_expressed_is_said(workload: Callable[[], Workload], suffix: str, notes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert write_workload(records_of(workload()), Path(folder) / f"out{suffix}").notes == notes


def test_the_format_is_told_by_the_suffix_or_by_name(tmp_path: Path) -> None:
    records = records_of(a_workload(PLAIN))
    assert write_workload(records, tmp_path / "out.SWF").format == "swf"
    assert write_workload(records, tmp_path / "out.txt", "csv").format == "csv"
    with pytest.raises(InputError, match=r"out\.txt: the suffix does not tell the format: expected one of \.json"):
        write_workload(records, tmp_path / "out.txt")


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_half_written_stays(tmp_path: Path, name: str) -> None:
    good = records_of(a_workload(PLAIN))

    def failing() -> Iterator[Record]:
        yield from good()
        raise InputError("the file ends here")

    path = tmp_path / "out"
    path.write_text("before")
    records: Records = failing
    with pytest.raises(InputError, match="the file ends here"):
        write_workload(records, path, name)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out\.csv: cannot be written: No such file or directory"):
        write_workload(records_of(a_workload(PLAIN)), tmp_path / "gone" / "out.csv")
