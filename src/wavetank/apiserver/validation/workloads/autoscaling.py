"""Autoscalers, in their second version."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import (
    NOT_POSITIVE,
    Document,
    Errors,
    check_not_negative,
    each_invalid,
    structs,
)
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.quantities import check_container_resource_name, check_not_negative_amount
from wavetank.quantity import value_of

_LONGEST_WINDOW_S = 3600
_LONGEST_PERIOD_S = 1800
_FIELDS = {
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "External": "external",
    "ContainerResource": "containerResource",
}
_SOURCES = ("object", "external", "pods", "resource", "containerResource")
_EMPTY = "must populate information for the given metric source"


def check_autoscaler(autoscaler: Document, scale_to_zero: bool = False) -> Errors:
    """Checks a new autoscaler, whose minReplicas may be 0 with `scale_to_zero`."""
    yield from check_metadata(autoscaler["metadata"], True, names.subdomain_problems)
    yield from _check_spec(autoscaler["spec"], None, scale_to_zero)


def check_autoscaler_update(new: Document, old: Document, scale_to_zero: bool = False) -> Errors:
    """Checks a changed autoscaler, whose minReplicas may be 0 with `scale_to_zero`, or if they were before."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    scale_to_zero = scale_to_zero or old["spec"].get("minReplicas") == 0
    yield from _check_spec(new["spec"], old["spec"].get("scaleTargetRef") or {}, scale_to_zero)


def check_autoscaler_status_update(new: Document, old: Document) -> Errors:
    """Checks an autoscaler's status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for name in ("currentReplicas", "desiredReplicas"):
        yield from check_not_negative(f"status.{name}", (new.get("status") or {}).get(name))


def check_reference(reference: Document, path: str) -> Errors:
    """Checks a reference to an object in any version."""
    for field in ("kind", "name"):
        text = reference.get(field) or ""
        if not text:
            yield required(f"{path}.{field}")
        else:
            yield from each_invalid(f"{path}.{field}", text, names.path_segment_problems(text))


def _check_version(version: str, core: bool, path: str) -> Errors:
    """Checks an apiVersion; `core` allows the core group."""
    if version.count("/") > 1:
        yield invalid(path, version, f"unexpected GroupVersion string: {version}")
    elif "/" not in version.lstrip("/") and not core:
        yield invalid(path, version, "apiVersion must specify API group")


def _check_spec(spec: Document, before: Document | None, scale_to_zero: bool) -> Errors:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    bound = 0 if scale_to_zero else 1
    if least is not None and least < bound:
        yield invalid("spec.minReplicas", least, f"must be greater than or equal to {bound}")
    if most < 1:
        yield invalid("spec.maxReplicas", most, "must be greater than 0")
    if least is not None and most < least:
        yield invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")
    target = spec.get("scaleTargetRef") or {}
    yield from check_reference(target, "spec.scaleTargetRef")
    kept = before is not None and all(target.get(f) == before.get(f) for f in ("apiVersion", "kind"))
    if not kept:
        core = target.get("kind") == "ReplicationController"
        yield from _check_version(target.get("apiVersion") or "", core, "spec.scaleTargetRef.apiVersion")
    for where, metric in structs(spec, "spec", "metrics"):
        yield from _check_metric(metric, where)
    if least == 0 and not any(metric.get("type") in ("Object", "External") for metric in spec.get("metrics") or ()):
        problem = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield forbidden("spec.metrics", problem)
    for name in ("scaleUp", "scaleDown"):
        rules = (spec.get("behavior") or {}).get(name)
        if rules is not None:
            yield from _check_rules(rules, f"spec.behavior.{name}")


def _check_rules(rules: Document, path: str) -> Errors:
    window, select = rules.get("stabilizationWindowSeconds"), rules.get("selectPolicy")
    if window is not None and window < 0:
        yield invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > _LONGEST_WINDOW_S:
        problem = f"must be less than or equal to {_LONGEST_WINDOW_S}"
        yield invalid(f"{path}.stabilizationWindowSeconds", window, problem)
    if select is not None and select not in ("Disabled", "Max", "Min"):
        yield unsupported(f"{path}.selectPolicy", select, ("Disabled", "Max", "Min"))
    if not rules.get("policies"):
        yield required(f"{path}.policies", "must specify at least one Policy")
    for where, policy in structs(rules, path, "policies"):
        yield from _check_policy(policy, where)
    if rules.get("tolerance") is not None:
        yield from check_not_negative_amount(rules["tolerance"], f"{path}.tolerance")


def _check_policy(policy: Document, path: str) -> Errors:
    if policy.get("type") not in ("Percent", "Pods"):
        yield unsupported(f"{path}.type", policy.get("type") or "", ("Percent", "Pods"))
    for name in ("value", "periodSeconds"):
        if (policy.get(name) or 0) <= 0:
            yield invalid(f"{path}.{name}", policy.get(name) or 0, NOT_POSITIVE)
    if (policy.get("periodSeconds") or 0) > _LONGEST_PERIOD_S:
        problem = f"must be less than or equal to {_LONGEST_PERIOD_S}"
        yield invalid(f"{path}.periodSeconds", policy["periodSeconds"], problem)


def _check_metric(metric: Document, path: str) -> Errors:
    kind = metric.get("type") or ""
    if not kind:
        yield required(f"{path}.type", "must specify a metric source type")
    if kind not in _FIELDS:
        yield unsupported(f"{path}.type", kind, sorted(_FIELDS))
    present = [source for source in _SOURCES if metric.get(source) is not None]
    if present:
        yield from _check_source(metric[present[0]], present[0], f"{path}.{present[0]}")
    expected = _FIELDS.get(kind)
    if expected is None:
        yield unsupported(f"{path}.type", kind, sorted(_FIELDS))
    elif expected not in present:
        yield required(f"{path}.{expected}", _EMPTY)
    if len(present) != 1:
        for source in present:
            if source != expected:
                yield forbidden(f"{path}.{source}", "must populate the given metric source only")


def _check_source(source: Document, kind: str, path: str) -> Errors:
    target = source.get("target") or {}
    if kind == "object":
        described = source.get("describedObject") or {}
        yield from check_reference(described, f"{path}.describedObject")
        yield from _check_version(described.get("apiVersion") or "", True, f"{path}.describedObject.apiVersion")
    if kind in ("object", "external", "pods"):
        yield from _check_identifier(source.get("metric") or {}, f"{path}.metric")
    elif not source.get("name"):
        yield required(f"{path}.name", "must specify a resource name")
    elif kind == "containerResource":
        yield from check_container_resource_name(source["name"], f"{path}.name")
    if kind == "containerResource":
        yield from _check_container(source.get("container") or "", f"{path}.container")
    yield from _check_target(target, f"{path}.target")
    yield from _check_target_of(kind, target, f"{path}.target")


def _check_container(name: str, path: str) -> Errors:
    if not name:
        yield required(path, "must specify a container")
    else:
        yield from each_invalid(path, name, names.label_problems(name))


def _check_identifier(metric: Document, path: str) -> Errors:
    name = metric.get("name") or ""
    if not name:
        yield required(f"{path}.name", "must specify a metric name")
    else:
        yield from each_invalid(f"{path}.name", name, names.path_segment_problems(name))


def _check_target(target: Document, path: str) -> Errors:
    kind = target.get("type") or ""
    if not kind:
        yield required(f"{path}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        yield invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for name in ("value", "averageValue"):
        if target.get(name) is not None and value_of(target[name]) <= 0:
            yield invalid(f"{path}.{name}", target[name], "must be positive")
    if target.get("averageUtilization") is not None and target["averageUtilization"] < 1:
        yield invalid(f"{path}.averageUtilization", target["averageUtilization"], "must be greater than 0")


def _check_target_of(kind: str, target: Document, path: str) -> Errors:
    value, average = target.get("value") is not None, target.get("averageValue") is not None
    utilization = target.get("averageUtilization") is not None
    if kind == "object" and not value and not average:
        yield required(f"{path}.averageValue", "must set either a target value or averageValue")
    elif kind == "external" and not value and not average:
        yield required(f"{path}.averageValue", "must set either a target value for metric or a per-pod target")
    elif kind == "external" and value and average:
        yield forbidden(f"{path}.value", "may not set both a target value for metric and a per-pod target")
    elif kind == "pods" and not average:
        yield required(f"{path}.averageValue", "must specify a positive target averageValue")
    elif kind in ("resource", "containerResource") and not utilization and not average:
        yield required(f"{path}.averageUtilization", "must set either a target raw value or a target utilization")
    elif kind in ("resource", "containerResource") and utilization and average:
        yield forbidden(f"{path}.averageValue", "may not set both a target raw value and a target utilization")
