"""The tables of a run in which the load of a Deployment goes from 1 to 4 cores and back to 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wavetank
from tests.experiments.autoscaling.clusters import HPA, parsed, total
from tests.experiments.trials import header_of, ran, rows_of
from wavetank.errors import InputError
from wavetank.experiments.runner import run_experiment
from wavetank.experiments.summary import check_results
from wavetank.results import layout, schema
from wavetank.results.read.tables import ResultTables

HALF_AN_HOUR = {"horizon": "30m", "metrics": total(("0s", 1), ("10m", 4), ("15m", 2))}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("autoscaled")
    run_experiment(parsed(folder, **HALF_AN_HOUR), folder / "out", "0.0", jobs=1)
    return folder / "out"


def test_files_have_the_columns_of_the_schema(out: Path) -> None:
    for table in (schema.AUTOSCALING, schema.AUTOSCALERS):
        assert header_of(out / "default/seed-1" / table.file) == table.names()


def test_a_row_says_what_a_sync_saw_and_did(out: Path) -> None:
    """A pod carries 250m at its target: 2 pods see 1 core as 100 % of their request, 4 cores need 16 pods."""
    rows = rows_of(out / "default/seed-1" / layout.AUTOSCALING)
    seen = [
        tuple(row[name] for name in ("time_s", "replicas", "desired_replicas", "use", "load_pods", "rescaled"))
        for row in rows
    ]
    assert seen == [
        ("15", "2", "4", "100", "4", "1"),
        ("30", "4", "4", "50", "4", "0"),
        ("600", "4", "8", "200", "16", "1"),
        ("615", "8", "16", "100", "16", "1"),
        ("630", "16", "16", "50", "16", "0"),
        ("900", "16", "16", "25", "8", "0"),
        ("1185", "16", "8", "25", "8", "1"),
        ("1200", "8", "8", "50", "8", "0"),
    ]
    assert {(row["hpa"], row["metric"], row["target"]) for row in rows} == {("default/web", "cpu", "50")}


def test_totals_are_sums_over_time(out: Path) -> None:
    [row] = rows_of(out / "default/seed-1" / layout.AUTOSCALERS)
    pod_seconds = 15 * 2 + 585 * 4 + 15 * 8 + 570 * 16 + 615 * 8
    missing = 15 * 2 + 15 * 12 + 15 * 8
    assert float(row.pop("pod_hours")) == pytest.approx(pod_seconds / 3600, abs=1e-6)
    assert float(row.pop("mean_pods")) == pytest.approx(pod_seconds / 1800, abs=1e-6)
    assert float(row.pop("missing_pod_hours")) == pytest.approx(missing / 3600, abs=1e-6)
    assert row == {
        "hpa": "default/web",
        "scales": "Deployment/web",
        "min_replicas": "2",
        "max_replicas": "20",
        "most_pods": "16",
        "time_above_target_s": "45",
        "rescales": "4",
        "rescaled_replicas": "22",
        "largest_rescale": "8",
        "direction_changes": "1",
    }


@pytest.mark.parametrize("frame", ["rows", "pandas", "polars"])
def test_both_tables_are_frames(out: Path, frame: Any) -> None:
    tables = ResultTables(out)
    assert len(tables.autoscaling("default", 1, frame)) == 8
    assert len(tables.autoscalers("default", 1, frame)) == 1


def test_the_summary_has_figures_that_assertions_can_name(tmp_path: Path) -> None:
    wanted = ["hpa_rescales == 4", "hpa_time_above_target_s < 60", "hpa_direction_changes <= 1", "hpa_pod_hours > 1"]
    experiment = parsed(tmp_path, **HALF_AN_HOUR, **{"assert": wanted})
    results = run_experiment(experiment, tmp_path / "out", "0.0", jobs=1)
    assert all(finding.holds for finding in check_results(experiment.assertions, results))


def test_a_model_has_the_same_tables(tmp_path: Path) -> None:
    fake = {**HPA, "model": "Fake", "max": 4, "min": 1}
    run_experiment(parsed(tmp_path, hpa=[fake], horizon="1m"), tmp_path / "out", "0.0", jobs=1)
    rows = rows_of(tmp_path / "out/default/seed-1" / layout.AUTOSCALING)
    assert [(row["time_s"], row["desired_replicas"]) for row in rows] == [
        ("15", "3"),
        ("30", "4"),
        ("45", "3"),
        ("60", "4"),
    ]


def test_an_hpa_that_cannot_work_is_a_warning_in_the_controllers_words(tmp_path: Path) -> None:
    lost = {**HPA, "target": "nothing"}
    [result] = run_experiment(parsed(tmp_path, hpa=[lost], horizon="1m"), tmp_path / "out", "0.0", jobs=1)
    assert result.warnings == (
        "default/seed-1: HPA default/nothing: FailedGetScale: the HPA controller was unable to get the target's "
        'current scale: deployments.apps "nothing" not found',
    )


def test_a_run_without_an_hpa_has_neither_files_nor_columns(tmp_path: Path) -> None:
    out = ran(tmp_path / "out")
    assert not list(out.rglob("autoscal*"))
    assert not [name for name in header_of(out / "summary.csv") if name.startswith("hpa_")]
    with pytest.raises(InputError, match=r"the run has no autoscaling\.csv"):
        wavetank.Results(out).autoscaling("default", 1)
