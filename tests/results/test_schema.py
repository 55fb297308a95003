"""One schema: files, frames and reports have its columns, and a run with every optional column can be read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wavetank
from tests.experiments.trials import header_of
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.gpus import GPU_COUNT, GPU_MILLI
from wavetank.results import schema
from wavetank.results.columns.decimals import NEVER, seconds_of
from wavetank.results.compare.podrecords import PodRecord
from wavetank.results.layout import results_of, run_folder, run_label, run_of
from wavetank.results.metrics.usage import Buckets
from wavetank.results.read.pods import nanoseconds
from wavetank.results.write.csvfiles import write_columns, write_rows

TABLES = (schema.SUMMARY, *schema.RUN_TABLES, *schema.SWEEP_TABLES)
PAIR = schema.Table(
    "pair.csv", "two columns", (schema.Column("a", int, "one"), schema.Column("b", str, "other", optional=True))
)


def sharing(name: str, gpus: int, milli: int) -> dict[str, Any]:
    annotations = {GPU_COUNT: str(gpus), GPU_MILLI: str(milli)}
    return pod_manifest(name, memory=None, duration="5", annotations=annotations, restartPolicy="Never")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> wavetank.Results:
    """A run that shares GPUs, with a pod that is given several, and with nodes that have a price."""
    folder = tmp_path_factory.mktemp("gpus")
    file = folder / "pods.yaml"
    file.write_text("\n---\n".join(map(json.dumps, [sharing("four", 4, 1000), sharing("part", 1, 500)])))
    labels = {"wavetank.dev/price": "1"}
    nodes = [{"count": 2, "cpu": 8, "memory": "8Gi", "resources": {"nvidia.com/gpu": 4}, "labels": labels}]
    return wavetank.run(cluster={"nodes": nodes}, workload=file, schedulers="GpuPacking", out=folder / "out", jobs=1)


@pytest.mark.parametrize("frame", ["rows", "pandas", "polars"])
def test_pods_with_several_gpus_can_be_read(results: wavetank.Results, frame: Any) -> None:
    pods = results.pods("GpuPacking", 1, frame)
    rows = pods if frame == "rows" else pods.to_dict("records") if frame == "pandas" else pods.to_dicts()
    given = {row["name"]: (row["gpu_milli"], row["gpus"]) for row in rows}
    assert given == {"four": (4000, "0-1-2-3"), "part": (500, "0")}


def test_files_have_the_columns_of_the_schema(results: wavetank.Results) -> None:
    folder = run_folder(results.folder, "GpuPacking", 1)
    priced = (schema.CAPACITY, schema.NODE_TIMELINE, schema.NODE_GROUPS, schema.NAMESPACE_COSTS)
    for table in (schema.PODS, schema.NODES, schema.UTILIZATION, schema.JOBS, schema.SCHEDULE, *priced):
        assert header_of(folder / table.file) == [column.name for column in table.columns]
    services = ("answered_requests", "failed_requests", "p50_response", "p99_response", "overloaded_since")
    energy = ("energy_", "mean_power")
    queues = ("workload", "pending_workloads", "mean_admission", "p95_admission", "lost_workload", "queue_", "cohort_")
    # if no pod ended, with HPAs, services, power models, ClusterQueues
    missing = ("gpu_fragmentation", "hpa_", *services, *energy, *queues)
    names = [column.name for column in schema.SUMMARY.columns if not column.name.startswith(missing)]
    expected = names[: names.index("mean_nodes")]  # the others are of runs with node groups
    assert header_of(results.folder / "summary.csv") == expected


def test_cells_have_the_types_of_the_schema(results: wavetank.Results) -> None:
    tables = {
        schema.SUMMARY: results.summary("rows"),
        schema.PODS: results.pods("GpuPacking", 1, "rows"),
        schema.UTILIZATION: results.utilization("GpuPacking", 1, "rows"),
        schema.JOBS: results.jobs("GpuPacking", 1, "rows"),
    }
    for table, rows in tables.items():
        for name, value in ((name, value) for row in rows for name, value in row.items() if value is not None):
            assert type(value) is table.type_of(name), f"{table.file}: {name}"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.file}: {table.rows[:20]}")
def test_columns_are_described_once(table: schema.Table) -> None:
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    assert all(column.meaning for column in table.columns)
    assert all(column.type is not str for column in table.columns if column.unit)


def test_reported_metrics_are_the_labelled_ones_whatever_their_order() -> None:
    reported = schema.reported_metrics()
    assert {column.name for column in reported} == {column.name for column in schema.METRICS if column.label}
    assert reported[0].name == "makespan_s"


@pytest.mark.parametrize(
    ("names", "table"),
    [
        pytest.param(schema.COMPARED, schema.SUMMARY, id="metrics compared in sweeps"),
        pytest.param(PodRecord._fields, schema.PODS, id="cells of pods that are compared"),
        pytest.param(Buckets.__slots__[2:], schema.UTILIZATION, id="means over time"),  # type: ignore[attr-defined]
    ],
)
def test_selections_of_columns_are_in_the_schema(names: tuple[str, ...], table: schema.Table) -> None:
    assert set(names) <= {column.name for column in table.columns}


def test_an_unknown_column_is_read_as_text() -> None:
    assert schema.PODS.type_of("from-a-later-version") is str


# writing


def test_optional_columns_without_a_value_are_left_out(tmp_path: Path) -> None:
    write_rows(tmp_path, PAIR, [{"a": 1, "b": None}])
    assert (tmp_path / "pair.csv").read_text() == "a\n1\n"
    write_rows(tmp_path, PAIR, [{"a": 1, "b": None}, {"a": 2, "b": "x,y"}])
    assert (tmp_path / "pair.csv").read_text() == 'a,b\n1,\n2,"x,y"\n'


def test_blocks_of_columns_give_the_same_bytes_as_rows(tmp_path: Path) -> None:
    write_columns(tmp_path, PAIR, 3, lambda part: {"a,b": [f"{i},{i}" for i in range(3)[part]]})
    by_columns = (tmp_path / "pair.csv").read_bytes()
    write_rows(tmp_path, PAIR, [{"a": i, "b": str(i)} for i in range(3)])
    assert (tmp_path / "pair.csv").read_bytes() == by_columns


@pytest.mark.parametrize("names", ["b,a", "a,c", "b"])
def test_a_writer_that_disagrees_with_the_schema_is_caught(tmp_path: Path, names: str) -> None:
    with pytest.raises(AssertionError, match=r"pair\.csv has the columns"):
        write_columns(tmp_path, PAIR, 0, lambda part: {names: []})


# reading


@given(st.lists(st.integers(NEVER, 10**17), max_size=20))
def test_times_are_read_back_exactly_as_far_as_seconds_can_tell(times: list[int]) -> None:
    seconds = seconds_of(np.array(times, np.int64))
    read = nanoseconds(seconds)
    assert ((read == NEVER) == np.isnan(seconds)).all()
    assert np.array_equal(seconds_of(read), seconds, equal_nan=True)
    early = np.array(times, np.int64) < 2**51
    assert (read[early] == np.array(times, np.int64)[early]).all()


# folders


def test_a_run_is_known_by_its_folder(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "default", 7)
    assert folder == tmp_path / run_label("default", 7) == tmp_path / "default" / "seed-7"
    assert (results_of(folder), run_of(folder)) == (tmp_path, ("default", 7))
    assert run_of(tmp_path / "default" / "elsewhere") == ("default", None)
