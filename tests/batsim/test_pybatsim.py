"""Schedulers and tools of the Batsim community: pybatsim 3.2.1 drives us, evalys reads our files."""

from __future__ import annotations

import csv
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.environments import environment
from tests.support.paths import shared_data

# pybatsim asks for a pyzmq (< 23) that has no wheel for today's Python; its code works with newer ones
INSTALLS = (["pyzmq", "docopt", "sortedcontainers", "procset"], ["--no-deps", "pybatsim==3.2.1"], ["evalys==4.0.7"])
MEDIUM, PLATFORM = "batsim/medium_late.workload.json", "batsim/platforms/energy_platform_homogeneous_no_net_128.xml"
SMALL = "batsim/platforms/small_platform.xml"


@pytest.fixture(scope="module")
def programs() -> Path:
    return environment("pybatsim", *INSTALLS)


def drive(programs: Path, scheduler: str, folder: Path, *arguments: str) -> list[dict[str, str]]:
    """Runs `wavetank batsim` for a scheduler of pybatsim; returns the rows of its jobs.csv."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [programs / "pybatsim", scheduler, "-s", f"tcp://127.0.0.1:{port}", "-t", "60000", "-v", "error"]
    log = folder / "pybatsim.log"
    with log.open("w") as out, subprocess.Popen(command, cwd=folder, stdout=out, stderr=out) as process:
        ours = [sys.executable, "-m", "wavetank", "batsim", *arguments, "-e", str(folder / "x")]
        endpoint = ["-s", f"tcp://127.0.0.1:{port}", "--connect-timeout", "60"]
        done = subprocess.run([*ours, *endpoint], capture_output=True, text=True, timeout=120)
        if done.returncode:
            process.kill()
            pytest.fail(done.stderr + log.read_text()[-2000:])
    with (folder / "x_jobs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def later(path: Path, folder: Path) -> Path:
    """Writes a workload whose jobs come a second later: pybatsim's newer schedulers refuse to start one at 0."""
    document = json.loads(path.read_text())
    for job in document["jobs"]:
        job["subtime"] += 1
    (folder / path.name).write_text(json.dumps(document))
    return folder / path.name


SLOW = pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="its FCFS takes half a minute: make test-all")


@pytest.mark.parametrize("scheduler", ["schedFcfs", "easyBackfill", "fillerSched"])
@pytest.mark.parametrize(
    ("workload", "platform", "jobs"),
    [
        pytest.param("batsim/workloads/example_workload_hpc_seed1_jobs250.json", PLATFORM, 250, id="long", marks=SLOW),
        pytest.param("batsim/workloads/test_walltime.json", "batsim/platforms/cluster512.xml", 44, id="walltimes"),
        pytest.param("batsim/workloads/test_sequence_delay.json", SMALL, 10, id="sequences"),
        pytest.param("batsim/workloads/test_same_submit_time.json", SMALL, 18, id="one submission time"),
    ],
)
def test_its_schedulers_reach_the_end(programs, scheduler, workload, platform, jobs, tmp_path):
    workload = later(shared_data(workload), tmp_path)
    files = ("-p", str(shared_data(platform)), "-w", str(workload), "--mmax-workload")
    rows = drive(programs, scheduler, tmp_path, *files)
    assert len(rows) == jobs
    assert all(row["final_state"].startswith("COMPLETED") for row in rows)


EVALYS = """
from evalys.jobset import JobSet
from evalys.mstates import MachineStatesChanges
from evalys.pstates import PowerStatesChanges
jobs = JobSet.from_csv("x_jobs.csv")
states = MachineStatesChanges("x_machine_states.csv")
power = PowerStatesChanges("x_pstate_changes.csv")
print(len(jobs.df), jobs.MaxProcs, states.df.total.max(), len(power.intervals))
"""


def test_evalys_reads_our_files(programs, tmp_path):
    files = ("-p", str(shared_data(PLATFORM)), "-w", str(shared_data(MEDIUM)))
    drive(programs, "easyBackfill", tmp_path, *files, "--mmax-workload", "--energy")
    done = subprocess.run([programs / "python", "-c", EVALYS], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["801", "32", "32", "1"]
