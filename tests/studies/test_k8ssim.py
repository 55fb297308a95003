"""K8sSim's study: its workloads are as the paper states, and each claim holds or does not, as before."""

from __future__ import annotations

from statistics import mean

import pytest

from tests.studies.checking import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, small_findings, verdicts
from wavetank.studies.k8ssim.figures import best, by_node_order, same_order, spread, text_of_order
from wavetank.studies.k8ssim.published import published
from wavetank.studies.k8ssim.runs import Run, Runs
from wavetank.studies.k8ssim.scenarios import SCENARIOS
from wavetank.studies.k8ssim.workloads import job_queue, nodes, task_queue

# The small form has a few jobs in three scenarios; docs/k8ssim.md has the verdicts of the full form.
CLAIMS = {
    "all-finish": HOLDS,
    "scenario-1-best": DOES_NOT_HOLD,
    "scenario-1-worst": DOES_NOT_HOLD,
    "scenario-1-makespan": DOES_NOT_HOLD,
    "choice-matters": HOLDS,
    "spread-1": HOLDS,
    "spread-5": CANNOT_BE_CHECKED,
    "spread-12": DOES_NOT_HOLD,
    "mrp-first": CANNOT_BE_CHECKED,
    "fewer-tasks": CANNOT_BE_CHECKED,
    "fewer-jobs": DOES_NOT_HOLD,
    "more-jobs": HOLDS,
    "same-order-tasks": DOES_NOT_HOLD,
    "same-order-jobs": DOES_NOT_HOLD,
    "night-tasks": CANNOT_BE_CHECKED,
    "resources-tasks": CANNOT_BE_CHECKED,
    "night-jobs": CANNOT_BE_CHECKED,
    "resources-jobs": HOLDS,
    "reductions": HOLDS,
    "twenty-minutes": DOES_NOT_HOLD,
    "close-rates": CANNOT_BE_CHECKED,
    "real-longer": CANNOT_BE_CHECKED,
    "running-times": CANNOT_BE_CHECKED,
}


def test_the_claims_hold_as_before(tmp_path):
    findings = small_findings("k8ssim", tmp_path)
    found = verdicts(findings)
    del found["acceleration"]  # depends on the machine
    assert found == CLAIMS
    assert "paper, real cluster" in findings.pictures[0].drawing.svg


def test_there_are_twenty_scenarios_with_eleven_or_thirteen_algorithms():
    assert [scenario.number for scenario in SCENARIOS] == list(range(1, 21))
    assert [len(scenario.algorithms) for scenario in SCENARIOS] == [11] * 10 + [13] * 10
    for scenario in SCENARIOS:
        assert set(scenario.algorithms) == set(published().real_s[scenario.number])


@pytest.mark.parametrize(("change", "cores"), [(0, 36), (-50, 18), (-25, 27), (25, 45), (50, 54)])
def test_eight_nodes_change_their_size(change, cores):
    found = [node["status"]["allocatable"]["cpu"] for node in nodes(change=change)]
    assert len(found) == 8
    assert sum(_cores(cpu) for cpu in found) == cores


def _cores(cpu):
    text = str(cpu)
    return int(text[:-1]) / 1000 if text.endswith("m") else int(text)


def _tasks(period, seed):
    return [task for job in job_queue(period, seed)["jobs"] for task in job["spec"]["tasks"]]


def test_the_night_has_as_many_more_tasks_and_jobs_as_in_the_traces():
    assert len(task_queue("night", 1)) / len(task_queue("day", 1)) == pytest.approx(3.03, abs=0.05)
    jobs = {period: len(job_queue(period, 1)["jobs"]) for period in ("day", "night")}
    assert jobs["night"] / jobs["day"] == pytest.approx(2.8, abs=0.05)


def test_a_job_has_as_many_tasks_as_in_the_trace():
    sizes = [task["replicas"] for seed in range(100) for task in _tasks("night", seed)]
    assert mean(sizes) == pytest.approx(7.13, abs=0.3)


def test_requests_are_below_limits_and_some_tasks_have_gpus():
    containers = [item["pod"]["spec"]["containers"][0] for item in task_queue("day", 1)]
    containers += [task["template"]["spec"]["containers"][0] for task in _tasks("night", 1)]
    for container in containers:
        resources = container["resources"]
        assert float(resources["requests"]["cpu"]) < float(resources["limits"]["cpu"])
    assert any("nvidia.com/gpu" in container["resources"]["requests"] for container in containers)


def test_jobs_have_waiting_times_and_gangs_smaller_than_their_tasks():
    for job in job_queue("day", 1)["jobs"]:
        assert job["metadata"]["annotations"]["sla-waiting-time"]
        assert job["spec"]["minAvailable"] <= (job["spec"]["tasks"][0]["replicas"] + 1) // 2


def test_figures():
    values = {"DRF_LRP": 2.0, "GANG_LRP": 4.0, "DRF_BRA": 5.0, "DRF_MRP": 6.0}
    assert by_node_order(values) == {"LRP": 3.0, "BRA": 5.0, "MRP": 6.0}
    assert text_of_order(by_node_order(values)) == "LRP 1.00 < BRA 1.67 < MRP 2.00"
    assert (best(values), spread(values)) == ("DRF_LRP", 3.0)
    assert same_order({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "c": 4}) == (2, 3)


def test_runs_are_read_by_scenario():
    runs = Runs(Run(1, seed, name, time, 1.0, 0, 0.1) for seed, name, time in [(1, "a", 2), (1, "b", 3), (2, "a", 4)])
    assert runs.makespans(1) == {"a": 3, "b": 3}
    assert runs.spreads(1) == [1.5, 1.0]
