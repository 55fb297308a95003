"""Settings of autoscalers as factors of a sweep."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.autoscaling.clusters import HPA, NODES, total, web
from tests.sweeps.trials import parsed
from wavetank.errors import InputError
from wavetank.sweeps.autoscalers import autoscaler_variants
from wavetank.sweeps.executors import on_this_machine
from wavetank.sweeps.runner import run_sweep


def a_sweep(folder: Path, **sweep: Any) -> Any:
    (folder / "web.json").write_text(json.dumps(web()))
    metrics = total(("0s", 1), ("10m", 3), ("20m", 1))
    inputs = {"cluster": {"nodes": NODES}, "workload": {"file": "web.json"}, "horizon": "40m"}
    return parsed(folder, **inputs, hpa=[HPA], metrics=metrics, sweep=sweep)


def test_every_combination_is_a_scenario(tmp_path: Path) -> None:
    sweep = a_sweep(tmp_path, hpa={"web": {"cpu": [50, "80%"], "scaleDown.window": ["1m", "5m"]}})
    settings = {each.name: each.experiment.cluster.manifests[-1]["spec"] for each in sweep.scenarios}
    assert {
        name: (
            spec["metrics"][0]["resource"]["target"]["averageUtilization"],
            spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"],
        )
        for name, spec in settings.items()
    } == {
        "cpu-50-scaleDown.window-1m": (50, 60),
        "cpu-50-scaleDown.window-5m": (50, 300),
        "cpu-80-scaleDown.window-1m": (80, 60),
        "cpu-80-scaleDown.window-5m": (80, 300),
    }


def test_labels_name_the_autoscaler_if_there_are_several() -> None:
    hpas = [{"target": "web", "max": 5}, {"target": "StatefulSet/db", "max": 5}]
    variants = autoscaler_variants(hpas, {"web": {"max": [9]}, "db": {"min": [2]}}, "")
    assert [label for label, _ in variants] == ["web-max-9-db-min-2"]


def test_the_summary_compares_the_scenarios(tmp_path: Path) -> None:
    sweep = a_sweep(tmp_path, hpa={"web": {"cpu": [40, 80]}})
    run_sweep(sweep, tmp_path / "out", "0.0", on_this_machine(1))
    with (tmp_path / "out/summary.csv").open(newline="") as file:
        hours = {row["scenario"]: float(row["hpa_pod_hours"]) for row in csv.DictReader(file)}
    assert hours["cpu-40"] > hours["cpu-80"] > 0


def test_listed_scenarios_may_have_their_own(tmp_path: Path) -> None:
    sweep = a_sweep(
        tmp_path,
        scenarios=[
            {"name": "more", "hpa": [{**HPA, "max": 30}]},
            {"name": "slow", "autoscaling": {"syncPeriod": "1m"}},
        ],
    )
    more, slow = (scenario.experiment for scenario in sweep.scenarios)
    assert more.cluster.manifests[-1]["spec"]["maxReplicas"] == 30
    assert slow.controller_flags["horizontal-pod-autoscaler-sync-period"] == "60s"


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"db": {"cpu": [50]}}, "there is no HPA called 'db'"),
        ({"web": {"cpus": [50]}}, "unknown field 'cpus'"),
        ({"web": {"cpu": []}}, "at least one item"),
    ],
)
def test_no_factors(grid: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        a_sweep(tmp_path, hpa=grid)


def test_settings_of_node_pools_are_factors_too(tmp_path: Path) -> None:
    (tmp_path / "web.json").write_text(json.dumps(web()))
    pools = [{"name": "general", "instanceTypes": "kwok"}]
    inputs = {"cluster": {"nodes": NODES}, "workload": {"file": "web.json"}, "horizon": "40m", "nodePools": pools}
    grid = {"general": {"disruption.consolidateAfter": ["1m", "Never"]}}
    sweep = parsed(tmp_path, **inputs, sweep={"nodePools": grid})
    waits = {each.name: each.experiment.provisioning.pools[0].pool.consolidate_after for each in sweep.scenarios}
    assert waits == {"disruption.consolidateAfter-1m": 60 * 10**9, "disruption.consolidateAfter-Never": None}
    with pytest.raises(InputError, match="there is no node pool called 'other'"):
        parsed(tmp_path, **inputs, sweep={"nodePools": {"other": {"weight": [1]}}})
