"""Placing TeaStore's pods with kube-scheduler, and the response times that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from wavetank.api.experiments import run
from wavetank.cluster.manifests import load_documents, manifests_in, read_text
from wavetank.cluster.releases import SERVED
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.misim.architecture import read_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.model.rules import MISIM_ORCHESTRATION
from wavetank.microservices.orchestration.config import read_config
from wavetank.microservices.orchestration.run import run_orchestration

# the policy's name, the folder of its inputs, and the scoring strategy (None: as published)
POLICIES = {
    "default": ("GlobalSchedulingDefault", None),
    "most-allocated": ("GlobalSchedulingDefault", "MostAllocated"),
    "europe-only": ("GlobalSchedulingEurope", None),
}
REAL = {"package": "kube-scheduler", "version": SERVED.tag}


def place(inputs: Path, policy: str, folder: Path, real: bool = False) -> dict[str, str]:
    """Returns the node of each Deployment, chosen by the built-in or the real kube-scheduler as published.

    `inputs` has the published files, `folder` gets the results.
    """
    name, strategy = POLICIES[policy]
    folder.mkdir(parents=True, exist_ok=True)
    order = [each.name for each in read_config(inputs / name / "paper_orchestration_config.yaml").deployments]
    manifests = list(_manifests(inputs / name))
    deployments = {each["metadata"]["name"]: _valid(each) for each in manifests if each["kind"] == "Deployment"}
    nodes = _write(folder / "nodes.yaml", [each for each in manifests if each["kind"] == "Node"])
    workload = _write(folder / "deployments.yaml", [deployments[each] for each in order])
    scheduler = folder / "scheduler.yaml"
    text = next((inputs / name).glob("paper-scheduler-config-*.yaml")).read_text()
    scheduler.write_text(text.replace("LeastAllocated", strategy) if strategy else text)
    chosen = {"process": {**REAL, "config": str(scheduler)}} if real else {"config": str(scheduler)}
    results = run(
        cluster=nodes,
        workload=workload,
        schedulers={"name": "teastore", **chosen},
        kubernetes_version=SERVED.name,
        horizon="10s",
        out=folder / "results",
        jobs=1,
    )
    pods = results.pods("teastore", 1, "rows")
    return {name: pod["node"] for name in order for pod in pods if pod["name"].startswith(f"{name}-")}


def respond(inputs: Path, policy: str, placement: Mapping[str, str]) -> dict[str, float]:
    """Returns the mean response time in seconds of each operation that users call."""
    folder, rules = inputs / POLICIES[policy][0], MISIM_ORCHESTRATION
    architecture = read_architecture(folder / "paper_architecture_model.json", rules, lenient=True)
    folders = (folder, *(each for each in folder.iterdir() if each.is_dir()))
    experiment = ExperimentReader(architecture, rules, folders, lenient=True).read(folder / "paper_example_model.json")
    config = read_config(folder / "paper_orchestration_config.yaml")
    recorder = LatencyRecorder()
    run_orchestration(architecture, experiment, config, recorder, 1, placement)
    return {operation: histogram.mean() for (_, operation), histogram in sorted(recorder.histograms.items())}


def _manifests(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(next(folder.glob("orchestration_*")).glob("*.yaml")):
        for _, manifest in manifests_in(load_documents(read_text(file), str(file)), str(file)):
            yield manifest


def _valid(manifest: dict[str, Any]) -> dict[str, Any]:
    """Returns a Deployment that the API accepts: those of the dummies have no selector."""
    spec = manifest["spec"]
    labels = {"run": manifest["metadata"]["name"]}
    template = {**spec["template"], "metadata": {"labels": labels}}
    return {**manifest, "spec": {**spec, "selector": {"matchLabels": labels}, "template": template}}


def _write(path: Path, manifests: list[dict[str, Any]]) -> Path:
    path.write_text("\n---\n".join(msgspec.json.encode(each).decode() for each in manifests))
    return path
