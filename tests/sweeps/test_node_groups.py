"""Node groups and flags of the cluster autoscaler as factors of a sweep, ranked by cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.sweeps.trials import parsed
from wavetank.errors import InputError
from wavetank.report.sweep.costs import cost_table
from wavetank.report.sweep.page import write_sweep_report
from wavetank.sweeps.executors import on_this_machine
from wavetank.sweeps.runner import run_sweep

GROUPS = [
    {"name": "small", "max": 20, "cpu": 2, "memory": "8Gi", "price": 0.1},
    {"name": "large", "max": 20, "cpu": 16, "memory": "64Gi", "price": 0.8},
]
GENERATOR = {"kind": "poisson", "pods": 30, "rate": 0.05, "duration": 300, "requests": [{"cpu": 1, "memory": "1Gi"}]}


def a_sweep(folder: Path, **sweep: Any) -> Any:
    control = {"cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
    return parsed(
        folder,
        cluster={"nodes": [control]},
        workload={"generator": GENERATOR},
        nodeGroups=GROUPS,
        autoscaler={"scale-down-unneeded-time": "5m"},
        horizon="30m",
        sweep=sweep,
    )


def test_every_combination_of_flags_and_fields_of_groups_is_a_scenario(tmp_path: Path) -> None:
    grids = {"small": {"max": [5, 9], "spot.rate": [2]}}
    sweep = a_sweep(tmp_path, autoscaler={"expander": ["price", "random"]}, nodeGroups=grids)
    made = {
        each.name: (each.experiment.node_groups[0].most, each.experiment.autoscaler_flags["expander"])
        for each in sweep.scenarios
    }
    assert made == {
        "max-5-spot.rate-2-expander-price": (5, "price"),
        "max-5-spot.rate-2-expander-random": (5, "random"),
        "max-9-spot.rate-2-expander-price": (9, "price"),
        "max-9-spot.rate-2-expander-random": (9, "random"),
    }
    assert all(each.experiment.autoscaler_flags["scale-down-unneeded-time"] == "5m" for each in sweep.scenarios)
    assert all(each.experiment.node_groups[0].spot is not None for each in sweep.scenarios)


def test_listed_scenarios_may_have_groups_and_flags_of_their_own(tmp_path: Path) -> None:
    sweep = a_sweep(
        tmp_path, scenarios=[{"name": "one", "nodeGroups": GROUPS[:1], "autoscaler": {"expander": "price"}}]
    )
    (scenario,) = sweep.scenarios
    assert len(scenario.experiment.node_groups) == 1
    assert scenario.experiment.autoscaler_flags == {"expander": "price"}


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        pytest.param({"nodeGroups": {"huge": {"max": [1]}}}, "no node group called 'huge'", id="an unknown group"),
        pytest.param({"autoscaler": {"expander": ["best"]}}, r"autoscaler.expander.*best", id="an unknown expander"),
        pytest.param({"nodeGroups": {"small": {"size": [1]}}}, "unknown field 'size'", id="an unknown field"),
        pytest.param({"autoscaler": {"expander": "price"}}, "expected a list", id="no list"),
    ],
)
def test_impossible_factors_are_refused(tmp_path: Path, sweep: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        a_sweep(tmp_path, **sweep)


def test_scenarios_are_ranked_by_their_cost(tmp_path: Path) -> None:
    """A large node for a single pod is dear; least-waste takes small ones."""
    sweep = a_sweep(tmp_path, autoscaler={"expander": ["least-nodes", "least-waste"]})
    run_sweep(sweep, tmp_path / "out", "0.0", on_this_machine(1))
    write_sweep_report(tmp_path / "out")
    table = cost_table(tmp_path / "out")
    assert table is not None
    console = Console(width=100, record=True)
    console.print(table)
    printed = console.export_text()
    assert printed.index("expander-least-waste") < printed.index("expander-least-nodes")
    assert "Mean wait" in printed


def test_a_sweep_without_prices_has_no_ranking_by_cost(tmp_path: Path) -> None:
    sweep = a_sweep(tmp_path, nodeGroups={"small": {"price": [None]}, "large": {"price": [None]}})
    run_sweep(sweep, tmp_path / "out", "0.0", on_this_machine(1))
    assert cost_table(tmp_path / "out") is None
