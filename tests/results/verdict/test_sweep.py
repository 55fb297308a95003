"""The verdict of a sweep counts scenarios."""

from __future__ import annotations

from pathlib import Path

from tests.sweeps.trials import BURST, ran
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.document import sweep_document
from wavetank.results.verdict.sweep import ranking, sweep_verdict

SCHEDULERS = [{"name": "default"}, {"name": "best-fit"}]
MIXED = [{"weight": 3, "cpu": 1}, {"weight": 1, "cpu": 2}]
BUSY = {"generator": {**BURST, "rate": 2, "pods": 60, "requests": MIXED}}


def test_the_best_scheduler_of_each_scenario_is_counted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (scenario,) = ran(out, schedulers=SCHEDULERS, workload=BUSY, seeds=[1, 2])
    folder = SweepFolder(out)
    best = ranking(folder, scenario)[0][0]
    assert sweep_verdict(folder).sentences[0].startswith(f"{best} has the lowest mean job latency in 1 of 1 scenario ")
    assert sweep_document(out)["scenarios"][0]["ranking"][0]["scheduler"] == best


def test_one_seed_tells_nothing_of_significance(tmp_path: Path) -> None:
    ran(tmp_path / "out", schedulers=SCHEDULERS, workload=BUSY, seeds=[1])
    assert "significance is unknown" in sweep_verdict(SweepFolder(tmp_path / "out")).sentences[0]


def test_of_one_scheduler_the_scenarios_are_compared_by_cost_and_time(tmp_path: Path) -> None:
    nodes = {"cpu": 4, "memory": "8Gi"}
    clusters = [
        {"name": name, "cluster": {"nodes": [{**nodes, "count": count, "labels": {"wavetank.dev/price": "1"}}]}}
        for name, count in (("two", 2), ("also-two", 2), ("eight", 8))
    ]
    ran(tmp_path / "out", schedulers=SCHEDULERS[:1], workload=BUSY, seeds=[1, 2], sweep={"clusters": clusters})
    cost, time = sweep_verdict(SweepFolder(tmp_path / "out")).sentences
    assert cost.startswith(("two and also-two cost the least", "eight costs the least"))
    assert time.startswith("Jobs take ")


def test_jobs_that_fail_do_not_make_a_scenario_look_fast(tmp_path: Path) -> None:
    faults = [{"at": "1s", "drain": f"node-{i}", "for": "30s"} for i in range(4)]
    out = tmp_path / "out"
    ran(out, schedulers=SCHEDULERS[:1], workload=BUSY, seeds=[1], faults=faults)
    assert any(row["failed_pods"] for row in SweepFolder(out).rows)
    assert sweep_verdict(SweepFolder(out)).sentences[-1].startswith("The run takes ")
