"""Experiments with node pools, and a witness of what becomes of their nodes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, NODE_CLAIM, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.kernel.durations import SECOND
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}
CONTROL = {"name": "control", "cpu": "100m", "memory": "64Mi"}
SMALL = {"name": "small", "cpu": 2, "memory": "4Gi", "price": 0.1, "spotPrice": 0.04}
LARGE = {"name": "large", "cpu": 8, "memory": "16Gi", "price": 0.36, "spotPrice": 0.12}
ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
POOL: dict[str, Any] = {
    "name": "pool",
    "instanceTypes": [SMALL, LARGE],
    "requirements": [ON_DEMAND],
    "boot": "30s",
    "disruption": {"consolidateAfter": "30s", "budgets": [{"nodes": "100%"}]},
}


def deployment(
    name: str, replicas: int, cpu: str = "1", lifetime: str = "", arrival: str = "0s", **spec: Any
) -> dict[str, Any]:
    """Returns a Deployment; `spec` goes into the pods' spec, its `annotations` to the pods."""
    annotations = spec.pop("annotations", {})
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
    template = {
        "metadata": {"labels": {"app": name}, "annotations": annotations},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 1, **spec},
    }
    own = {"wavetank.dev/arrival": arrival, **({"wavetank.dev/lifetime": lifetime} if lifetime else {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "annotations": own},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def pod_budget(app: str, **spec: Any) -> dict[str, Any]:
    """Returns a PodDisruptionBudget for the pods of a Deployment."""
    metadata = {"name": app, "namespace": "default"}
    selector = {"matchLabels": {"app": app}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": {**spec, "selector": selector},
    }


class Witness(Observer):
    """Notes when nodes come and go, which taints they get, and when pods are bound and evicted, in seconds."""

    def __init__(self) -> None:
        self.came: dict[str, float] = {}
        self.gone: dict[str, float] = {}
        self.types: dict[str, str] = {}
        self.claimed: dict[str, float] = {}
        self.evicted: list[tuple[float, str]] = []
        self.bound: dict[str, list[str]] = {}

    def join(self, context: ActorContext) -> None:
        """Watches nodes, claims and pods."""
        self.store = context.store
        self._clock = context.clock
        context.store.subscribe(NODE, added=self._node_added, deleted=self._node_deleted)
        context.store.subscribe(NODE_CLAIM, added=lambda claim: self.claimed.setdefault(claim.name, self._now()))
        context.store.subscribe(POD, modified=self._pod_modified)

    def _now(self) -> float:
        return self._clock.now / SECOND

    def _node_added(self, node: Node) -> None:
        if not node.name.startswith("control"):
            self.came[node.name] = self._now()
            self.types[node.name] = node.labels["node.kubernetes.io/instance-type"]

    def _node_deleted(self, node: Node) -> None:
        self.gone[node.name] = self._now()

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self.bound.setdefault(new.node_name, []).append(new.name)
        if new.deleted is not None and old.deleted is None:
            self.evicted.append((self._now(), new.node_name))

    @property
    def left(self) -> list[str]:
        """Returns the types of the nodes that are there."""
        return sorted(self.types[name] for name in self.came if name not in self.gone)


def document(workload: Path | str, pools: list[dict[str, Any]] | None = None, **spec: Any) -> dict[str, Any]:
    """Returns an experiment that submits the objects of a file."""
    given = {
        "cluster": {"nodes": [CONTROL]},
        "workload": {"file": str(workload)},
        "nodePools": [POOL] if pools is None else pools,
        "horizon": "20m",
    }
    return {**HEAD, "spec": {**given, **spec}}


def run(
    objects: list[dict[str, Any]],
    pools: list[dict[str, Any]] | None = None,
    seed: int = 1,
    witness: Witness | None = None,
    **spec: Any,
) -> Witness:
    """Runs an experiment that submits objects, and returns its witness."""
    witness = witness or Witness()
    with TemporaryDirectory() as folder:
        workload = Path(folder) / "workload.yaml"
        workload.write_text(yaml.safe_dump_all(objects))
        experiment = parse_experiment(document(workload, pools, **spec), Path())
        Simulation(experiment.setting(experiment.schedulers[0]), seed, [witness]).run()
    return witness
