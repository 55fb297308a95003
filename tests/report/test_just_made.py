"""The report that a run makes from what it has in memory, beside the one from its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.trials import parsed
from tests.support.objects import pod_manifest
from tests.support.paths import EXAMPLES
from wavetank.experiments.runner import run_experiment
from wavetank.report.charts import gantt
from wavetank.report.page.html import write_report

POISSON = {"kind": "poisson", "pods": 300, "rate": 1, "duration": 20, "requests": {"cpu": 1, "memory": "1Gi"}}
BURST = {"kind": "burst", "pods": 300, "duration": 20, "requests": {"cpu": 1, "memory": "1Gi"}}
BATSIM = EXAMPLES / "05-batsim"


def reports(folder: Path, **spec: Any) -> list[bytes]:
    """Returns the report of a run, and the one made again from its folder."""
    out = folder / "out"
    run_experiment(parsed(folder, **spec), out, "0.0", finish=write_report)
    page = out / "report.html"
    return [page.read_bytes(), write_report(out).read_bytes()]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"workload": {"generator": POISSON}}, id="one after the other"),
        pytest.param({"workload": {"generator": POISSON}, "horizon": "100s"}, id="not all of them at their end"),
        pytest.param({"workload": {"generator": BURST}}, id="all at once"),
        pytest.param(
            {"cluster": {"file": str(BATSIM / "platform.xml")}, "workload": {"file": str(BATSIM / "workload.json")}},
            id="jobs of several pods",
        ),
        pytest.param({"workload": {"generator": POISSON}, "seeds": [1, 2]}, id="more runs than are kept in memory"),
    ],
)
def test_both_are_the_same(tmp_path: Path, spec: dict[str, Any]) -> None:
    made, read = reports(tmp_path, **spec)
    assert made == read


def test_so_are_pods_of_one_instant_in_several_namespaces(tmp_path: Path) -> None:
    pods = [pod_manifest(name, duration="10", memory=None) for name in ("b", "a", "c")]
    for pod, namespace in zip(pods, ("z", "z", "a"), strict=True):
        pod["metadata"]["namespace"] = namespace
    (tmp_path / "pods.yaml").write_text("\n---\n".join(map(str, pods)))
    made, read = reports(tmp_path, workload={"file": "pods.yaml"})
    assert made == read


def test_so_are_jobs_whose_names_need_quotes_in_a_file(tmp_path: Path) -> None:
    jobs = [{"id": f'"{i}", or so', "subtime": i, "walltime": 100, "res": 1, "profile": "p"} for i in range(3)]
    workload = {"nb_res": 2, "jobs": jobs, "profiles": {"p": {"type": "delay", "delay": 10}}}
    (tmp_path / "jobs.json").write_text(json.dumps(workload))
    made, read = reports(tmp_path, workload={"file": "jobs.json"})
    assert made == read


def test_so_are_very_many_pods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gantt, "MOST_BARS", 10)
    made, read = reports(tmp_path, workload={"generator": POISSON})
    assert made == read
