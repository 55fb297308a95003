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
