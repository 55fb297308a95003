from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.report.synthetic import Recipe
from wavetank.report.charts import gantt
from wavetank.report.page.html import write_report
from wavetank.report.page.payload import payload
from wavetank.results.read.resultsfolder import ResultsFolder

Results = Callable[[Recipe], Path]
LARGE = Recipe(nodes=5_000, cores=4, pods=100_000, mean_runtime_s=1800, schedulers=("large",), seeds=(1,), buckets=100)


def test_a_large_run_is_carried_bar_by_bar_in_three_megabytes(results: Results) -> None:
    page = write_report(results(LARGE))
    # Three schedulers share names and requests: well under 10 MB together.
    assert page.stat().st_size < 3_000_000


def test_beyond_the_budget_a_run_becomes_a_heat_map(results: Results) -> None:
    folder = ResultsFolder(results(Recipe(seeds=(1,))))
    whole = payload(folder)["gantt"]["runs"]
    assert ["heat" in run for run in whole] == [False, False, False]
    assert ["heat" in run for run in payload(folder, budget=0)["gantt"]["runs"]] == [True, True, True]


def test_schedulers_share_the_tables_of_equal_pods_and_nodes(results: Results) -> None:
    found = payload(ResultsFolder(results(Recipe())))["gantt"]
    assert (len(found["podTables"]), len(found["nodeTables"]), len(found["runs"])) == (5, 1, 15)  # by seed


def test_further_seeds_of_large_runs_are_left_out(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gantt, "FURTHER_PODS", 199)
    found = payload(ResultsFolder(results(Recipe(seeds=(1, 2)))))["gantt"]
    assert [(run["scheduler"], run["seed"]) for run in found["runs"]] == [(name, 1) for name in Recipe().schedulers]
    assert found["left"] == 3


def test_of_very_many_seeds_the_first_are_carried(results: Results) -> None:
    data = payload(ResultsFolder(results(Recipe(pods=3, buckets=2, schedulers=("a", "b"), seeds=range(70)))))
    assert data["seeds"] == list(range(60))
    assert data["allSeeds"] == 70
