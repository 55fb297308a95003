from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import arrivals_of, names_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads import inputfile
from wavetank.workloads.formats.swf.workload import SwfWorkload
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import open_workload

FIELDS = ("job", "submit", "wait", "run", "used", "cpu", "used_kb", "asked", "limit", "asked_kb", "status")


def a_line(job: int = 1, **given: Any) -> str:
    fields = {**dict.fromkeys(FIELDS, -1), "job": job, "submit": 0, "run": 60, "asked": 1, "status": 1, **given}
    rest = [-1] * 5 + [given.get("after", -1), -1]
    return " ".join(str(fields[name]) for name in FIELDS) + " " + " ".join(map(str, rest)) + "\n"


def read(*lines: str, lenient: bool = False, **options: Any) -> SwfWorkload:
    return SwfWorkload(InputFile(Path("in.swf"), "".join(lines), lenient=lenient, options=options))


def test_a_job_becomes_a_pod_per_processor_that_run_together() -> None:
    workload = read(a_line(7, submit=5, run=90, asked=3, limit=100, asked_kb=2048))
    arrivals = arrivals_of(workload)
    assert [arrival.pod.name for arrival in arrivals] == ["7-0", "7-1", "7-2"]
    assert {arrival.time for arrival in arrivals} == {5 * SECOND}
    pod = arrivals[0].pod
    assert dict(pod.requests) == {"cpu": 1000, "memory": 2048 * 1024}
    assert pod.behavior is not None
    assert pod.behavior.job is arrivals[2].pod.behavior.job  # type: ignore[union-attr]
    assert (pod.behavior.duration, pod.behavior.exit_code) == (90 * SECOND, 0)
    assert (pod.behavior.job.id, pod.behavior.job.size, pod.behavior.job.walltime) == ("7", 3, 100 * SECOND)  # type: ignore[union-attr]
    assert workload.description == "1 jobs from in.swf"


def test_a_job_may_become_one_pod() -> None:
    (arrival,) = arrivals_of(read(a_line(asked=4, asked_kb=100), podsPerJob="one", cpu="500m"))
    assert arrival.pod.name == "1"
    assert dict(arrival.pod.requests) == {"cpu": 2000, "memory": 4 * 100 * 1024}


@pytest.mark.parametrize(
    ("given", "size", "memory", "walltime", "exit_code"),
    [
        pytest.param({"asked": -1, "used": 2}, 2, None, None, 0, id="processors used, if none are requested"),
        pytest.param({"asked": 3, "used": 2}, 3, None, None, 0, id="requested ones count"),
        pytest.param({"asked": -1}, 1, None, None, 0, id="one processor if nothing is known"),
        pytest.param({"used_kb": 10}, 1, 10240, None, 0, id="used memory, if none is requested"),
        pytest.param({"used_kb": 10, "asked_kb": 20}, 1, 20480, None, 0, id="requested memory counts"),
        pytest.param({"limit": 61}, 1, None, 61, 0, id="the requested time is a limit"),
        pytest.param({"limit": 59}, 1, None, None, 0, id="unless the job outran it"),
        pytest.param({"status": 0}, 1, None, None, 1, id="a failed job"),
        pytest.param({"status": 5}, 1, None, None, 143, id="a job that was cancelled while it ran"),
        pytest.param({"status": -1}, 1, None, None, 0, id="of unknown status"),
    ],
)
def test_what_a_job_asks_for(
    given: dict[str, int], size: int, memory: int | None, walltime: int | None, exit_code: int
) -> None:
    first, *others = arrivals_of(read(a_line(**given)))
    run = first.pod.behavior
    assert run is not None
    assert run.job is not None
    assert 1 + len(others) == size
    assert first.pod.requests.get("memory") == memory
    assert run.job.walltime == (None if walltime is None else walltime * SECOND)
    assert run.exit_code == exit_code


def test_what_never_ran_is_left_out_and_counted() -> None:
    lines = a_line(1), a_line(2, status=5, run=-1), a_line(3, status=5, run=0), a_line(4, status=3), a_line(5, run=0)
    file = InputFile(Path("in.swf"), "".join(lines))
    assert names_of(SwfWorkload(file)) == ["1", "5"]
    assert file.skipped == {"job that was cancelled before it ran": 2, "part of a job": 1}


def test_what_is_assumed_is_counted_once() -> None:
    file = InputFile(Path("in.swf"), a_line(asked=0, used=-1) + a_line(2, after=1))
    arrivals_of(SwfWorkload(file))
    assert file.assumed == {
        "job of unknown size, taken as 1 processor": 1,
        "job that follows another, submitted at its recorded time": 1,
    }


def test_jobs_come_in_the_order_of_time() -> None:
    workload = read(a_line(1, submit=9), a_line(2, submit=3), a_line(3, submit=9), a_line(4, submit=0))
    assert names_of(workload) == ["4", "2", "1", "3"]


def test_comments_blank_lines_and_fractions_are_read() -> None:
    workload = read("; MaxProcs: 64\n;  Note: é\n\n", a_line(run=1.5), "  \n; between\n", a_line(2, run=2))
    first, second = arrivals_of(workload)
    assert first.pod.behavior.duration == 1.5 * SECOND  # type: ignore[union-attr]
    assert second.pod.behavior.duration == 2 * SECOND  # type: ignore[union-attr]
    assert workload.processors == 64


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param("1 2 3\n", "in.swf: line 2: expected 18 fields, got 3", id="a truncated line"),
        pytest.param(a_line(2)[:-4] + " x\n", "in.swf: line 2: think time: expected a number, got 'x'", id="a word"),
        pytest.param(a_line(2, run=-7), "in.swf: line 2: run time: expected a number from 0", id="a negative time"),
        pytest.param(a_line(2, run=-1), "in.swf: line 2: run time: expected a number from 0", id="an unknown time"),
        pytest.param(a_line(2, run="nan"), "in.swf: line 2: run time: expected a number, got 'nan'", id="not a number"),
        pytest.param(a_line(2, run=10**30), "in.swf: line 2: run time", id="a time beyond all clocks"),
        pytest.param(a_line(2, submit=-1), "in.swf: line 2: submit time", id="before the beginning"),
        pytest.param(a_line(2, asked=10**7), "in.swf: line 2: requested processors", id="too many processors"),
        pytest.param(a_line(2, asked=1.5), "in.swf: line 2: requested processors", id="half a processor"),
        pytest.param(a_line(2, status=9), "in.swf: line 2: status", id="an unknown status"),
        pytest.param(a_line(1), "in.swf: line 2: makes a pod of the same name as line 1", id="a number that repeats"),
        pytest.param("\xff\n", "in.swf: line 2: expected 18 fields, got 1", id="no text at all"),
    ],
)
def test_a_bad_line_is_named_or_left_out(lines: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(a_line(1), lines, a_line(3))
    assert message in str(caught.value)
    assert names_of(read(a_line(1), lines, a_line(3), lenient=True)) == ["1", "3"]


def extended(line: str, *more: object) -> str:
    return f"{line.strip()} {' '.join(map(str, more))}\n"


@pytest.mark.parametrize("more", [(1, -1), ("linux:x86", "1:ppn=4", 7), ("a text of several words",)])
def test_fields_after_the_18th_are_ignored_with_one_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[object, ...]
) -> None:
    monkeypatch.setattr(inputfile, "_BLOCK", 64)
    path = tmp_path / "metacentrum.swf"
    path.write_text("".join(extended(a_line(i, run=i), *more) for i in (1, 2, 3)))
    opened = open_workload(path)
    assert opened.format == "swf"
    assert names_of(opened.workload) == ["1", "2", "3"]
    assert opened.notes == ["assumed: 3 × line with more than 18 fields, of which the first 18 are read"]


def test_a_single_line_of_more_fields_is_an_error() -> None:
    with pytest.raises(InputError, match="line 2: expected 18 fields, got 19"):
        read(a_line(1), extended(a_line(2), 7))


def test_a_file_of_which_every_line_is_left_out_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        read("1 2 3\n", "4 5 6\n", lenient=True)
    assert "every entry is left out, because none can be read; the first: line 1: expected 18 fields, got 3" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"podsPerJob": "two"}, "options.podsPerJob: expected one-per-processor or one", id="pods"),
        pytest.param({"cpu": "x"}, "options.cpu: 'x' is not a quantity", id="cpu"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(a_line(), **options)
    assert message in str(caught.value)


def test_lines_are_counted_over_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputfile, "_BLOCK", 64)
    lines = [a_line(i) for i in range(1, 50)]
    assert len(names_of(read("; header\n", *lines))) == 49
    with pytest.raises(InputError, match="line 51: expected 18 fields"):
        read("; header\n", *lines, "1 2\n")


@pytest.mark.parametrize(
    ("name", "processors"),
    [
        pytest.param("KTH-SP2-1996-2.1-cln.swf", 100, id="KTH"),
        pytest.param("NASA-iPSC-1993-3.1-cln.swf.gz", 128, id="NASA, gzipped"),
    ],
)
def test_a_real_trace_has_what_awk_counts(name: str, processors: int) -> None:
    path = shared_data(f"swf/{name}")
    size = "n = $8 > 0 ? $8 : $5 > 0 ? $5 : 1"
    counts = "jobs++; pods += n; work += n * $4"
    program = f'!/^;/ && NF {{{size}; {counts}}} END {{printf "%d %d %.0f", jobs, pods, work}}'
    counted = subprocess.run(
        f"zcat -f '{path}' | awk '{program}'", shell=True, capture_output=True, text=True, check=True
    ).stdout
    opened = open_workload(path)
    workload = opened.workload
    assert isinstance(workload, SwfWorkload)
    pods = [arrival.pod for arrival in arrivals_of(opened)]
    work = sum(pod.behavior.duration or 0 for pod in pods if pod.behavior) // SECOND
    assert counted == f"{workload.jobs} {len(pods)} {work}"
    assert workload.processors == processors
