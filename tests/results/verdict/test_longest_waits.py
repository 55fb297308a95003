"""The longest waits, and why: from recorded attempts, or from what was free."""

from __future__ import annotations

from pathlib import Path

import pytest

from wavetank.experiments.document.experiment import load_experiment
from wavetank.experiments.runner import run_experiment
from wavetank.report.longestwaits import longest_waits_section
from wavetank.results.attempts.format import Keep
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.longestwaits import GroupWaits, longest_waits
from wavetank.results.verdict.waitreasons import FRAGMENTED, FULL, UNEXPLAINED

HEAD = "name,arrival_s,duration_s,cpu,memory,selector:tier"
SELECTIVE = ["a-0,0,100,1,1Gi,", "b-0,1,10,1,1Gi,gold"]


def run(tmp_path: Path, pods: list[str], keep: Keep | None = None) -> ResultsFolder:
    """Runs pods on two nodes of 4 cores."""
    (tmp_path / "pods.csv").write_text("\n".join([HEAD, *pods]) + "\n")
    fields = {
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]},
        "workload": {"file": str(tmp_path / "pods.csv")},
        "schedulers": [{"name": "default"}],
    }
    run_experiment(load_experiment(None, fields), tmp_path / "out", "0.0", jobs=1, keep=keep)
    return ResultsFolder(tmp_path / "out")


def longest(folder: ResultsFolder) -> GroupWaits:
    return longest_waits(folder, folder.runs[0])[0]


@pytest.mark.parametrize(
    ("pods", "reason"),
    [
        pytest.param(["a-0,0,100,4,1Gi,", "a-1,0,100,4,1Gi,", "b-0,1,10,1,1Gi,"], FULL, id="nothing is free"),
        pytest.param(["a-0,0,100,3,1Gi,", "a-1,0,100,3,1Gi,", "b-0,1,10,2,1Gi,"], FRAGMENTED, id="a core on each node"),
        pytest.param(["a-0,0,100,1,5Gi,", "a-1,0,100,1,5Gi,", "b-0,1,10,1,4Gi,"], FRAGMENTED, id="memory on each node"),
        pytest.param(SELECTIVE, UNEXPLAINED, id="room on nodes that it may not use"),
    ],
)
def test_the_reason_is_what_was_free(tmp_path: Path, pods: list[str], reason: str) -> None:
    found = longest(run(tmp_path, pods))
    assert (found.group, found.pod, found.reason) == ("b", "default/b-0", reason)


def test_the_reason_is_that_of_the_recorded_attempts(tmp_path: Path) -> None:
    found = longest(run(tmp_path, SELECTIVE, keep="best"))
    assert found.reason == "affinity to nodes: refused by NodeAffinity"
    assert (found.never, found.pods) == (1, 1)


def test_waits_of_a_group_are_summarised(tmp_path: Path) -> None:
    pods = ["a-0,0,100,4,1Gi,", "a-1,0,50,4,1Gi,", "b-0,0,10,4,1Gi,", "b-1,0,10,4,1Gi,"]
    found = longest(run(tmp_path, pods))
    assert (found.mean, found.longest, found.pod) == (pytest.approx(55), pytest.approx(60), "default/b-1")


def test_each_row_leads_to_its_pod_in_the_gantt_chart(tmp_path: Path) -> None:
    section = longest_waits_section(run(tmp_path, ["a-0,0,100,4,1Gi,", "a-1,0,100,4,1Gi,", "b-0,1,10,1,1Gi,"]))
    assert '<a href="#run=default%2F1&amp;pod=default%2Fb-0">b-0</a>' in section


def test_there_is_no_section_if_no_pod_waits(tmp_path: Path) -> None:
    assert longest_waits_section(run(tmp_path, ["a-0,0,100,4,1Gi,"])) == ""
