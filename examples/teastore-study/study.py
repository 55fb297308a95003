"""The TeaStore study of Kubernetes-in-the-Loop: three scheduling policies on five nodes around the world.

    python study.py FOLDER

FOLDER holds the published inputs (GlobalSchedulingDefault, GlobalSchedulingEurope). wavetank's kube-scheduler places
the pods by the published configuration; then the published load runs on them with the published delays between nodes.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from wavetank.api import run
from wavetank.cluster.manifests import load_documents, manifests_in, read_text
from wavetank.services.measures.recorder import LatencyRecorder
from wavetank.services.misim.architecture import read_architecture
from wavetank.services.misim.experiment import ExperimentReader
from wavetank.services.model.rules import MISIM_ORCHESTRATION
from wavetank.services.orchestration.config import read_config
from wavetank.services.orchestration.run import run_orchestration

# the policy's name, the folder of its inputs, and the scoring strategy (None: as published)
POLICIES = {
    "default": ("GlobalSchedulingDefault", None),
    "most-allocated": ("GlobalSchedulingDefault", "MostAllocated"),
    "europe-only": ("GlobalSchedulingEurope", None),
}


def place(folder: Path, strategy: str | None) -> dict[str, str]:
    """Returns the node of each Deployment, chosen by kube-scheduler with the published configuration."""
    config = read_config(folder / "paper_orchestration_config.yaml")
    manifests = [
        manifest
        for file in sorted(next(folder.glob("orchestration_*")).glob("*.yaml"))
        for _, manifest in manifests_in(load_documents(read_text(file), str(file)), str(file))
    ]
    order = {deployment.name: i for i, deployment in enumerate(config.deployments)}
    nodes = [each for each in manifests if each["kind"] == "Node"]
    deployments = [_valid(each) for each in manifests if each["kind"] == "Deployment"]
    deployments.sort(key=lambda each: order[each["metadata"]["name"]])
    with tempfile.TemporaryDirectory() as scratch:
        scheduler = Path(scratch) / "scheduler.yaml"
        text = next(folder.glob("paper-scheduler-config-*.yaml")).read_text()
        scheduler.write_text(text.replace("LeastAllocated", strategy) if strategy else text)
        cluster = Path(scratch) / "nodes.yaml"
        cluster.write_text("\n---\n".join(_json(nodes)))
        workload = Path(scratch) / "deployments.yaml"
        workload.write_text("\n---\n".join(_json(deployments)))
        document = {
            "apiVersion": "wavetank.dev/v1alpha1",
            "kind": "Experiment",
            "metadata": {"name": "teastore"},
            "spec": {
                "cluster": {"file": str(cluster)},
                "workload": {"file": str(workload)},
                "schedulers": [{"name": "teastore", "config": str(scheduler)}],
                "horizon": "10s",
            },
        }
        run(document, out=Path(scratch) / "out")
        with (Path(scratch) / "out" / "teastore" / "seed-1" / "pods.csv").open() as file:
            rows = list(csv.DictReader(file))
    return {name: row["node"] for name in order for row in rows if row["name"].startswith(f"{name}-")}


def _valid(manifest: dict[str, Any]) -> dict[str, Any]:
    """Returns a Deployment that the API accepts: those of the dummies have no selector."""
    spec = manifest["spec"]
    labels = {"run": manifest["metadata"]["name"]}
    template = {**spec["template"], "metadata": {"labels": labels}}
    return {**manifest, "spec": {**spec, "selector": {"matchLabels": labels}, "template": template}}


def _json(manifests: list[dict[str, Any]]) -> list[str]:
    return [msgspec.json.encode(each).decode() for each in manifests]


def respond(folder: Path, placement: Mapping[str, str]) -> dict[str, float]:
    """Returns the mean response time in seconds of each operation that users ask for."""
    rules = MISIM_ORCHESTRATION
    architecture = read_architecture(folder / "paper_architecture_model.json", rules, lenient=True)
    folders = (folder, *(each for each in folder.iterdir() if each.is_dir()))
    experiment = ExperimentReader(architecture, rules, folders, lenient=True).read(folder / "paper_example_model.json")
    config = read_config(folder / "paper_orchestration_config.yaml")
    recorder = LatencyRecorder()
    run_orchestration(architecture, experiment, config, recorder, 1, placement)
    return {operation: histogram.mean() for (_, operation), histogram in sorted(recorder.histograms.items())}


def main(inputs: Path) -> None:
    """Prints where the services are placed, and how long users wait."""
    means: dict[str, dict[str, float]] = {}
    for policy, (name, strategy) in POLICIES.items():
        begun = time.perf_counter()
        placement = place(inputs / name, strategy)
        means[policy] = respond(inputs / name, placement)
        nodes = defaultdict(list)
        for deployment, node in placement.items():
            if not deployment.startswith("dummy"):
                nodes[node].append(deployment.removeprefix("teastore-"))
        print(f"{policy} ({time.perf_counter() - begun:.1f} s)")
        for node, services in sorted(nodes.items()):
            print(f"  {node:28}{', '.join(services)}")
    print(f"\n{'mean response time [ms]':26}" + "".join(f"{policy:>16}" for policy in means))
    for operation in next(iter(means.values())):
        print(f"{operation:26}" + "".join(f"{1000 * each[operation]:16.1f}" for each in means.values()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
