from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment
from wavetank.cli import progress

CROWDED = [{"name": name, "policy": name} for name in ("default", "requested-to-capacity-ratio", "random-fit")]


def test_the_table_fits_eighty_columns(wavetank: Wavetank, here: Path) -> None:
    out = wavetank("run", an_experiment(here, schedulers=CROWDED), "-o", "out", "--seeds", "1-5").out
    table = out.partition("results:")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "…" not in table
    for word in ("Scheduler", "Makespan", "Mean", "p95", "CPU", "Memory", "Pods", "requested-to-capacity-ratio"):
        assert word in table


def test_progress_is_plain_lines_beside_the_output(
    wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_EVERY_S", float("inf"))
    ended = wavetank("run", an_experiment(here), "-o", "out", "--seeds", "1-2")
    assert ended.err == "1/2 runs, 3 pods finished\n2/2 runs, 6 pods finished\n"
    assert "runs," not in ended.out


def test_warnings_are_printed(wavetank: Wavetank, here: Path) -> None:
    generator = {"kind": "burst", "pods": 2, "requests": {"cpu": 99}}
    ended = wavetank("run", an_experiment(here, workload={"generator": generator}), "-o", "out")
    assert ended.status == 0
    assert "warning: default/seed-1: 2 pods never scheduled (burst-0, burst-1): 0/2 nodes are available" in ended.err


def test_the_schedulers_are_listed(wavetank: Wavetank) -> None:
    out = wavetank("schedulers").out
    for name in ("default", "most-allocated", "best-fit", "random-fit"):
        assert name in out


def test_no_command_shows_the_help(wavetank: Wavetank) -> None:
    ended = wavetank()
    assert ended.status == 0
    assert ended.out == wavetank("--help").out


@pytest.mark.parametrize("command", ["compare", "report", "run", "schedulers"])
def test_help_has_examples(wavetank: Wavetank, command: str) -> None:
    out = wavetank(command, "--help").out
    assert f"wavetank {command}" in out.partition("Example")[2]
    assert "\\b" not in out
    assert f"\n  {command} " in wavetank("--help").out


def test_everything_from_options(wavetank: Wavetank, here: Path) -> None:
    (here / "nodes.yaml").write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4, memory: 4Gi, pods: 9}}}"
    )
    (here / "pods.yaml").write_text("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}")
    words = ["--cluster", "nodes.yaml", "--workload", "pods.yaml", "--scheduler", "best-fit", "--horizon", "9s"]
    assert wavetank("run", *words, "--format", "manifests", "--ties", "exact").status == 0
    assert (here / "out" / "experiment" / "best-fit" / "seed-1" / "pods.csv").is_file()
