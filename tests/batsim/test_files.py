"""The files of a run."""

import csv

import pytest

from tests.batsim.scripted import ScriptedScheduler, start_at_once
from wavetank.batsim.platform.platform import PlatformOptions
from wavetank.batsim.protocol import ProtocolError
from wavetank.batsim.run import BatsimRun, simulate
from wavetank.batsim.server.options import ServerOptions

PLATFORM = """<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1Mf"/>
  <host id="a" speed="1Mf"><prop id="wattage_per_state" value="100:200"/></host>
  <host id="b" speed="1Mf"><prop id="wattage_per_state" value="100:200"/></host></zone></platform>"""
WORKLOAD = """{"nb_res": 2, "jobs": [
  {"id": 1, "subtime": 1, "res": 1, "profile": "d", "walltime": 20}, {"id": 2, "subtime": 2, "res": 2, "profile": "c"},
  {"id": 3, "subtime": 2, "res": 1, "profile": "d"}],
  "profiles": {"d": {"type": "delay", "delay": 10}, "c": {"type": "parallel_homogeneous", "cpu": 4e6}}}"""


def one_after_the_other():
    """Starts a job when nothing runs; rejects job 3."""
    waiting, running = [], []

    def decide(now, kind, data):
        if kind == "JOB_SUBMITTED":
            waiting.append(data)
        elif kind == "JOB_COMPLETED":
            running.pop()
        if not waiting or running:
            return []
        data = waiting.pop(0)
        running.append(data)
        if data["job_id"] == "w0!3":
            return [("REJECT_JOB", {"job_id": running.pop()["job_id"]})]
        told = ("SET_JOB_METADATA", {"job_id": data["job_id"], "metadata": "x"})
        return [*start_at_once(now, "JOB_SUBMITTED", data), told]

    return ScriptedScheduler(decide)


def a_run(tmp_path, **options):
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(WORKLOAD)
    return BatsimRun(tmp_path / "p.xml", [tmp_path / "w.json"], str(tmp_path / "out" / "x"), **options)


def rows(tmp_path, name):
    with (tmp_path / "out" / f"x_{name}").open(newline="") as file:
        return list(csv.DictReader(file))


def test_jobs_in_the_order_of_their_ends(tmp_path):
    simulate(a_run(tmp_path), one_after_the_other())
    first, second, rejected = rows(tmp_path, "jobs.csv")
    assert list(first.values()) == [
        *("1", "w0", "d", "1.000000", "1", "20.000000", "1", "COMPLETED_SUCCESSFULLY"),
        *("1.000000", "10.000000", "11.000000", "0.000000", "10.000000", "1.000000", "0", "-1.000000", "x"),
    ]
    assert second["allocated_resources"] == "0-1"
    assert (second["starting_time"], second["stretch"]) == ("11.000000", "3.250000")
    assert rejected["final_state"] == "REJECTED"
    assert {rejected[name] for name in ("starting_time", "execution_time", "waiting_time", "stretch")} == {""}


def test_totals_and_states_of_machines(tmp_path):
    simulate(a_run(tmp_path, platform_options=PlatformOptions(energy=True)), one_after_the_other())
    (totals,) = rows(tmp_path, "schedule.csv")
    assert list(totals) == sorted(totals)
    assert totals["makespan"] == "15.000000"
    assert totals["consumed_joules"] == f"{10 * 200 + 4 * 400:.6f}"  # from the first submission at 1 s
    assert (totals["nb_jobs"], totals["nb_jobs_finished"], totals["nb_jobs_rejected"]) == ("3", "2", "1")
    assert (totals["time_computing"], totals["time_idle"]) == ("18.000000", "12.000000")
    states = [(row["time"], row["nb_idle"], row["nb_computing"]) for row in rows(tmp_path, "machine_states.csv")]
    assert states == [
        ("0.000000", "2", "0"),
        ("1.000000", "1", "1"),
        ("11.000000", "0", "2"),
        ("15.000000", "2", "0"),
    ]
    energy = rows(tmp_path, "consumed_energy.csv")
    assert [row["event_type"] for row in energy] == ["s", "e", "s", "e"]
    assert (energy[1]["energy"], energy[1]["epower"], energy[2]["epower"]) == ("2200", "200", "NA")
    assert rows(tmp_path, "pstate_changes.csv") == [{"time": "0", "machine_id": "0-1", "new_pstate": "0"}]


def test_the_trace_names_machines_and_jobs(tmp_path):
    simulate(a_run(tmp_path), one_after_the_other())
    trace = (tmp_path / "out" / "x_schedule.trace").read_text().splitlines()
    assert trace[0] == "%EventDef PajeDefineContainerType 1"
    assert "6 11.000000 MS m1 jw0!2" in trace
    assert "6 15.000000 MS m1 w" in trace


def test_traces_can_be_switched_off(tmp_path):
    simulate(a_run(tmp_path, schedule_trace=False, machine_states=False), one_after_the_other())
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"x_jobs.csv", "x_schedule.csv"}


def test_results_so_far_are_written_if_the_scheduler_fails(tmp_path):
    def decide(now, kind, data):
        if kind == "JOB_COMPLETED":
            return [("EXECUTE_JOB", {"job_id": "w0!99", "alloc": "0"})]
        return start_at_once(now, kind, data)

    with pytest.raises(ProtocolError, match="w0!99"):
        simulate(a_run(tmp_path, options=ServerOptions(compute_sharing=True)), ScriptedScheduler(decide))
    assert [row["job_id"] for row in rows(tmp_path, "jobs.csv")] == ["2"]
