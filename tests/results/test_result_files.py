"""The files of results: their columns, and that they are the same bytes every time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.experiments.trials import a_batsim_workload, header_of, ran, rows_of
from wavetank.experiments import workers

POISSON = {"kind": "poisson", "pods": 60, "rate": 1, "duration": {"exponential": 9}, "requests": {"cpu": 1}}
COLUMNS = {
    "summary.csv": "scheduler seed pods scheduled_pods unscheduled_pods succeeded_pods failed_pods evicted_pods"
    " makespan_s mean_waiting_time_s p95_waiting_time_s max_waiting_time_s mean_turnaround_s"
    " cpu_utilization memory_utilization nodes_used mean_job_latency_s"
    " mean_slowdown slowdown_fairness share_fairness fragmentation",
    "default/seed-1/pods.csv": "namespace name job submitted scheduled started finished node phase reason restarts"
    " cpu_milli memory_bytes requests priority scheduler message",
    "default/seed-1/nodes.csv": "name cpu_milli memory_bytes pods",
    "default/seed-1/utilization.csv": "time_s cpu_utilization memory_utilization pods_running pods_pending nodes",
    "default/seed-1/jobs.csv": "job_id workload_name profile submission_time requested_number_of_resources"
    " requested_time success final_state starting_time execution_time finish_time waiting_time turnaround_time"
    " stretch allocated_resources consumed_energy metadata",
    "default/seed-1/schedule.csv": "batsim_version consumed_joules makespan max_slowdown max_turnaround_time"
    " max_waiting_time mean_slowdown mean_turnaround_time mean_waiting_time nb_computing_machines"
    " nb_grouped_switches nb_jobs nb_jobs_finished nb_jobs_killed nb_jobs_rejected nb_jobs_success"
    " nb_machine_switches scheduling_time simulation_time success_rate time_computing time_idle time_sleeping"
    " time_switching_off time_switching_on",
}


def contents(out: Path) -> dict[str, bytes]:
    """Returns every file whose bytes must not depend on the wall clock."""
    files = (path for path in out.rglob("*") if path.is_file() and path.name != "wall.json")
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(tmp_path: Path, name: str) -> None:
    assert header_of(ran(tmp_path / "out") / name) == COLUMNS[name].split()


def test_one_row_per_scheduler_and_seed(tmp_path: Path) -> None:
    out = ran(tmp_path / "out", schedulers=[{"name": "random-fit"}, {"name": "default"}], seeds=[5, 2])
    runs = [(row["scheduler"], row["seed"]) for row in rows_of(out / "summary.csv")]
    assert runs == [("random-fit", "5"), ("random-fit", "2"), ("default", "5"), ("default", "2")]


@pytest.mark.parametrize("latency", ["ideal", "k3s"])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, latency: str) -> None:
    spec = {
        "workload": {"generator": POISSON},
        "schedulers": [{"name": "random-fit"}],
        "seeds": [1, 2],
        "latency": latency,
    }
    assert contents(ran(tmp_path / "a", **spec)) == contents(ran(tmp_path / "b", **spec))


def test_another_seed_gives_another_workload(tmp_path: Path) -> None:
    out = ran(tmp_path / "out", workload={"generator": POISSON}, seeds=[1, 2])
    one, other = (rows_of(out / "default" / f"seed-{seed}" / "pods.csv") for seed in (1, 2))
    assert [row["submitted"] for row in one] != [row["submitted"] for row in other]


def test_processes_of_their_own_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = ({"id": f"j{i}", "subtime": i % 7, "res": 1 + i % 2} for i in range(40))
    spec = {"workload": a_batsim_workload(tmp_path / "jobs.json", *jobs), "schedulers": [{"name": "random-fit"}]}
    parallel = []
    real = workers.make_in_parallel
    monkeypatch.setattr(workers, "make_in_parallel", lambda *args: parallel.append(args) or real(*args))
    alone = contents(ran(tmp_path / "a", 1, tmp_path, **spec, seeds="1-3"))
    assert not parallel
    assert contents(ran(tmp_path / "b", 2, tmp_path, **spec, seeds="1-3")) == alone
    assert parallel


def test_a_class_that_cannot_leave_the_process_runs_in_it(tmp_path: Path) -> None:
    class Local:
        def score(self, pod: object, node: object) -> int:
            return 1

    out = ran(tmp_path / "out", 2, schedulers=[{"name": "local", "python": Local}], seeds=[1, 2])
    assert len(rows_of(out / "summary.csv")) == 2


def test_the_facts_name_no_place_and_no_time(tmp_path: Path) -> None:
    workload = a_batsim_workload(tmp_path / "jobs.json", {"id": "a"})
    text = (ran(tmp_path / "out", 1, tmp_path, workload=workload) / "experiment.json").read_text()
    assert "1 jobs from jobs.json" in text
    assert str(tmp_path) not in text
    assert not re.search(r"/\w|\d{4}-\d\d|\d\d:\d\d", text)


def test_pods_in_numbers(tmp_path: Path) -> None:
    pods = rows_of(ran(tmp_path / "out") / "default" / "seed-1" / "pods.csv")
    assert pods[0] == {
        "namespace": "default",
        "name": "burst-0",
        "job": "burst-0",
        "submitted": "0",
        "scheduled": "0",
        "started": "0",
        "finished": "10",
        "node": pods[0]["node"],
        "phase": "Succeeded",
        "reason": "",
        "restarts": "0",
        "cpu_milli": "1000",
        "memory_bytes": "1073741824",
        "requests": "cpu=1;memory=1Gi",
        "priority": "0",
        "scheduler": "default",
        "message": "",
    }


def test_what_never_happened_is_an_empty_cell(tmp_path: Path) -> None:
    generator = {"kind": "burst", "pods": 1, "requests": {"cpu": 9}}
    out = ran(tmp_path / "out", workload={"generator": generator})
    (pod,) = rows_of(out / "default" / "seed-1" / "pods.csv")
    assert (pod["scheduled"], pod["started"], pod["finished"], pod["node"]) == ("", "", "", "")
    assert pod["phase"] == "Pending"
    assert pod["message"].startswith("0/2 nodes are available: 2 Insufficient cpu.")
    (row,) = rows_of(out / "summary.csv")
    assert (row["unscheduled_pods"], row["makespan_s"], row["mean_waiting_time_s"]) == ("1", "", "")
    assert rows_of(out / "default" / "seed-1" / "jobs.csv") == []


def test_each_pod_names_the_scheduler_that_was_responsible(tmp_path: Path) -> None:
    packer = {"name": "packer", "policy": "best-fit", "schedulerName": "packer"}
    generators = [
        {"kind": "burst", "name": "a", "pods": 1},
        {"kind": "burst", "name": "b", "pods": 1, "schedulerName": "packer"},
        {"kind": "burst", "name": "c", "pods": 1, "schedulerName": "nobody"},
    ]
    out = ran(
        tmp_path / "out",
        workload={"generators": generators},
        schedulers=[{"name": "both", "together": [{"name": "default"}, packer]}],
    )
    pods = rows_of(out / "both" / "seed-1" / "pods.csv")
    assert {pod["name"]: pod["scheduler"] for pod in pods} == {"a-0": "default", "b-0": "packer", "c-0": ""}


def test_what_happens_to_nodes_is_written_only_if_something_does(tmp_path: Path) -> None:
    faults = [{"at": "5s", "fail": "node-0", "for": "10s"}, {"at": "6s", "cordon": "node-1"}]
    ran(tmp_path / "faulty", faults=faults)
    assert rows_of(tmp_path / "faulty/default/seed-1/node_states.csv") == [
        {"time_s": "5.000000", "name": "node-0", "ready": "no", "schedulable": "yes"},
        {"time_s": "6.000000", "name": "node-1", "ready": "yes", "schedulable": "no"},
        {"time_s": "15.000000", "name": "node-0", "ready": "yes", "schedulable": "yes"},
    ]
    ran(tmp_path / "calm")
    assert not (tmp_path / "calm/default/seed-1/node_states.csv").exists()
