"""Repeated runs are byte-identical: with two processes, and while the machine is busy with something else."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.loop.programs import REAL, an_experiment
from wavetank.experiments.runner import run_experiment

RUNS = 10 if os.environ.get("WAVETANK_ALL") else 2


@contextmanager
def busy_cores():
    """Keeps every core busy."""
    spin = "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: pass"
    spinners = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def digest(folder: Path) -> str:
    """Hashes all files of results but the one with wall-clock figures."""
    summed = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "wall.json"):
        summed.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return summed.hexdigest()


def two_processes():
    usual = {"kind": "poisson", "pods": 80, "rate": 0.5, "duration": {"uniform": [20, 200]}, "requests": {"cpu": 1}}
    together = [{"name": "first", "process": REAL}, {"name": "second", "process": REAL, "schedulerName": "other"}]
    return an_experiment(
        ties="random",
        cluster={"nodes": [{"count": 8, "cpu": 4, "memory": "8Gi", "zone": ["a", "b"]}]},
        workload={"generators": [{"name": "a", **usual}, {"name": "b", **usual, "schedulerName": "other"}]},
        schedulers=[{"name": "both", "together": together}],
    )


def test_two_processes_on_a_busy_machine(tmp_path, record_property):
    digests = []
    with busy_cores():
        for number in range(RUNS):
            out = tmp_path / str(number)
            run_experiment(two_processes(), out, "0.0", jobs=1)
            digests.append(digest(out))
    agreeing = max(digests.count(each) for each in digests)
    record_property("agreeing", f"{agreeing} of {RUNS}")
    print(f"{agreeing} of {RUNS} runs agree")
    assert agreeing == RUNS


@pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="takes a minute: make test-all")
def test_one_process_on_a_busy_machine(tmp_path):
    digests = set()
    with busy_cores():
        for number in range(RUNS):
            experiment = an_experiment(
                cluster={"nodes": [{"count": 16, "cpu": 1, "memory": "4Gi"}]},
                workload={"generator": {"kind": "burst", "pods": 200, "duration": 170, "requests": {"cpu": 1}}},
            )
            run_experiment(experiment, tmp_path / str(number), "0.0", jobs=1)
            digests.add(digest(tmp_path / str(number)))
    assert len(digests) == 1
