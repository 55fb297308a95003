"""What misim-orchestration's configuration says, with the Kubernetes manifests it points to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from wavetank.cluster.fields.resources import CPU, pod_requests
from wavetank.cluster.manifests import load_documents, manifests_in, read_text
from wavetank.errors import InputError
from wavetank.microservices.misim.fields import Fields, errors_of, hint
from wavetank.microservices.model.architecture import Architecture
from wavetank.quantity import milli

T = TypeVar("T")

ScalerType = Literal["HPA", "Fake", "SimpleReactive"]

_SCALERS = ("HPA", "Fake", "SimpleReactive")
_SCHEDULERS = ("random", "kube", "roundRobin")
_IGNORED = ("schedulerPrio", "loadBalancer", "kubeApiHost", "port")


@dataclass(frozen=True, slots=True)
class Scaler:
    """How the number of a deployment's pods is changed; `hold` in seconds."""

    service: str
    type: ScalerType
    target: float = 0.5
    least: int = 1
    most: int = 10
    lower: float = 0.3
    upper: float = 0.8
    hold: float = 120.0
    increment: int = 1
    decrement: int = 1


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment: how many pods, the CPU each requests in thousandths of a core, and the spec of its pods."""

    name: str
    replicas: int
    cpu: int
    spec: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class ClusterManifests:
    """The nodes of a cluster as Kubernetes objects, and with a cluster autoscaler its machine sets and machines."""

    nodes: tuple[Mapping[str, Any], ...] = ()
    machine_sets: tuple[Mapping[str, Any], ...] = ()
    machines: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class OrchestrationConfig:
    """A cluster for services. Nodes have whole cores; delays between nodes are (mean, deviation) in seconds."""

    nodes: tuple[tuple[str, int], ...]
    deployments: tuple[Deployment, ...]
    delays: Mapping[tuple[str, str], tuple[float, float]]
    scalers: tuple[Scaler, ...]
    scheduler: str
    interval: float = 15.0
    health_check: float = 0.0
    start_times: Mapping[str, float] | None = None
    manifests: ClusterManifests = field(default_factory=ClusterManifests)


def read_config(path: Path, lenient: bool = False) -> OrchestrationConfig:
    """Reads a configuration and its manifests; their folder is looked up beside the configuration."""
    documents = load_documents(read_text(path), str(path))
    with errors_of(path):
        return _parse(Fields(documents[0] if documents else {}, "", lenient), path)


def _parse(top: Fields, path: Path) -> OrchestrationConfig:
    top.flag("orchestrate")
    manifests = list(_manifests(top, path))
    nodes = list(_nodes(top))
    objects = [_node_manifest(name, cpu) for name, cpu in nodes]
    if top.flag("importNodes"):
        imported = _of_kind(manifests, "Node")
        objects += imported
        nodes += [_valid(_imported, each) for each in imported]
    scales = top.flag("useClusterAutoscaler")
    deployments = [_valid(_deployment, each) for each in _of_kind(manifests, "Deployment")]
    delays, scalers, order = _delays(top), tuple(_scalers(top)), _order(top)
    scheduler = top.text("scheduler") or "roundRobin"
    if scheduler not in _SCHEDULERS:
        raise InputError(f"unknown scheduler {scheduler!r}{hint(scheduler, _SCHEDULERS)}", path="scheduler")
    config = OrchestrationConfig(
        tuple(nodes),
        tuple(sorted(deployments, key=lambda each: order.get(each.name, len(order)))),
        delays,
        scalers,
        scheduler,
        top.number("scalingInterval", default=15, least=0),
        top.number("healthCheckDelay", default=0, least=0),
        _start_times(top),
        ClusterManifests(
            tuple(objects),
            tuple(_of_kind(manifests, "MachineSet") if scales else ()),
            tuple(_of_kind(manifests, "Machine") if scales else ()),
        ),
    )
    top.get(*_IGNORED)
    top.close()
    return config


def _manifests(top: Fields, path: Path) -> Iterator[Mapping[str, Any]]:
    name = top.text("orchestrationDir")
    if name is None:
        raise InputError("expected a folder of manifests", path="orchestrationDir")
    candidates = (path.parent / name, path.parent / Path(name).name)
    folder = next((each for each in candidates if each.is_dir()), None)
    if folder is None:
        raise InputError(f"no such folder: {candidates[0]}", path="orchestrationDir")
    for file in sorted(folder.iterdir()):
        if file.suffix in (".yaml", ".yml", ".json"):
            for _, manifest in manifests_in(load_documents(read_text(file), str(file)), str(file)):
                yield manifest


def _nodes(top: Fields) -> Iterator[tuple[str, int]]:
    path, value = top.get("nodes")
    nodes = Fields(value or {}, path, top.lenient)
    amount, cpu = nodes.whole("amount", default=0, least=0), nodes.number("cpu", default=0, least=0)
    nodes.close()
    for i in range(amount):
        yield f"Node{i}", int(cpu)
    for where, entry in top.objects("customNodes"):
        fields = Fields(entry, where, top.lenient)
        name, cpu = fields.text("name") or "", fields.number("cpu", default=0, least=0)
        fields.close()
        yield name, int(cpu)


def _imported(manifest: Mapping[str, Any]) -> tuple[str, int]:
    status = manifest.get("status") or {}
    cpu = (status.get("allocatable") or status.get("capacity") or {}).get("cpu", 0)
    return str(manifest["metadata"]["name"]), milli(cpu) // 1000


def _deployment(manifest: Mapping[str, Any]) -> Deployment:
    spec = manifest["spec"]
    given = spec.get("replicas")
    replicas = 1 if given is None else int(given)
    if replicas < 0:
        raise ValueError(f"expected replicas of 0 or more, got {replicas}")
    return Deployment(
        str(manifest["metadata"]["name"]),
        replicas,
        pod_requests(spec["template"]["spec"]).get(CPU, 0),
        spec["template"]["spec"],
    )


def _valid(read: Callable[[Mapping[str, Any]], T], manifest: Mapping[str, Any]) -> T:
    try:
        return read(manifest)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # a field of another type than its schema says
        name = (manifest.get("metadata") or {}).get("name") if isinstance(manifest.get("metadata"), Mapping) else None
        problem = f"not a valid {manifest['kind']} ({name!r}): {error}"
        raise InputError(problem, path="orchestrationDir") from None


def _of_kind(manifests: list[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [each for each in manifests if each.get("kind") == kind]


def _node_manifest(name: str, cpu: int) -> Mapping[str, Any]:
    """Returns a node as misim-orchestration describes its own to a scheduler: only the CPU counts."""
    amounts = {"cpu": str(cpu), "memory": "99999999Ki", "pods": "110", "ephemeral-storage": "999999999Ki"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def _delays(top: Fields) -> dict[tuple[str, str], tuple[float, float]]:
    path, value = top.get("networkDelays")
    fields = Fields(value or {}, path, top.lenient)
    enabled = fields.flag("enabled")
    where, table = fields.get("delayMap")
    fields.close()
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for source, row in _mapping(table or {}, where).items():
        for target, entry in _mapping(row, f"{where}.{source}").items():
            delay = Fields(entry, f"{where}.{source}.{target}", top.lenient)
            pair = delay.number("mean", default=0), delay.number("std", default=0, least=0)
            delay.close()
            found[source, target] = pair
    return {**{(target, source): pair for (source, target), pair in found.items()}, **found} if enabled else {}


def _mapping(value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, got {value!r:.60}", path=path)
    return value


def _scalers(top: Fields) -> Iterator[Scaler]:
    path, value = top.get("scaler")
    fields = Fields(value or {}, path, top.lenient)
    fields.flag("importScaler")
    entries = fields.objects("scalerList")
    fields.close()
    for where, entry in entries:
        each = Fields(entry, where, top.lenient)
        kind = each.text("scalerType") or "HPA"
        if kind not in _SCALERS:
            raise InputError(f"unknown scaler {kind!r}{hint(kind, _SCALERS)}", path=each.at("scalerType"))
        target = each.number("targetUtilization", default=0.5, least=0)
        if not target:
            raise InputError("expected a number above 0, got 0", path=each.at("targetUtilization"))
        yield Scaler(
            each.text("service") or "",
            kind,  # type: ignore[arg-type]
            target,
            each.whole("minReplicas", default=1, least=0),
            each.whole("maxReplicas", default=10, least=0),
            each.number("lowerBound", default=0.3),
            each.number("upperBound", default=0.8),
            each.number("holdTime", default=120, least=0),
            each.whole("increment", default=1, least=0),
            each.whole("decrement", default=1, least=0),
        )
        each.close()


def _order(top: Fields) -> dict[str, int]:
    path, value = top.get("initialSchedulingOrder")
    fields = Fields(value or {}, path, top.lenient)
    enabled = fields.flag("enabled")
    where, names = fields.get("order")
    fields.close()
    if names is not None and not (isinstance(names, list) and all(isinstance(each, str) for each in names)):
        raise InputError(f"expected a list of deployments, got {names!r:.60}", path=where)
    return {name: i for i, name in enumerate(names or ())} if enabled else {}


def _start_times(top: Fields) -> dict[str, float]:
    times = {}
    for where, entry in top.objects("startUpTimeContainer"):
        fields = Fields(entry, where, top.lenient)
        times[fields.text("name") or ""] = fields.number("time", default=0, least=0)
        fields.close()
    return times


def check_services(config: OrchestrationConfig, architecture: Architecture) -> None:
    """Refuses services without a deployment and the other way round, and numbers of pods that differ."""
    deployments = {each.name: each for each in config.deployments}
    services = {each.name: each for each in architecture.services}
    for name in services:
        if name not in deployments:
            raise InputError(f"service {name!r} has no Deployment{hint(name, deployments)}", path="orchestrationDir")
    for name, deployment in deployments.items():
        if name not in services:
            raise InputError(f"Deployment {name!r} has no service{hint(name, services)}", path="orchestrationDir")
        if deployment.replicas != services[name].instances:
            numbers = f"{deployment.replicas} replicas, its service {services[name].instances} instances"
            raise InputError(f"Deployment {name!r} has {numbers}", path="orchestrationDir")
    for i, scaler in enumerate(config.scalers):
        if scaler.service not in deployments:
            near = hint(scaler.service, deployments)
            raise InputError(f"no such Deployment: {scaler.service!r}{near}", path=f"scaler.scalerList[{i}].service")
