"""Defaults of the group autoscaling."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.defaulting.fields import Document, default, fill, part

_UTILIZATION = 80  # percent
_METRICS = "autoscaling.alpha.kubernetes.io/metrics"


def default_autoscaler_v1(autoscaler: Document) -> None:
    """Completes an autoscaler as version 1 shows it; metrics that it cannot show are in an annotation."""
    spec = part(autoscaler, "spec")
    default(spec, "minReplicas", 1)
    annotations = (autoscaler.get("metadata") or {}).get("annotations") or {}
    if _METRICS not in annotations:
        default(spec, "targetCPUUtilizationPercentage", _UTILIZATION)


def default_autoscaler_v2(autoscaler: Document) -> None:
    """Completes an autoscaler."""
    spec = part(autoscaler, "spec")
    target = {"type": "Utilization", "averageUtilization": _UTILIZATION}
    fill(spec, minReplicas=1, metrics=[{"type": "Resource", "resource": {"name": "cpu", "target": target}}])
    if "behavior" in spec:
        fill(part(spec["behavior"], "scaleUp"), stabilizationWindowSeconds=0, selectPolicy="Max", policies=_up())
        fill(part(spec["behavior"], "scaleDown"), selectPolicy="Max", policies=_down())


def _up() -> list[dict[str, Any]]:
    return [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ]


def _down() -> list[dict[str, Any]]:
    return [{"type": "Percent", "value": 100, "periodSeconds": 15}]
