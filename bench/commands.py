"""What is measured from outside, as a user would see it: whole commands, with reading and writing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

SHARED = Path(os.environ.get("WAVETANK_SHARED", Path(__file__).parents[2] / "shared"))
WAVETANK = Path(sys.executable).with_name("wavetank")


class Measured(NamedTuple):
    """What a command came to: how many of what in how many seconds, and its peak memory in MiB."""

    number: int
    unit: str
    seconds: float
    peak_mib: float


class MissingError(Exception):
    """What a case needs is not on this machine."""


def race(nodes: int, pods: int) -> Measured:
    """The workload on which simulators were raced: exponential lives at a load of 70 %, from CSV to report."""
    with _race_inputs(nodes, pods) as folder:
        inputs = ("--cluster", folder / "nodes.csv", "--workload", folder / "pods.csv")
        seconds, peak = _timed(WAVETANK, "run", *inputs, "-o", folder / "out")
    return Measured(pods, "pods", seconds, peak)


def k8s_sims(nodes: int) -> Measured:
    """Manifests from the comparison of simulators, from the shell to the report."""
    data = SHARED / "data" / "k8s-sims"
    if not data.is_dir():
        raise MissingError(f"{data} is not there: set WAVETANK_SHARED")
    with tempfile.TemporaryDirectory() as folder:
        inputs = ("--cluster", data / f"nodes-{nodes}.yaml", "--workload", data / f"pods-{nodes}.yaml")
        seconds, peak = _timed(WAVETANK, "run", *inputs, "-o", Path(folder) / "out")
    return Measured(1, "runs", seconds, peak)


def start() -> Measured:
    """The shortest command there is."""
    seconds, peak = _timed(WAVETANK, "--help")
    return Measured(1, "starts", seconds, peak)


@contextmanager
def _race_inputs(nodes: int, pods: int) -> Iterator[Path]:
    maker = SHARED / "tools" / "race_inputs.py"
    if not maker.is_file():
        raise MissingError(f"{maker} is not there: set WAVETANK_SHARED")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, maker, str(nodes), str(pods), folder], check=True)
        yield Path(folder)


def _timed(*command: object) -> tuple[float, float]:
    """Returns the seconds and the peak memory in MiB of a command."""
    begun = time.perf_counter()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0.0
    while child.poll() is None:
        peak = max(peak, _peak_so_far(child.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - begun
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {child.returncode}")
    return seconds, peak


def _peak_so_far(pid: int) -> float:
    """Returns the most memory that a process has held, in MiB; what wait4 tells of a child includes its parent's."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return max((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), default=0.0)


COMMANDS: dict[str, Callable[[], Measured]] = {
    "start: wavetank --help": start,
    "k8s-sims: 700 nodes, from the shell": partial(k8s_sims, 700),
    "race: 1,000 nodes, 100,000 pods, reading and writing included": partial(race, 1_000, 100_000),
    "race: 5,000 nodes, 100,000 pods, reading and writing included": partial(race, 5_000, 100_000),
}

# a minute each: only with --big
BIG: dict[str, Callable[[], Measured]] = {
    "race: 1,000 nodes, 1,000,000 pods, reading and writing included": partial(race, 1_000, 1_000_000),
    "scale: 5,000 nodes, 1,000,000 pods, reading and writing included": partial(race, 5_000, 1_000_000),
}
