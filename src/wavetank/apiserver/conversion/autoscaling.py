"""HorizontalPodAutoscalers as autoscaling/v1 and autoscaling/v2: what v1 has no field for is in annotations."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.cluster.yamldepth import is_too_deep

Document = dict[str, Any]

_PREFIX = "autoscaling.alpha.kubernetes.io/"
_METRICS, _BEHAVIOR, _CURRENT, _CONDITIONS = (
    _PREFIX + name for name in ("metrics", "behavior", "current-metrics", "conditions")
)
_ANNOTATIONS = (_METRICS, _BEHAVIOR, _CURRENT, _CONDITIONS)
_SOURCES = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
_DEFAULT_CPU = 80  # percent
_SAME_SPEC = ("scaleTargetRef", "minReplicas", "maxReplicas")
_SAME_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")


def as_v1(stored: Document) -> Document:
    """Returns an autoscaler of v2 as v1 shows it."""
    spec, status = stored.get("spec") or {}, stored.get("status") or {}
    new_spec = {field: spec[field] for field in _SAME_SPEC if field in spec}
    new_status = {field: status[field] for field in _SAME_STATUS if field in status}
    new_status.setdefault("currentReplicas", 0)
    metrics, current = spec.get("metrics") or [], status.get("currentMetrics") or []
    for metric in filter(_is_cpu, metrics):
        new_spec.setdefault("targetCPUUtilizationPercentage", metric["resource"]["target"]["averageUtilization"])
    for metric in current:
        if _names_cpu(metric) and "averageUtilization" in metric["resource"].get("current", {}):
            new_status["currentCPUUtilizationPercentage"] = metric["resource"]["current"]["averageUtilization"]
    kept = {
        _METRICS: [_metric_v1(metric) for metric in metrics if not _is_cpu(metric)],
        _CURRENT: [_current_v1(metric) for metric in current],
        _BEHAVIOR: _renamed(spec.get("behavior"), upper=True),
        _CONDITIONS: status.get("conditions"),
    }
    metadata = _annotated(stored, {name: msgspec.json.encode(value).decode() for name, value in kept.items() if value})
    head = {"kind": stored["kind"], "apiVersion": "autoscaling/v1", "metadata": metadata}
    return {**head, "spec": new_spec, "status": new_status}


def as_v2(document: Document) -> Document:
    """Returns an autoscaler of v1 as v2, in which form autoscalers are stored."""
    spec, status = document.get("spec") or {}, document.get("status") or {}
    annotations = (document.get("metadata") or {}).get("annotations") or {}
    new_spec = {field: spec[field] for field in _SAME_SPEC if field in spec}
    target = spec.get("targetCPUUtilizationPercentage")
    others = [_metric_v2(metric) for metric in _decoded(annotations, _METRICS, [])]
    new_spec["metrics"] = others + ([_cpu(target)] if target is not None else [])
    if not new_spec["metrics"]:
        new_spec["metrics"] = [_cpu(_DEFAULT_CPU)]
    if behavior := _renamed(_decoded(annotations, _BEHAVIOR, {}), upper=False):
        new_spec["behavior"] = behavior
    head = {"kind": document["kind"], "apiVersion": "autoscaling/v2", "metadata": _annotated(document, {})}
    return {**head, "spec": new_spec, "status": _status_v2(status, annotations)}


def _status_v2(status: Document, annotations: Document) -> Document:
    made = {field: status[field] for field in _SAME_STATUS if field in status}
    current = [_current_v2(metric) for metric in _decoded(annotations, _CURRENT, [])]
    usage = status.get("currentCPUUtilizationPercentage")
    if not current and usage is not None:
        current = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": usage}}}]
    made["currentMetrics"] = current or None
    if conditions := _decoded(annotations, _CONDITIONS, []):
        made["conditions"] = conditions
    return made


def _cpu(percent: int) -> Document:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _names_cpu(metric: Document) -> bool:
    return metric.get("type") == "Resource" and (metric.get("resource") or {}).get("name") == "cpu"


def _is_cpu(metric: Document) -> bool:
    return _names_cpu(metric) and "averageUtilization" in (metric["resource"].get("target") or {})


def _identity_v1(source: Document, field: str) -> Document:
    """Says what is measured, as v1 does: the name of the metric is a field of the source."""
    made: Document = {key: source[key] for key in ("name", "container") if key in source}
    if field == "object":
        made["target"] = source.get("describedObject") or {}
    named = source.get("metric") or {}
    return made | ({"metricName": named["name"]} if "name" in named else {})


def _identity_v2(source: Document, field: str) -> Document:
    """Says what is measured, as v2 does."""
    made: Document = {key: source[key] for key in ("name", "container") if key in source}
    if field == "object":
        made["describedObject"] = source.get("target") or {}
    return made | ({"metric": {"name": source["metricName"]}} if "metricName" in source else {})


def _metric_v1(metric: Document) -> Document:
    """Writes a metric's target as v1 does: in fields of the source instead of a structure of its own."""
    field = _SOURCES.get(metric.get("type", ""), "")
    source = metric.get(field) or {}
    target, named = source.get("target") or {}, source.get("metric") or {}
    made = _identity_v1(source, field)
    if "selector" in named:
        made["metricSelector" if field == "external" else "selector"] = named["selector"]
    plain = {"object": "targetValue", "external": "targetValue"}
    average = {"object": "averageValue", "pods": "targetAverageValue"}.get(field, "targetAverageValue")
    names = {"averageUtilization": "targetAverageUtilization", "averageValue": average, "value": plain.get(field, "")}
    made |= {names[key]: value for key, value in target.items() if names.get(key)}
    return {"type": metric["type"], field: made} if field else dict(metric)


def _metric_v2(metric: Document) -> Document:
    field = _SOURCES.get(metric.get("type", ""), "")
    source = metric.get(field) or {}
    made = _identity_v2(source, field)
    if "metric" in made and (selector := source.get("selector") or source.get("metricSelector")):
        made["metric"]["selector"] = selector
    made["target"] = _target_v2(source)
    return {"type": metric["type"], field: made} if field else dict(metric)


def _target_v2(source: Document) -> Document:
    if (percent := source.get("targetAverageUtilization")) is not None:
        return {"type": "Utilization", "averageUtilization": percent}
    if (average := source.get("targetAverageValue", source.get("averageValue"))) is not None:
        return {"type": "AverageValue", "averageValue": average}
    return {"type": "Value", "value": source.get("targetValue", "0")}


def _current_v1(metric: Document) -> Document:
    field = _SOURCES.get(metric.get("type", ""), "")
    source = metric.get(field) or {}
    current = source.get("current") or {}
    made = _identity_v1(source, field)
    names = {
        "averageUtilization": "currentAverageUtilization",
        "averageValue": "currentAverageValue",
        "value": "currentValue",
    }
    made |= {names[key]: value for key, value in current.items() if key in names}
    made.setdefault("currentValue" if field in ("object", "external") else "currentAverageValue", "0")
    return {"type": metric["type"], field: made} if field else dict(metric)


def _current_v2(metric: Document) -> Document:
    field = _SOURCES.get(metric.get("type", ""), "")
    source = metric.get(field) or {}
    made = _identity_v2(source, field)
    names = {
        "currentAverageUtilization": "averageUtilization",
        "currentAverageValue": "averageValue",
        "currentValue": "value",
    }
    made["current"] = {names[key]: value for key, value in source.items() if key in names}
    return {"type": metric["type"], field: made} if field else dict(metric)


def _renamed(value: Any, *, upper: bool) -> Any:
    """Writes a behaviour with the names of Go's fields, as in its annotation, or back."""
    if isinstance(value, list):
        return [_renamed(item, upper=upper) for item in value]
    if not isinstance(value, dict):
        return value
    case = str.upper if upper else str.lower
    return {case(key[:1]) + key[1:]: _renamed(item, upper=upper) for key, item in value.items() if item is not None}


def _decoded(annotations: Document, name: str, default: Any) -> Any:
    try:
        value = msgspec.json.decode(annotations.get(name, ""))
    except (msgspec.DecodeError, RecursionError, TypeError):
        return default
    return value if isinstance(value, type(default)) and _has_shape(value) and not is_too_deep(value) else default


def _has_shape(value: Any) -> bool:
    """Tells whether metrics, conditions or a behavior consist of objects, as they must: else they are ignored."""
    if isinstance(value, list):
        return all(
            isinstance(each, dict) and isinstance(each.get("type", ""), str) and _has_sources(each) for each in value
        )
    return _has_parts(value, ("ScaleUp", "ScaleDown", "scaleUp", "scaleDown"))


def _has_sources(metric: Document) -> bool:
    return all(
        _has_parts(metric[field] or {}, ("target", "selector", "metricSelector"))
        for field in _SOURCES.values()
        if field in metric
    )


def _has_parts(value: Any, names: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), dict | None) for name in names)


def _annotated(document: Document, annotations: dict[str, str]) -> Document:
    metadata = dict(document.get("metadata") or {})
    old = metadata.pop("annotations", None) or {}
    others = {name: value for name, value in old.items() if name not in _ANNOTATIONS}
    return {**metadata, "annotations": {**others, **annotations}} if others or annotations else metadata
