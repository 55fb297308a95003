"""Runs the experiment under both consolidation policies of Karpenter and prints what they cost and disrupt."""

from __future__ import annotations

import csv
from pathlib import Path

import yaml

import wavetank

HERE = Path(__file__).parent
OUT = Path("out/consolidation")
POLICIES = ("WhenEmpty", "WhenEmptyOrUnderutilized")


def rows(file: Path) -> list[dict[str, str]]:
    """Reads a table."""
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def run(policy: str) -> str:
    """Runs the experiment under a policy and returns its line of the table."""
    experiment = yaml.safe_load((HERE / "sweep.yaml").read_text())
    del experiment["spec"]["sweep"]
    experiment["spec"]["workload"]["file"] = str(HERE / "workload.yaml")
    experiment["spec"]["nodePools"][0]["disruption"]["consolidationPolicy"] = policy
    wavetank.run(experiment, out=OUT / policy)
    summary = rows(OUT / policy / "summary.csv")[0]
    pool = next(row for row in rows(OUT / policy / "default/seed-1/node_groups.csv") if row["group"] == "general")
    cost, idle, hours = (float(pool[name]) for name in ("cost", "idle_cost", "node_hours"))
    return f"{policy:25}{cost:6.2f}{idle:7.2f}{hours:12.1f}{pool['ordered']:>10}{summary['evicted_pods']:>9}"


def main() -> None:
    """Prints the table."""
    print("policy                     cost   idle  node-hours  launched  evicted")
    for policy in POLICIES:
        print(run(policy))


if __name__ == "__main__":
    main()
