"""`hpa` and `autoscaling` of an experiment: autoscalers as manifests, and the flags of their controller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.controllers.scalingmodels.models import FAKE, HPA
from wavetank.errors import InputError
from wavetank.experiments.document.structures.hpa import AutoscalingSpec, HpaSpec, Json, Target
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.simulation.metrics.document import MetricsSpec
from wavetank.simulation.metrics.setting import MetricsSetting
from wavetank.workloads.cluster import Cluster

_API_VERSIONS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "ReplicationController": "v1",
}
_PREFIX = "horizontal-pod-autoscaler-"
_DEFAULT_PERCENT = 80
_CHECKED = ("autoscaling/v1", "autoscaling/v2")
_STRICT = (("fieldValidation", "Strict"),)


def with_autoscalers(
    cluster: Cluster, specs: Sequence[HpaSpec], gates: frozenset[str], horizon: Nanoseconds | None
) -> Cluster:
    """Returns a cluster with the autoscalers of `spec.hpa`; InputError if the API would refuse one of the cluster's."""
    if specs and horizon is None:
        raise InputError("a run with an HPA needs an end: state a horizon", path="spec.horizon")
    manifests = [_manifest(spec, f"spec.hpa[{i}]") for i, spec in enumerate(specs)]
    places = [(given, "spec.cluster") for given in cluster.manifests]
    places += [(made, f"spec.hpa[{i}]") for i, made in enumerate(manifests)]
    _check([(each, path) for each, path in places if _is_checked(each)], gates)
    try:
        return replace(cluster, manifests=[*cluster.manifests, *manifests]) if manifests else cluster
    except InputError as error:
        raise InputError(error.message, path="spec.hpa") from None


def make_metrics(spec: MetricsSpec | None, folder: Path, path: str) -> MetricsSetting | None:
    """Returns what is measured; the errors of a file of a series name it."""
    if spec is None:
        return None
    try:
        return spec.setting(folder)
    except InputError as error:
        raise (error if error.source else error.inside(path=path)) from None


def controller_flags(spec: AutoscalingSpec | None) -> Mapping[str, str]:
    """Returns the flags of kube-controller-manager that an experiment states, without dashes."""
    if spec is None:
        return {}
    return {
        f"{_PREFIX}sync-period": _go_duration(spec.sync_period),
        f"{_PREFIX}tolerance": f"{spec.tolerance:g}",
        f"{_PREFIX}downscale-stabilization": _go_duration(spec.downscale_stabilization),
        f"{_PREFIX}cpu-initialization-period": _go_duration(spec.cpu_initialization_period),
        f"{_PREFIX}initial-readiness-delay": _go_duration(spec.initial_readiness_delay),
    }


def _go_duration(time: Nanoseconds) -> str:
    return f"{time // SECOND}s" if time % SECOND == 0 else f"{time}ns"


def _is_checked(manifest: Manifest) -> bool:
    return manifest.get("kind") == "HorizontalPodAutoscaler" and manifest.get("apiVersion") in _CHECKED


def _manifest(spec: HpaSpec, path: str) -> Manifest:
    kind, _, name = spec.target.rpartition("/")
    kind = kind or "Deployment"
    if kind not in _API_VERSIONS:
        known = ", ".join(_API_VERSIONS)
        raise InputError(f"expected a name or KIND/NAME with one of {known}, got {kind!r:.60}", path=f"{path}.target")
    reference = {"apiVersion": _API_VERSIONS[kind], "kind": kind, "name": name}
    head = {"metadata": {"name": spec.name or name, "namespace": spec.namespace}}
    bounds = {"scaleTargetRef": reference, "minReplicas": spec.min, "maxReplicas": spec.max}
    if spec.model is not None:
        body = {**bounds, **_model(spec)}
        return {"apiVersion": "wavetank.dev/v1alpha1", "kind": "ScalingModel", **head, "spec": body}
    body = {**bounds, "metrics": list(_metrics(spec))}
    behavior = {"scaleUp": spec.scale_up, "scaleDown": spec.scale_down}
    stated = {name: rules.manifest() for name, rules in behavior.items() if rules is not None}
    if stated:
        body["behavior"] = stated
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", **head, "spec": body}


def _metrics(spec: HpaSpec) -> Iterator[Json]:
    given = {"cpu": spec.cpu, "memory": spec.memory}
    if not any(given.values()) and not spec.metrics:
        given["cpu"] = Target(_DEFAULT_PERCENT)
    for name, target in given.items():
        if target is not None:
            yield _resource(name, target)
    for metric in spec.metrics or ():
        yield metric.manifest()


def _resource(name: str, target: Target) -> Json:
    return {"type": "Resource", "resource": {"name": name, "target": target.manifest()}}


def _model(spec: HpaSpec) -> Json:
    """Returns the fields of a ScalingModel; `metrics` states what results show as its target."""
    percent = spec.cpu.percent if spec.cpu is not None and spec.cpu.percent is not None else _DEFAULT_PERCENT
    shown = percent if spec.model == HPA else round(100 * spec.upper_bound)
    return {
        "model": spec.model,
        "targetUtilization": percent / 100,
        "lowerBound": spec.lower_bound,
        "upperBound": spec.upper_bound,
        "holdTimeSeconds": spec.hold_time / SECOND,
        "increment": spec.increment,
        "decrement": spec.decrement,
        "metrics": [] if spec.model == FAKE else [_resource("cpu", Target(shown))],
    }


def _check(autoscalers: Sequence[tuple[Manifest, str]], gates: frozenset[str]) -> None:
    """Lets an API server create the autoscalers; InputError in its words if it refuses one."""
    if not autoscalers:
        return
    from wavetank.apiserver.api import Api  # few experiments need it
    from wavetank.apiserver.requests.request import Request, Response
    from wavetank.cluster.store.store import Store
    from wavetank.kernel.clock import Clock

    api = Api(Store(Clock()), plugins=(), features=gates)
    for manifest, path in autoscalers:
        resource = Resource(manifest)
        place = f"/apis/{manifest['apiVersion']}/namespaces/{resource.namespace}/horizontalpodautoscalers"
        headers = {"content-type": "application/json"}
        answer = api.handle(Request("POST", place, _STRICT, headers, msgspec.json.encode(_new(manifest))))
        assert isinstance(answer, Response)
        if answer.status >= 400:
            raise InputError(str(msgspec.json.decode(answer.body).get("message")), path=path)


def _new(manifest: Manifest) -> Json:
    """Returns an autoscaler, perhaps one of a snapshot, without what only a server writes."""
    metadata = {field: value for field, value in manifest["metadata"].items() if field in ("name", "namespace")}
    return {**{field: manifest.get(field) for field in ("apiVersion", "kind", "spec")}, "metadata": metadata}
