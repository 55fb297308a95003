from __future__ import annotations

import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import a_trace, lines_of, lives_of
from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.gpus import GPU
from wavetank.errors import InputError
from wavetank.workloads.formats.philly import PhillyWorkload, is_philly
from wavetank.workloads.inputfile import InputFile

HEADER = "timestamp,duration,num_gpus,gpu_time,cluster"


def a_line(at: str = "2017-10-09 07:01:55", duration: float = 66.0, gpus: int = 1) -> str:
    return f"{at},{duration},{gpus},{duration * gpus},11cb48"


def test_times_count_from_the_first_submission() -> None:
    file = a_trace(HEADER, a_line("2017-10-10 00:00:05"), a_line("2017-10-09 23:59:55", 2.5))
    assert lives_of(PhillyWorkload(file)) == [("job-3", 0, 2.5), ("job-2", 10, 66)]


@pytest.mark.parametrize(
    ("gpus", "options", "pods"),
    [
        pytest.param(1, {}, [1], id="one"),
        pytest.param(8, {}, [8], id="a whole machine"),
        pytest.param(12, {}, [6, 6], id="more than a machine, in equal parts"),
        pytest.param(11, {}, [1] * 11, id="a prime"),
        pytest.param(4, {"gpusPerPod": 2}, [2, 2], id="smaller machines"),
    ],
)
def test_a_job_is_split_into_equal_pods(gpus: int, options: dict[str, int], pods: list[int]) -> None:
    arrivals = arrivals_of(PhillyWorkload(a_trace(HEADER, a_line(gpus=gpus), **options)))
    assert [arrival.pod.requests[GPU] for arrival in arrivals] == pods
    assert {id(arrival.pod.behavior) for arrival in arrivals} == {id(arrivals[0].pod.behavior)}
    assert arrivals[0].pod.labels == {"cluster": "11cb48"}


def test_a_window_counts_from_its_opening() -> None:
    lines = [a_line("2017-10-09 07:00:00"), a_line("2017-10-09 08:00:01"), a_line("2017-10-10 09:00:00")]
    assert [time for _, time, _ in lives_of(PhillyWorkload(a_trace(HEADER, *lines, window="day")))] == [1, 90_000]
    assert [time for _, time, _ in lives_of(PhillyWorkload(a_trace(HEADER, *lines, window="day", day=1)))] == [3600]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(a_line("yesterday"), "line 2, timestamp: expected a time such as", id="no time"),
        pytest.param(a_line(duration=-5), "line 2, duration: expected a number", id="a negative run time"),
        pytest.param(a_line(gpus=0), "line 2, num_gpus: expected a whole number", id="no GPU"),
    ],
)
def test_a_faulty_row_is_named_and_a_lenient_reading_goes_on(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PhillyWorkload(a_trace(HEADER, line))
    assert len(arrivals_of(PhillyWorkload(a_trace(HEADER, line, a_line(), lenient=True)))) == 1


@pytest.mark.parametrize("option", [{"window": "noon"}, {"day": -1}, {"gpusPerPod": 0}], ids=str)
def test_a_wrong_option_is_named(option: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"options\."):
        PhillyWorkload(a_trace(HEADER, a_line(), **option))


def test_the_real_trace_adds_up() -> None:
    path = shared_data("philly/philly.csv")
    rows = lines_of(path)[1:]
    file = InputFile.read(path)
    assert is_philly(file)
    workload = PhillyWorkload(file)
    arrivals = arrivals_of(workload)
    assert workload.description == f"{len(rows)} jobs from philly.csv"
    assert sum(arrival.pod.requests[GPU] for arrival in arrivals) == sum(int(row[2]) for row in rows)
    assert arrivals[0].time == 0
