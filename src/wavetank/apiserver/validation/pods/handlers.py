"""Probes and lifecycle handlers of containers."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_not_negative, each_invalid

_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_OF_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_LIFECYCLES = ("exec", "httpGet", "tcpSocket", "sleep")


def check_probes(container: Document, grace: int | None, path: str) -> Errors:
    """Checks all probes of a container; `grace` are the seconds that its pod has to stop."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        where = f"{path}.{name}"
        yield from _check_probe(probe, grace, where)
        if name == "readinessProbe":
            if "terminationGracePeriodSeconds" in probe:
                given = probe["terminationGracePeriodSeconds"]
                yield invalid(f"{where}.terminationGracePeriodSeconds", given, "must not be set for readinessProbes")
        elif probe.get("successThreshold", 0) != 1:
            yield invalid(f"{where}.successThreshold", probe.get("successThreshold", 0), "must be 1")


def check_lifecycle(lifecycle: Document, grace: int | None, path: str) -> Errors:
    """Checks what a container does after its start and before its end."""
    for name in ("postStart", "preStop"):
        if name in lifecycle:
            yield from _check_handler(lifecycle[name], _OF_LIFECYCLES, grace, f"{path}.{name}")


def check_port(port: int | str | None, path: str) -> Errors:
    """Checks a port given by its number or its name."""
    if isinstance(port, str):
        yield from each_invalid(path, port, names.port_name_problems(port))
    else:
        yield from each_invalid(path, port or 0, names.port_problems(port or 0))


def _check_probe(probe: Document, grace: int | None, path: str) -> Errors:
    yield from _check_handler(probe, _OF_PROBES, grace, path)
    for name in _COUNTS:
        yield from check_not_negative(f"{path}.{name}", probe.get(name))
    period = probe.get("terminationGracePeriodSeconds")
    if period is not None and period <= 0:
        yield invalid(f"{path}.terminationGracePeriodSeconds", period, "must be greater than 0")


def _check_handler(handler: Document, kinds: tuple[str, ...], grace: int | None, path: str) -> Errors:
    given = [kind for kind in kinds if kind in handler]
    for kind in given[1:]:
        yield forbidden(f"{path}.{kind}", "may not specify more than 1 handler type")
    if given:
        yield from _check_action(given[0], handler[given[0]], grace, f"{path}.{given[0]}")
    else:
        yield required(path, "must specify a handler type")


def _check_action(kind: str, action: Document, grace: int | None, path: str) -> Errors:
    match kind:
        case "exec":
            if not action.get("command"):
                yield required(f"{path}.command")
        case "httpGet":
            yield from _check_http(action, path)
        case "sleep":
            seconds = action.get("seconds", 0)
            if grace is not None and not 0 <= seconds <= grace:
                limit = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
                yield invalid(path, seconds, limit)
        case _:
            yield from check_port(action.get("port"), f"{path}.port")


def _check_http(action: Document, path: str) -> Errors:
    if not action.get("path"):
        yield required(f"{path}.path")
    yield from check_port(action.get("port"), f"{path}.port")
    if action.get("scheme") not in ("HTTP", "HTTPS"):
        yield unsupported(f"{path}.scheme", action.get("scheme", ""), ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        yield from each_invalid(f"{path}.httpHeaders", name, names.header_problems(name))
