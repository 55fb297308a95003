"""The TeaStore study of Kubernetes-in-the-Loop: three scheduling policies on five nodes around the world.

    python study.py FOLDER [--real] [--picture FILE.svg]

FOLDER holds the published inputs (GlobalSchedulingDefault, GlobalSchedulingEurope). wavetank's kube-scheduler, and with
--real also the real one in the loop, places the pods by the published configuration; then the published load runs on
them with the published delays between nodes.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from picture import Chart, write_picture
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

REAL = {"package": "kube-scheduler", "version": "v1.35.8"}
PAPER_S = 9.2  # seconds of a run with misim-orchestration, its adapter and kube-scheduler
# Means in seconds of a run of misim-orchestration with this placement; the paper gives its figures only as a drawing.
RECORDED = {
    "europe-only": {
        "cartAction_addToCart": 0.0222,
        "index": 0.0167,
        "loginAction_login": 0.0220,
        "loginAction_logout": 0.0135,
    }
}


def place(folder: Path, strategy: str | None, real: bool = False) -> dict[str, str]:
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
                "kubernetesVersion": "1.35",
                "schedulers": [{"name": "teastore", **_scheduler(scheduler, real)}],
                "horizon": "10s",
            },
        }
        run(document, out=Path(scratch) / "out")
        with (Path(scratch) / "out" / "teastore" / "seed-1" / "pods.csv").open() as file:
            rows = list(csv.DictReader(file))
    return {name: row["node"] for name in order for row in rows if row["name"].startswith(f"{name}-")}


def _scheduler(config: Path, real: bool) -> dict[str, Any]:
    return {"process": {**REAL, "config": str(config)}} if real else {"config": str(config)}


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


def study(inputs: Path, real: bool) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, float]], list[float]]:
    """Returns by policy the node of each Deployment and the means of the operations, and how long each run took."""
    placements, means, times = {}, {}, []
    for policy, (name, strategy) in POLICIES.items():
        begun = time.perf_counter()
        placements[policy] = place(inputs / name, strategy, real)
        means[policy] = respond(inputs / name, placements[policy])
        times.append(time.perf_counter() - begun)
    return placements, means, times


def show(placements: Mapping[str, Mapping[str, str]], means: Mapping[str, Mapping[str, float]]) -> None:
    """Prints where the services are placed, and how long users wait."""
    for policy, placement in placements.items():
        nodes = defaultdict(list)
        for deployment, node in placement.items():
            if not deployment.startswith("dummy"):
                nodes[node].append(deployment.removeprefix("teastore-"))
        print(policy)
        for node, services in sorted(nodes.items()):
            print(f"  {node:28}{', '.join(services)}")
    print(f"\n{'mean response time [ms]':26}" + "".join(f"{policy:>16}" for policy in means))
    for operation in next(iter(means.values())):
        print(f"{operation:26}" + "".join(f"{1000 * each[operation]:16.1f}" for each in means.values()))


def main() -> None:
    """Runs the study as the command line says."""
    parser = argparse.ArgumentParser(description="The TeaStore study of Kubernetes-in-the-Loop.")
    parser.add_argument("inputs", type=Path, help="the folder of the published inputs")
    parser.add_argument("--real", action="store_true", help="also with the real kube-scheduler in the loop")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw the results")
    options = parser.parse_args()
    placements, means, times = study(options.inputs, real=False)
    show(placements, means)
    seconds = {"paper: with the adapter": PAPER_S, "built-in kube-scheduler": sum(times) / len(times)}
    if options.real:
        others, _, times = study(options.inputs, real=True)
        print(
            f"\nthe real kube-scheduler places all pods {'on the same nodes' if others == placements else 'elsewhere'}"
        )
        seconds["real kube-scheduler in the loop"] = sum(times) / len(times)
    print("\n" + "; ".join(f"{label}: {each:.1f} s" for label, each in seconds.items()))
    if options.picture is not None:
        write_picture(options.picture, Chart(placements, means, RECORDED, seconds))


if __name__ == "__main__":
    main()
