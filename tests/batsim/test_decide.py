"""Schedulers of ours behind a simulator that speaks Batsim's protocol."""

import csv
import json

import pytest

from tests.loop.realscheduler import find_kube_scheduler
from tests.support.paths import shared_data
from wavetank.batsim.decide.cluster import DecisionSetting
from wavetank.batsim.decide.process import DecisionProcess
from wavetank.batsim.platform.platform import PlatformOptions
from wavetank.batsim.protocol import ProtocolError
from wavetank.batsim.run import BatsimRun, simulate
from wavetank.batsim.server.options import ServerOptions
from wavetank.cluster.releases import NEWEST
from wavetank.experiments.document.schedulers import parse_entries
from wavetank.simulation.latency.model import parse_latency


class Direct:
    """A decision process in this process."""

    endpoint = "here"

    def __init__(self, scheduler, folder):
        (entry,) = parse_entries([scheduler], folder, NEWEST)
        self.process = DecisionProcess(DecisionSetting(entry, NEWEST, parse_latency("ideal", "")))

    def exchange(self, message):
        return self.process.answer(message, "batsim")


def jobs_of(tmp_path, scheduler, platform, workload, **options):
    run = BatsimRun(platform, [workload], str(tmp_path / "x"), **options)
    direct = Direct(scheduler, tmp_path)
    with direct.process:
        simulate(run, direct)
    with (tmp_path / "x_jobs.csv").open(newline="") as file:
        return {row["job_id"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("queue", ["easy", "conservative"])
def test_every_job_starts_and_costs_what_it_did_in_the_recorded_batsim(queue, tmp_path):
    with shared_data(f"batsim/{queue}_out_jobs.csv").open(newline="") as file:
        theirs = {row["job_id"]: row for row in csv.DictReader(file)}
    platform = shared_data("batsim/platforms/energy_platform_homogeneous_no_net_128.xml")
    workload = shared_data("batsim/medium_late.workload.json")
    options = {"platform_options": PlatformOptions(energy=True), "most_by_workload": True}
    ours = jobs_of(tmp_path, {"name": queue}, platform, workload, **options)
    assert ours.keys() == theirs.keys()
    for job, row in theirs.items():
        assert float(ours[job]["starting_time"]) == pytest.approx(float(row["starting_time"]), abs=1e-5), job
        assert ours[job]["allocated_resources"] == row["allocated_resources"], job
        assert float(ours[job]["consumed_energy"]) == pytest.approx(float(row["consumed_energy"]), rel=1e-6), job


PLATFORM = """<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf">
  <prop id="core" value="4"/></cluster></zone></platform>"""
JOBS = """{"nb_res": 2, "jobs": [%s], "profiles": {"d": {"type": "delay", "delay": 10, "cpu": "2"}}}"""


def a_workload(tmp_path, jobs):
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(JOBS % ", ".join(jobs))
    return tmp_path / "p.xml", tmp_path / "w.json"


SIX = [f'{{"id": {i}, "subtime": {i}, "res": 1, "profile": "d"}}' for i in range(6)]


@pytest.mark.parametrize("scheduler", ["default", "fcfs", "easy"])
def test_a_machine_that_is_not_shared_holds_one_job(scheduler, tmp_path):
    jobs = jobs_of(tmp_path, {"name": scheduler}, *a_workload(tmp_path, SIX))
    assert [float(jobs[str(i)]["starting_time"]) for i in range(6)] == [0, 1, 10, 11, 20, 21]


def test_a_shared_machine_holds_as_many_pods_as_fit(tmp_path):
    options = {"options": ServerOptions(compute_sharing=True)}
    jobs = jobs_of(tmp_path, {"name": "default"}, *a_workload(tmp_path, SIX), **options)
    assert [float(jobs[str(i)]["starting_time"]) for i in range(6)] == [0, 1, 2, 3, 10, 11]


def test_pods_of_a_job_on_one_machine_are_mapped(tmp_path):
    options = {"options": ServerOptions(compute_sharing=True)}
    files = a_workload(tmp_path, ['{"id": 1, "subtime": 0, "res": 2, "profile": "d"}'])
    jobs = jobs_of(tmp_path, {"name": "best-fit"}, *files, **options)
    assert jobs["1"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert jobs["1"]["allocated_resources"] in ("0", "1")  # one machine for both ranks


def test_unavailable_machines_get_no_jobs(tmp_path):
    away = '{"type": "machine_unavailable", "resources": "0", "timestamp": 0}'
    back = '{"type": "machine_available", "resources": "0", "timestamp": 15}'
    (tmp_path / "e.txt").write_text(f"{away}\n{back}\n")
    jobs = jobs_of(tmp_path, {"name": "default"}, *a_workload(tmp_path, SIX), events=[tmp_path / "e.txt"])
    assert {jobs[str(i)]["allocated_resources"] for i in (0, 1)} == {"1"}
    assert float(jobs["2"]["starting_time"]) == 15


def test_a_job_larger_than_the_platform_is_rejected(tmp_path):
    direct = Direct({"name": "fcfs"}, tmp_path)
    begins = {"compute_resources": [{"id": 0, "name": "a"}], "profiles": {}}
    job = {"job_id": "w0!1", "job": {"id": "w0!1", "res": 2, "profile": "d"}}

    def say(now, kind, data):
        message = {"now": now, "events": [{"timestamp": now, "type": kind, "data": data}]}
        return json.loads(direct.exchange(json.dumps(message).encode()))["events"]

    assert say(0, "SIMULATION_BEGINS", begins) == []
    assert say(1, "JOB_SUBMITTED", job) == [{"timestamp": 1, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}}]
    with pytest.raises(ProtocolError, match="batsim: JOB_COMPLETED at 2 s: unknown job"):
        say(2, "JOB_COMPLETED", {"job_id": "w0!7"})


def test_the_real_kube_scheduler_decides(tmp_path):
    find_kube_scheduler()
    entry = {"name": "real", "process": {"package": "kube-scheduler", "version": "v1.35.8"}}
    jobs = jobs_of(tmp_path, entry, *a_workload(tmp_path, SIX))
    assert [float(jobs[str(i)]["starting_time"]) for i in range(6)] == [0, 1, 10, 11, 20, 21]


def test_the_real_kube_scheduler_decides_in_batkubes_time_steps(tmp_path):
    find_kube_scheduler()
    process = {"package": "kube-scheduler", "version": "v1.35.8", "sync": {"mode": "timestep"}}
    jobs = jobs_of(tmp_path, {"name": "steps", "process": process}, *a_workload(tmp_path, SIX))
    assert {row["final_state"] for row in jobs.values()} == {"COMPLETED_SUCCESSFULLY"}
    assert all(float(row["waiting_time"]) >= 0 for row in jobs.values())
