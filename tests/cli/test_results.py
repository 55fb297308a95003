"""Results are kept, replaced and listed."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.cli.commands import Wavetank, a_document, an_experiment


def test_a_second_run_says_that_it_has_replaced_the_first(wavetank: Wavetank, here: Path) -> None:
    experiment = an_experiment(here)
    assert "replaced" not in wavetank("run", experiment, "-o", "out").err
    assert "replaced the earlier results in out" in wavetank("run", experiment, "-o", "out").err


def test_earlier_results_may_be_kept(wavetank: Wavetank, here: Path) -> None:
    experiment = an_experiment(here)
    wavetank("run", experiment, "-o", "out")
    before = (here / "out/summary.csv").stat().st_mtime_ns
    ended = wavetank("run", experiment, "-o", "out", "--no-replace")
    assert (ended.status, ended.err.splitlines()) == (
        2,
        ["out: has results already: choose another folder, or leave out --no-replace"],
    )
    assert (here / "out/summary.csv").stat().st_mtime_ns == before


def test_results_are_listed_with_the_newest_first(wavetank: Wavetank, here: Path) -> None:
    for i, name in enumerate(("old", "new")):
        wavetank("run", an_experiment(here), "-o", f"out/{name}")
        os.utime(here / f"out/{name}/experiment.json", (1_700_000_000 + i, 1_700_000_000 + i))
    ended = wavetank("results", "--html", "out/index.html")
    rows = [line.split() for line in ended.out.splitlines() if "experiment" in line]
    assert [row[:3] for row in rows] == [
        ["out/new", "experiment", "2023-11-14"],
        ["out/old", "experiment", "2023-11-14"],
    ]
    page = (here / "out/index.html").read_text()
    assert page.index('href="new/report.html"') < page.index('href="old/report.html"')


def test_a_folder_without_results_has_none(wavetank: Wavetank, here: Path) -> None:
    (here / "out").mkdir()
    (here / "out/experiment.json").write_text("{}")
    assert wavetank("results").out == "no results in out\n"
    ended = wavetank("results", "nope")
    assert (ended.status, ended.err) == (2, "nope: no such folder\n")


def test_a_sweep_prints_warnings(wavetank: Wavetank, here: Path) -> None:
    burst = {"kind": "burst", "pods": 3, "duration": 10, "requests": {"cpu": 99}}
    sweep = {"clusters": [{"name": "more", "nodes": "+50%"}]}
    document = a_document(workload={"generator": burst}, sweep=sweep)
    (here / "s.yaml").write_text(json.dumps(document))
    ended = wavetank("sweep", "s.yaml", "-o", "out", "--jobs", "1")
    assert "3 pods never scheduled" in ended.err


def test_a_study_is_listed_with_its_runs(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here), "-o", "out/mine/runs/one")
    claims = [{"key": key, "verdict": verdict} for key, verdict in {"a": "holds", "b": "does not hold"}.items()]
    study = {"study": "mine", "title": "My study", "claims": claims}
    (here / "out/mine/claims.json").write_text(json.dumps(study))
    (here / "out/other").mkdir()
    (here / "out/other/claims.json").write_text("[]")  # by another program
    ended = wavetank("results", "--html", "out/index.html")
    rows = [" ".join(line.split()) for line in ended.out.splitlines() if line.startswith(" out")]
    assert {row.split()[1] for row in rows} == {"study", "experiment"}
    page = (here / "out/index.html").read_text()
    assert 'href="mine/report.html">My study</a>' in page
    assert "1 of 2 claims hold" in page
