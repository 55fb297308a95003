"""What the tests of traces share: files made of text, with options, and what their pods come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import Workload


def a_trace(*lines: str, lenient: bool = False, **options: Any) -> InputFile:
    text = "\n".join(lines) + "\n"
    return InputFile(Path("t.csv"), text, lenient=lenient, options=options)


def lives_of(workload: Workload) -> list[tuple[str, float, float | None]]:
    """Returns (name, arrival, duration) of each pod, in seconds."""
    lives = []
    for time, pod in arrivals_of(workload):
        assert pod.behavior is not None
        duration = None if pod.behavior.duration is None else pod.behavior.duration / SECOND
        lives.append((pod.name, time / SECOND, duration))
    return lives


def only_pod(workload: Workload) -> Pod:
    (arrival,) = arrivals_of(workload)
    return arrival.pod


def lines_of(path: Path) -> list[list[str]]:
    """Returns the cells of each line that is not empty, read in the simplest way."""
    return [line.split(",") for line in path.read_text().splitlines() if line.strip()]
