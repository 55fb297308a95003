"""The rows of what makes pods: apps, batch, autoscaling, and replication controllers."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.conversion.autoscaling import as_v2
from wavetank.apiserver.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Cells,
    Document,
    age,
    container_cells,
    dig,
    holds,
    human_duration,
    items_at,
    labels_cell,
    name_of,
    number_at,
    seconds_of,
    selector_cell,
    selector_text,
    since,
    template_cells,
    terminating,
    text_at,
)

_JOB_STATES = (("Suspended", "Suspended"), ("FailureTarget",) * 2, ("SuccessCriteriaMet",) * 2)


def pod_template(document: Document, now: float) -> Cells:
    """Prints a PodTemplate."""
    containers = container_cells(items_at(document, "template", "spec", "containers"))
    return [name_of(document), *containers, labels_cell(dig(document, "template", "metadata", "labels"))]


def replication_controller(document: Document, now: float) -> Cells:
    """Prints a ReplicationController."""
    return [*_replicas(document, now), *template_cells(document), labels_cell(dig(document, "spec", "selector"))]


def replica_set(document: Document, now: float) -> Cells:
    """Prints a ReplicaSet."""
    return [*_replicas(document, now), *template_cells(document), selector_cell(dig(document, "spec", "selector"))]


def _replicas(document: Document, now: float) -> Cells:
    desired, present = number_at(document, "spec", "replicas"), number_at(document, "status", "replicas")
    return [name_of(document), desired, present, number_at(document, "status", "readyReplicas"), age(document, now)]


def deployment(document: Document, now: float) -> Cells:
    """Prints a Deployment."""
    updated, available = (number_at(document, "status", f"{word}Replicas") for word in ("updated", "available"))
    cells = [name_of(document), _ready(document), updated, available, age(document, now)]
    return [*cells, *template_cells(document), selector_text(dig(document, "spec", "selector"))]


def stateful_set(document: Document, now: float) -> Cells:
    """Prints a StatefulSet."""
    return [name_of(document), _ready(document), age(document, now), *template_cells(document)]


def _ready(document: Document) -> str:
    return f"{number_at(document, 'status', 'readyReplicas')}/{number_at(document, 'spec', 'replicas')}"


_DAEMON_COUNTS = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)


def daemon_set(document: Document, now: float) -> Cells:
    """Prints a DaemonSet."""
    counts = [number_at(document, "status", field) for field in _DAEMON_COUNTS]
    nodes = labels_cell(dig(document, "spec", "template", "spec", "nodeSelector"))
    selector = selector_cell(dig(document, "spec", "selector"))
    return [name_of(document), *counts, nodes, age(document, now), *template_cells(document), selector]


def job(document: Document, now: float) -> Cells:
    """Prints a Job."""
    cells = [name_of(document), _job_state(document), _completions(document), _duration(document, now)]
    selector = selector_cell(dig(document, "spec", "selector"))
    return [*cells, age(document, now), *template_cells(document), selector]


def _job_state(document: Document) -> str:
    if holds(document, "Complete"):
        return "Complete"
    if holds(document, "Failed"):
        return "Failed"
    if terminating(document):
        return "Terminating"
    return next((word for type_, word in _JOB_STATES if holds(document, type_)), "Running")


def _completions(document: Document) -> str:
    succeeded, wanted = number_at(document, "status", "succeeded"), dig(document, "spec", "completions")
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    parallelism = number_at(document, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(document: Document, now: float) -> str:
    started = seconds_of(dig(document, "status", "startTime"))
    if started is None:
        return ""
    completed = seconds_of(dig(document, "status", "completionTime"))
    return human_duration((now if completed is None else completed) - started)


def cron_job(document: Document, now: float) -> Cells:
    """Prints a CronJob."""
    suspend, last = dig(document, "spec", "suspend"), dig(document, "status", "lastScheduleTime")
    zone = dig(document, "spec", "timeZone")
    cells = [name_of(document), text_at(document, "spec", "schedule"), NONE if zone is None else zone]
    cells += [UNSET if suspend is None else str(bool(suspend)), len(items_at(document, "status", "active"))]
    cells += [NONE if last is None else since(last, now), age(document, now)]
    job_spec = dig(document, "spec", "jobTemplate", "spec")
    containers = container_cells(items_at(job_spec, "template", "spec", "containers"))
    return [*cells, *containers, selector_cell(dig(job_spec, "selector"))]


def controller_revision(document: Document, now: float) -> Cells:
    """Prints a ControllerRevision."""
    owners = [owner for owner in items_at(document, "metadata", "ownerReferences") if dig(owner, "controller")]
    owner = _kind_and_name(owners[0]) if owners else NONE
    return [name_of(document), owner, number_at(document, "revision"), age(document, now)]


def _kind_and_name(owner: Document) -> str:
    group = text_at(owner, "apiVersion").rpartition("/")[0]
    kind = text_at(owner, "kind") + (f".{group}" if group else "")
    return f"{kind.lower()}/{text_at(owner, 'name')}" if kind else text_at(owner, "name")


def scale(document: Document, now: float) -> Cells:
    """Prints a Scale."""
    desired, present = number_at(document, "spec", "replicas"), number_at(document, "status", "replicas")
    return [name_of(document), desired, present, age(document, now)]


def autoscaler(document: Document, now: float) -> Cells:
    """Prints a HorizontalPodAutoscaler of either version."""
    if document.get("apiVersion") == "autoscaling/v1":
        document = as_v2(dict(document))
    target = dig(document, "spec", "scaleTargetRef")
    least = dig(document, "spec", "minReplicas")
    most, present = number_at(document, "spec", "maxReplicas"), number_at(document, "status", "currentReplicas")
    reference = f"{text_at(target, 'kind')}/{text_at(target, 'name')}"
    cells = [name_of(document), reference, _metrics(document), UNSET if least is None else str(least)]
    return [*cells, most, present, age(document, now)]


def _metrics(document: Document) -> str:
    specs, statuses = items_at(document, "spec", "metrics"), items_at(document, "status", "currentMetrics")
    words = [_metric(spec, statuses[index] if index < len(statuses) else None) for index, spec in enumerate(specs)]
    text = ", ".join(words[:2]) or NONE
    return f"{text} + {len(words) - 2} more..." if len(words) > 2 else text


_SOURCES = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _metric(spec: Document, status: Document | None) -> str:
    source = _SOURCES.get(text_at(spec, "type"))
    if source is None:
        return "<unknown type>"
    target, current = dig(spec, source, "target"), dig(status, source)
    if source in ("resource", "containerResource"):
        return f"{text_at(spec, source, 'name')}: {_resource_metric(target, current)}"
    if source == "pods":
        return f"{_value(current, 'averageValue')}/{text_at(target, 'averageValue', default='<nil>')}"
    if dig(target, "averageValue") is not None:
        return f"{text_at(current, 'current', 'averageValue', default=UNKNOWN)}/{dig(target, 'averageValue')} (avg)"
    return f"{_value(current, 'value')}/{text_at(target, 'value', default='<nil>')}"


def _resource_metric(target: Any, current: Any) -> str:
    if dig(target, "averageValue") is not None:
        return f"{_value(current, 'averageValue')}/{dig(target, 'averageValue')}"
    wanted, present = dig(target, "averageUtilization"), dig(current, "current", "averageUtilization")
    return f"{UNKNOWN if present is None else f'{present}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"


def _value(current: Any, field: str) -> str:
    """Returns a quantity that a status reports: unknown without a status, nil where it reports another one."""
    return UNKNOWN if current is None else text_at(current, "current", field, default="<nil>")
