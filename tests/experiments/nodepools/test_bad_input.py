"""Node pools that could never work are refused, with the place of what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.experiments.nodepools.pools import POOL, SMALL, deployment, document
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment

TYPE = "node.kubernetes.io/instance-type"


def written(folder: Path) -> Path:
    file = folder / "workload.yaml"
    file.write_text(yaml.safe_dump(deployment("a", 1)))
    return file


def with_budget(**budget: Any) -> dict[str, Any]:
    return {**POOL, "disruption": {"budgets": [budget]}}


@pytest.mark.parametrize(
    ("pool", "path", "message"),
    [
        pytest.param(
            {**POOL, "instanceTypes": "aws"}, "instanceTypes", "expected kwok|one of kwok", id="no such table"
        ),
        pytest.param(
            {**POOL, "instanceTypes": ["m5.large"]}, r"instanceTypes\[0\]", "unknown instance type", id="no such type"
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": TYPE, "operator": "In", "values": ["tiny"]}]},
            r"requirements\[0\].values\[0\]",
            "unknown instance type 'tiny'",
            id="a requirement for a type that is not offered",
        ),
        pytest.param(
            {**POOL, "instanceTypes": [SMALL, SMALL]}, r"instanceTypes\[1\]", "a second instance type", id="twice"
        ),
        pytest.param(
            {**POOL, "instanceTypes": [{"name": "x", "cpu": 1, "memory": "1Gi"}]},
            r"instanceTypes\[0\]",
            "expected price",
            id="a type without a price",
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": "a", "operator": "Contains", "values": ["b"]}]},
            r"requirements\[0\].operator",
            "expected one of In",
            id="an unknown operator",
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": "a", "operator": "In"}]},
            r"values",
            "needs values",
            id="In without values",
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            "values",
            "takes no values",
            id="Exists with values",
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": "a", "operator": "Gt", "values": ["b"]}]},
            "values",
            "needs one whole number",
            id="Gt with a text",
        ),
        pytest.param(
            {**POOL, "requirements": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["mars"]}]},
            "requirements",
            "no instance type satisfies all requirements",
            id="requirements that nothing satisfies",
        ),
        pytest.param({**POOL, "limits": {"cpu": 1}}, "limits.cpu", "has more", id="limits below every type"),
        pytest.param({**POOL, "limits": {"nodes": 0}}, "limits.nodes", "1 or more", id="no node at all"),
        pytest.param({**POOL, "limits": {"cpus": 4}}, "limits", "unknown resource", id="an unknown resource"),
        pytest.param({**POOL, "weight": 101}, "weight", "0 to 100", id="too heavy"),
        pytest.param(with_budget(nodes="120%"), r"budgets\[0\].nodes", "percentage", id="more than all nodes"),
        pytest.param(with_budget(nodes=-1), r"budgets\[0\].nodes", "percentage", id="fewer than none"),
        pytest.param(with_budget(schedule="@daily"), r"schedule", "goes with duration", id="a schedule alone"),
        pytest.param(with_budget(duration="8h"), r"duration", "goes with schedule", id="a duration alone"),
        pytest.param(
            with_budget(schedule="every day", duration="8h"), r"budgets\[0\].schedule", "", id="an unreadable schedule"
        ),
        pytest.param(
            with_budget(schedule="@daily", duration="90s"), "duration", "hours and minutes", id="seconds in a duration"
        ),
        pytest.param(with_budget(reasons=["Idle"]), r"reasons\[0\]", "expected one of", id="an unknown reason"),
        pytest.param(
            {**POOL, "disruption": {"consolidationPolicy": "Always"}}, "consolidationPolicy", "expected", id="a policy"
        ),
        pytest.param({**POOL, "minValues": 2}, "", "unknown field 'minValues'", id="a field that is not honoured"),
    ],
)
def test_impossible_pools_are_refused(tmp_path: Path, pool: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"spec\.nodePools\[0\].*{path}.*({message})"):
        parse_experiment(document(written(tmp_path), [pool]), Path())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"nodePools": [POOL, POOL]}, r"spec.nodePools\[1\].name: a second pool", id="two of one name"),
        pytest.param({"horizon": None}, "spec.horizon: .*needs an end", id="a run without an end"),
        pytest.param({"nodePools": [], "provisioner": {}}, "needs nodePools", id="a provisioner without pools"),
        pytest.param(
            {"provisioner": {"featureGates": {"NodeRepair": True}}}, "unknown field 'NodeRepair'", id="a feature gate"
        ),
    ],
)
def test_impossible_experiments_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_experiment(document(written(tmp_path), [POOL], **changes), Path())
