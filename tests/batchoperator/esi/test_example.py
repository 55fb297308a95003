"""The example of an external scheduler, with an operator on a simulated cluster."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.apiserver.serving import TOKEN
from tests.batchoperator.cluster import OperatedCluster
from tests.batchoperator.esi.serving import operating

EXAMPLE = Path(__file__).parents[3] / "examples/batch-operator/external_scheduler.py"


def test_the_example_learns_to_run_the_shortest_job_first(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = OperatedCluster(nodes=1, cpu=1)
    cluster.testbed(slots=1)
    for name, work in (("a", "90s"), ("b", "30s"), ("c", "60s")):
        cluster.spark(name, work)
    cluster.run(0)
    with operating(cluster, None) as served:  # as fast as possible
        runpy.run_path(str(EXAMPLE))["main"](served.url, TOKEN, "bed")
        stored = served.ask("GET", "/external/jobs/b").json["externalScheduler"]
    assert capsys.readouterr().out == "round 0: a b c\nround 1: b c a\n"
    assert stored == {"shortest-first": [{"seconds": "30.0"}]}


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 60
