"""What was found as a document, for `--json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wavetank.results.layout import REPORT
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import METRIC_NAMES
from wavetank.results.statistics import mean_interval
from wavetank.results.verdict.ranking import rank
from wavetank.results.verdict.sweep import sweep_verdict
from wavetank.results.verdict.verdict import Verdict, experiment_verdict


def experiment_document(out: Path) -> dict[str, Any]:
    """Returns verdict and metrics of an experiment, in the units of summary.csv."""
    folder = ResultsFolder(out)
    return {
        **_head(folder.experiment.name, out, experiment_verdict(folder)),
        "seeds": folder.experiment.seeds,
        "schedulers": [{"name": name, "metrics": _metrics(folder, name)} for name in folder.scheduler_names()],
        "warnings": folder.experiment.warnings,
    }


def sweep_document(out: Path) -> dict[str, Any]:
    """Returns the verdict of a sweep and the schedulers of each scenario by mean job latency, the best first."""
    folder = SweepFolder(out)
    scenarios = [
        {
            "name": scenario.name,
            "ranking": [asdict(each) for each in rank(folder, scenario.name)],
        }
        for scenario in folder.facts.scenarios
    ]
    head = _head(folder.facts.name, out, sweep_verdict(folder))
    return {**head, "scenarios": scenarios, "failures": folder.facts.failures}


def _head(name: str, out: Path, verdict: Verdict) -> dict[str, Any]:
    findings = [asdict(finding) for finding in verdict.findings]
    return {"name": name, "results": str(out), "report": str(out / REPORT), "verdict": findings}


def _metrics(folder: ResultsFolder, scheduler: str) -> dict[str, dict[str, float | int | None]]:
    """Returns mean, 95 % confidence interval and number of seeds of every metric that has a value."""
    runs = folder.runs_of(scheduler)
    values = {name: [value for run in runs if (value := run.metrics.get(name)) is not None] for name in METRIC_NAMES}
    return {name: _interval(given) for name, given in values.items() if given}


def _interval(values: Sequence[float]) -> dict[str, float | int | None]:
    interval = mean_interval(values)
    return {"mean": interval.mean, "low": interval.low, "high": interval.high, "seeds": interval.n}
