"""APIServices."""

from __future__ import annotations

from base64 import b64decode

from wavetank.apiserver.fielderrors import invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.cel.gotext import quote

_HIGHEST_GROUP_PRIORITY = 20000
_HIGHEST_VERSION_PRIORITY = 1000
_STATES = ("True", "False", "Unknown")


def check_api_service(service: Document) -> Errors:
    """Checks a new APIService."""
    spec = service.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    wanted = f"{version}.{group}"

    def problems(name: str) -> list[str]:
        wrong = [] if name == wanted else [f'must be `spec.version+"."+spec.group`: {quote(wanted)}']
        return names.path_segment_problems(name) or wrong

    yield from check_metadata(service["metadata"], False, problems)
    if not group and version != "v1":
        yield required("spec.group", "only v1 may have an empty group and it better be legacy kube")
    if group:
        yield from each_invalid("spec.group", group, names.subdomain_problems(group))
    yield from each_invalid("spec.version", version, names.label_1035_problems(version))
    for field, highest in (
        ("groupPriorityMinimum", _HIGHEST_GROUP_PRIORITY),
        ("versionPriority", _HIGHEST_VERSION_PRIORITY),
    ):
        priority = spec.get(field) or 0
        if not 0 < priority <= highest:
            yield invalid(f"spec.{field}", priority, f"must be positive and less than {highest}")
    yield from _check_server(spec)


def check_api_service_update(new: Document, old: Document) -> Errors:
    """Checks a changed APIService."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_api_service(new)


def check_api_service_status_update(new: Document, old: Document) -> Errors:
    """Checks a changed status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for path, condition in structs(new.get("status") or {}, "status", "conditions"):
        if condition.get("status") not in _STATES:
            yield unsupported(f"{path}.status", condition.get("status") or "", _STATES)


def _check_server(spec: Document) -> Errors:
    server, bundle, insecure = spec.get("service"), spec.get("caBundle"), spec.get("insecureSkipTLSVerify")
    if server is None:
        if bundle:
            size = len(b64decode(bundle))
            yield invalid("spec.caBundle", f"{size} bytes", "local APIServices may not have a caBundle")
        if insecure:
            problem = "local APIServices may not have insecureSkipTLSVerify"
            yield invalid("spec.insecureSkipTLSVerify", insecure, problem)
        return
    for field in ("namespace", "name"):
        if not server.get(field):
            yield required(f"spec.service.{field}")
    port = server.get("port") or 0
    if problems := names.port_problems(port):
        yield invalid("spec.service.port", port, f"port is not valid: {', '.join(problems)}")
    if insecure and bundle:
        yield invalid("spec.insecureSkipTLSVerify", insecure, "may not be true if caBundle is present")
