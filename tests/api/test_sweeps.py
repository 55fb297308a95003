"""Sweeps from Python."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pandas
import pytest

import wavetank
from tests.experiments.trials import NODES, a_document

SCENARIOS = {"clusters": [{"name": "today", "nodes": "+0%"}, {"name": "more", "nodes": "+100%"}]}
POISSON = {"kind": "poisson", "pods": 12, "rate": 1, "duration": {"exponential": 10}, "requests": {"cpu": 1}}


class LongestName(wavetank.Policy):
    """Prefers long names."""

    def score(self, pod: Any, node: Any) -> int:
        return len(node.name)


def swept(**arguments: Any) -> wavetank.SweepResults:
    given = {"scenarios": SCENARIOS, "schedulers": ["default", "random-fit"], "seeds": "1-2", "jobs": 1} | arguments
    return wavetank.sweep(cluster={"nodes": NODES}, workload={"generator": POISSON}, **given)


@pytest.fixture(scope="module")
def sweep() -> wavetank.SweepResults:
    return swept()


def test_the_tables_of_a_sweep_are_of_all_scenarios(sweep: wavetank.SweepResults) -> None:
    summary = sweep.summary()
    assert isinstance(summary, pandas.DataFrame)
    assert sweep.scenarios == ["today", "more"]
    assert list(summary.scenario.unique()) == sweep.scenarios
    assert len(summary) == len(sweep.latencies()) == 8
    assert {(row["a"], row["b"]) for row in sweep.comparisons("rows")} == {("default", "random-fit")}


def test_a_scenario_is_opened_as_results(sweep: wavetank.SweepResults) -> None:
    today = sweep.scenario("today")
    assert isinstance(today, wavetank.Results)
    assert len(today.pods("default", 1)) == 12
    assert today.report.is_file()
    with pytest.raises(
        wavetank.InputError, match="there is no scenario called 'toddy': there are 2, such as today, more"
    ):
        sweep.scenario("toddy")


def test_a_temporary_folder_stays_as_long_as_a_scenario_is_used() -> None:
    today = swept(seeds=1).scenario("today")
    gc.collect()
    assert len(today.pods("default", 1)) == 12


def test_a_sweep_is_printed_and_shown_in_a_notebook(sweep: wavetank.SweepResults) -> None:
    for text in (str(sweep), sweep._repr_html_()):
        assert "today" in text
        assert "by mean job latency over 2 seeds" in " ".join(text.split())
    assert repr(sweep) == f"<SweepResults {sweep.folder}>"
    assert sweep.report.is_file()


def test_the_folder_of_a_sweep_is_opened(tmp_path: Path) -> None:
    swept(out=tmp_path / "out", seeds=1)
    opened = wavetank.open_results(tmp_path / "out")
    assert isinstance(opened, wavetank.SweepResults)
    assert len(opened.summary("rows")) == 4


def test_a_document_is_swept(tmp_path: Path) -> None:
    document = a_document(sweep=SCENARIOS, seeds=[1, 2])
    assert len(wavetank.sweep(document, jobs=1).summary("rows")) == 4
    assert len(wavetank.sweep(a_document(), jobs=1).summary("rows")) == 1  # an experiment is one scenario
    with pytest.raises(wavetank.InputError, match=r"spec\.sweep\.clusters"):
        wavetank.sweep(document, scenarios={"clusters": 7})


def test_runs_that_are_finished_are_kept_also_those_of_a_class(tmp_path: Path) -> None:
    class Progress:
        def __init__(self) -> None:
            self.done: list[int] = []

        def update(self, done: int, total: int) -> None:
            self.done.append(done)

    def counted(schedulers: object) -> list[int]:
        progress = Progress()
        swept(out=tmp_path / "out", seeds=1, schedulers=schedulers, progress=progress)
        return progress.done

    unknown = type("Unknown", (), {"__module__": "gone", "score": lambda *_: 0})  # as of a notebook: no file
    assert counted([LongestName]) == [0, 1, 2]
    assert counted([LongestName]) == [2]
    assert counted([LongestName, unknown]) == [2, 3, 4]
    assert counted([LongestName, unknown]) == [2, 3, 4]
