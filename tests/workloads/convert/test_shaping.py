from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.paths import shared_data
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.convert.shaping import find_period, normalized, of_period, trimmed, usage_of
from wavetank.workloads.formats.plaincsv import CsvWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import open_workload
from wavetank.workloads.records import records_of

HOUR = 3600 * SECOND


def a_workload(*rows: tuple[float, float, int, int]) -> CsvWorkload:
    cells = "".join(f"{i},{','.join(map(str, row))},1024\n" for i, row in enumerate(rows))
    return CsvWorkload(InputFile(Path("in.csv"), f"name,arrival_s,duration_s,pods,cpu_milli,memory_bytes\n{cells}"))


def test_run_times_are_trimmed() -> None:
    records = trimmed(records_of(a_workload((0, 50, 1, 1), (1, 200, 1, 1))), 100 * SECOND)
    assert [record.behavior.duration for record in records()] == [50 * SECOND, 100 * SECOND]


def test_jobs_become_single_pods_of_a_nodes_size() -> None:
    records = normalized(records_of(a_workload((0, 1, 8, 1000), (0, 1, 4, 1000), (0, 1, 1, 1))), 5900)
    assert [record.size for record in records()] == [1, 1, 1]
    assert [record.requests["cpu"] for record in records()] == [5900, 2950, 1]
    assert [record.requests["memory"] for record in records()] == [6042, 3021, 756]
    assert [record.behavior.job.size for record in records() if record.behavior.job] == [1, 1, 1]


def test_a_period_begins_with_a_job_and_at_zero() -> None:
    records = records_of(a_workload((10, 5, 1, 1000), (20, 10, 1, 1000), (25, 5, 1, 1000), (40, 20, 1, 1000)))
    workload = a_workload((10, 5, 1, 1000), (20, 10, 1, 1000), (25, 5, 1, 1000), (40, 20, 1, 1000))
    usage = usage_of(workload, records, capacity=2)
    # from 20 s on, 10 s of one job and 5 s of another are 15 of 20 CPU seconds
    found = find_period(records, usage, 10 * SECOND, 0.7)
    assert (found.begin, found.utilization) == (20 * SECOND, pytest.approx(0.75))
    kept = list(of_period(records, found)())
    assert [(record.name, record.time) for record in kept] == [("1", 0), ("2", 5 * SECOND)]


def test_without_a_target_the_period_is_the_first() -> None:
    records = records_of(a_workload((10, 5, 1, 1000), (20, 10, 1, 1000)))
    usage = usage_of(a_workload((10, 5, 1, 1000), (20, 10, 1, 1000)), records)
    assert find_period(records, usage, 10 * SECOND, None).begin == 10 * SECOND


def test_a_machine_of_unknown_size_is_as_large_as_its_peak() -> None:
    workload = a_workload((0, 5, 2, 1000), (5, 5, 3, 1000), (6, 1, 1, 500))
    assert usage_of(workload, records_of(workload)).capacity == 3500


@pytest.mark.parametrize(
    ("length", "message"),
    [(0, "a period must be longer"), (100 * SECOND, "the trace is shorter than a period of 100 s")],
)
def test_a_period_that_cannot_be_is_refused(length: int, message: str) -> None:
    workload = a_workload((0, 5, 1, 1000))
    records = records_of(workload)
    with pytest.raises(InputError, match=message):
        find_period(records, usage_of(workload, records), length, 0.5)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30), st.integers(1, 3)), min_size=2, max_size=12),
    st.integers(1, 20),
)
def test_utilisation_is_what_ran_over_what_could_run(jobs: list[tuple[int, int, int]], length: int) -> None:
    workload = a_workload(*((start, duration, size, 1000) for start, duration, size in sorted(jobs)))
    records = records_of(workload)
    usage = usage_of(workload, records, capacity=4)
    last = max(start + duration for start, duration, _ in jobs)
    if min(start for start, _, _ in jobs) + length > last:
        return
    found = find_period(records, usage, length * SECOND, 0.5)
    begin = found.begin // SECOND
    busy = [sum(size for start, duration, size in jobs if start <= t < start + duration) for t in range(200)]
    assert found.utilization == pytest.approx(np.mean(busy[begin : begin + length]) / 4)


def test_a_period_of_a_real_trace_has_the_utilisation_that_was_asked_for() -> None:
    opened = open_workload(shared_data("swf/KTH-SP2-1996-2.1-cln.swf"))
    records = records_of(opened)
    usage = usage_of(opened.workload, records)
    assert usage.capacity == 100
    found = find_period(records, usage, 10 * HOUR, 0.8)
    assert found.utilization == pytest.approx(0.8, abs=0.001)
    kept = list(of_period(records, found)())
    assert kept[0].time == 0
    assert 0 < kept[-1].time < 10 * HOUR
