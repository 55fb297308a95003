"""The rows of the core group's small kinds: nodes, namespaces, configuration, quotas, events."""

from __future__ import annotations

from wavetank.apiserver.conversion.events import as_core
from wavetank.apiserver.tables.cells import (
    NONE,
    UNKNOWN,
    Cells,
    Document,
    age,
    condition_of,
    dig,
    items_at,
    name_of,
    number_at,
    seconds_of,
    since,
    text_at,
)

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE_LABEL = "kubernetes.io/role"


def namespace(document: Document, now: float) -> Cells:
    """Prints a Namespace."""
    return [name_of(document), text_at(document, "status", "phase"), age(document, now)]


def config_map(document: Document, now: float) -> Cells:
    """Prints a ConfigMap."""
    count = len(dig(document, "data") or ()) + len(dig(document, "binaryData") or ())
    return [name_of(document), count, age(document, now)]


def secret(document: Document, now: float) -> Cells:
    """Prints a Secret."""
    return [name_of(document), text_at(document, "type"), len(dig(document, "data") or ()), age(document, now)]


def named(document: Document, now: float) -> Cells:
    """Prints a kind of which nothing but name and age is shown."""
    return [name_of(document), age(document, now)]


def node(document: Document, now: float) -> Cells:
    """Prints a Node."""
    info = dig(document, "status", "nodeInfo")
    cells = [name_of(document), _node_state(document), _roles(document), age(document, now)]
    cells += [text_at(info, "kubeletVersion"), _address(document, "InternalIP"), _address(document, "ExternalIP")]
    fields = ("osImage", "kernelVersion", "containerRuntimeVersion")
    return [*cells, *(text_at(info, field, default=UNKNOWN) for field in fields)]


def _node_state(document: Document) -> str:
    ready = [one for one in items_at(document, "status", "conditions") if dig(one, "type") == "Ready"]
    state = "Unknown"
    if ready:  # of several the last one counts
        state = "Ready" if dig(ready[-1], "status") == "True" else "NotReady"
    return f"{state},SchedulingDisabled" if dig(document, "spec", "unschedulable") else state


def _roles(document: Document) -> str:
    roles = set()
    for key, value in (dig(document, "metadata", "labels") or {}).items():
        role = key.removeprefix(_ROLE_PREFIX) if key.startswith(_ROLE_PREFIX) else ""
        roles.add(value if key == _ROLE_LABEL else role)
    return ",".join(sorted(roles - {""})) or NONE


def _address(document: Document, type_: str) -> str:
    addresses = (one for one in items_at(document, "status", "addresses") if dig(one, "type") == type_)
    return next((text_at(one, "address") for one in addresses), NONE)


def component_status(document: Document, now: float) -> Cells:
    """Prints a ComponentStatus."""
    healthy = [one for one in items_at(document, "conditions") if dig(one, "type") == "Healthy"]
    if not healthy:
        return [name_of(document), "Unknown", "", ""]
    state = "Healthy" if dig(healthy[0], "status") == "True" else "Unhealthy"
    return [name_of(document), state, text_at(healthy[0], "message"), text_at(healthy[0], "error")]


def resource_quota(document: Document, now: float) -> Cells:
    """Prints a ResourceQuota: what is used of what is allowed, requests and limits apart."""
    used = dig(document, "status", "used")
    requests: list[str] = []
    limits: list[str] = []
    for name, hard in sorted((dig(document, "status", "hard") or {}).items()):
        words = limits if name.startswith("limits.") else requests
        words.append(f"{name}: {text_at(used, name, default='0')}/{hard}")
    return [name_of(document), ", ".join(requests), ", ".join(limits), age(document, now)]


def event(document: Document, now: float) -> Cells:
    """Prints an Event of either group."""
    core = as_core(document)
    first, last, count = _seen(core, now)
    regarding = dig(core, "involvedObject")
    kind, name = text_at(regarding, "kind").lower(), text_at(regarding, "name")
    cells = [last, text_at(core, "type"), text_at(core, "reason"), f"{kind}/{name}" if name else kind]
    cells += [text_at(regarding, "fieldPath"), _source(core), text_at(core, "message").strip()]
    return [*cells, first, count, name_of(core)]


def _seen(core: Document, now: float) -> tuple[str, str, int]:
    """Returns when an event was first and last seen, and how often."""
    first_time = dig(core, "firstTimestamp")
    first = since(first_time if seconds_of(first_time) is not None else dig(core, "eventTime"), now)
    last_time = dig(core, "lastTimestamp")
    last = first if seconds_of(last_time) is None else since(last_time, now)
    series = dig(core, "series")
    if series is not None:
        return first, since(dig(series, "lastObservedTime"), now), number_at(series, "count")
    return first, last, number_at(core, "count") or 1


def _source(core: Document) -> str:
    component = text_at(core, "source", "component", default=text_at(core, "reportingComponent"))
    host = text_at(core, "source", "host", default=text_at(core, "reportingInstance"))
    return f"{component}, {host}" if host else component


def api_service(document: Document, now: float) -> Cells:
    """Prints an APIService."""
    service = dig(document, "spec", "service")
    where = "Local" if service is None else f"{text_at(service, 'namespace')}/{text_at(service, 'name')}"
    available = condition_of(document, "Available")
    state = text_at(available, "status", default="Unknown")
    if state != "True" and text_at(available, "reason"):
        state = f"{state} ({text_at(available, 'reason')})"
    return [name_of(document), where, state, age(document, now)]
