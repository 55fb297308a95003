from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.errors import StatusError, bad_request
from wavetank.apiserver.kinds import Kind
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource

_META = ("metadata.name", "metadata.namespace")
_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

# Which fields a kind can be selected by, and the field of the stored document that each stands for.
_LABELS: Mapping[str, Mapping[str, str]] = {
    "v1/Pod": {
        **{label: label for label in _META},
        **{f"spec.{field}": f"spec.{field}" for field in ("nodeName", "restartPolicy", "schedulerName")},
        **{f"spec.{field}": f"spec.{field}" for field in ("serviceAccountName", "hostNetwork")},
        **{f"status.{field}": f"status.{field}" for field in ("phase", "podIP", "nominatedNodeName")},
        "status.podIPs": "",
        "spec.host": "spec.nodeName",
    },
    "v1/Node": {"metadata.name": "metadata.name", "spec.unschedulable": "spec.unschedulable"},
    "v1/ReplicationController": {**{label: label for label in _META}, "status.replicas": "status.replicas"},
    "v1/Namespace": {"metadata.name": "metadata.name", "status.phase": "status.phase"},
    "v1/Secret": {**{label: label for label in _META}, "type": "type"},
    "v1/Service": {
        **{label: label for label in _META},
        "spec.clusterIP": "spec.clusterIP",
        "spec.type": "spec.type",
    },
    "v1/Event": {
        **{label: label for label in (*_META, "reason", "reportingComponent", "source", "type")},
        **{f"involvedObject.{field}": f"involvedObject.{field}" for field in _INVOLVED},
    },
    "events.k8s.io/v1/Event": {
        **{label: label for label in (*_META, "reason", "type")},
        **{f"regarding.{field}": f"involvedObject.{field}" for field in _INVOLVED},
        "reportingController": "reportingComponent",
    },
    "batch/v1/Job": {**{label: label for label in _META}, "status.successful": "status.succeeded"},
    "certificates.k8s.io/v1/CertificateSigningRequest": {
        "metadata.name": "metadata.name",
        "spec.signerName": "spec.signerName",
    },
    "resource.k8s.io/v1/ResourceSlice": {
        "metadata.name": "metadata.name",
        "spec.nodeName": "spec.nodeName",
        "spec.driver": "spec.driver",
    },
}
_OF_ALL = {"metadata.name": "name", "metadata.namespace": "namespace"}
_OF_PODS = {
    "spec.nodeName": "node_name",
    "spec.schedulerName": "scheduler_name",
    "status.phase": "phase",
    "status.nominatedNodeName": "nominated_node",
}
_FALSE = frozenset({"spec.hostNetwork", "spec.unschedulable"})
_ZERO = frozenset({"status.replicas", "status.succeeded"})


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """Terms that must all hold: (field of the stored document, whether it must be equal, value)."""

    terms: tuple[tuple[str, bool, str], ...]

    def matches(self, resource: Resource, render: Callable[[Resource], Mapping[str, Any]]) -> bool:
        """Says whether an object meets every term; it is rendered only for fields that it does not have itself."""
        document: Mapping[str, Any] | None = None
        for field, equal, value in self.terms:
            found = _quick(resource, field)
            if found is None:
                document = render(resource) if document is None else document
                found = _value(document, field)
            if (found == value) != equal:
                return False
        return True

    @property
    def name(self) -> str | None:
        """Returns the one name that can be selected, or None if it is open."""
        return self._exact("metadata.name")

    @property
    def namespace(self) -> str | None:
        """Returns the one namespace that can be selected, or None if it is open."""
        return self._exact("metadata.namespace")

    def _exact(self, wanted: str) -> str | None:
        return next((value for field, equal, value in self.terms if field == wanted and equal), None)


EVERY_FIELD = FieldSelector(())


def parse_fields(text: str, kind: Kind) -> FieldSelector:
    """Reads a selector such as `status.phase!=Failed,spec.nodeName=n1`; a StatusError says what is wrong with it."""
    labels = _LABELS.get(f"{kind.api_version}/{kind.kind}") if kind.custom is None else _custom_labels(kind)
    terms = list(_terms(text))
    known = labels if labels is not None else {label: label for label in _META}
    for field, _, _ in terms:
        if field not in known:
            raise _unknown(kind, field, labels is None)
    return FieldSelector(tuple((known[field], equal, value) for field, equal, value in terms))


def required_name(text: str) -> str | None:
    """Returns the one name that a selector of any kind can select; None if it is open, or the selector is wrong."""
    try:
        return FieldSelector(tuple(_terms(text))).name
    except StatusError:
        return None


def _custom_labels(kind: Kind) -> Mapping[str, str]:
    assert kind.custom is not None
    names = _META if kind.namespaced else _META[:1]
    return {name: name for name in (*names, *(path.removeprefix(".") for path in kind.custom.selectable))}


def _unknown(kind: Kind, field: str, ordinary: bool) -> StatusError:
    if ordinary:
        return bad_request(f'{quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"')
    if kind.kind == "Job":
        return bad_request(f"field label {quote(field)} not supported for Job")
    if kind.kind == "ResourceSlice":
        return bad_request(f"field label not supported for {kind.api_version}, Kind={kind.kind}: {field}")
    return bad_request(f"field label not supported: {field}")


def _terms(text: str) -> Iterator[tuple[str, bool, str]]:
    for part in sorted(_split(text)):
        if not part:
            continue
        found = _first_operator(part)
        if found is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        at, operator = found
        field, value = part[:at], _unescape(part[at + len(operator) :])
        if field or value:
            yield field, operator != "!=", value


def _split(text: str) -> Iterator[str]:
    """Splits at commas, but not at those behind a backslash."""
    part, escaped = "", False
    for char in text:
        if char == "," and not escaped:
            yield part
            part = ""
            continue
        escaped = char == "\\" and not escaped
        part += char
    yield part


def _first_operator(part: str) -> tuple[int, str] | None:
    for at in range(len(part)):
        for operator in ("!=", "==", "="):
            if part.startswith(operator, at):
                return at, operator
    return None


def _unescape(text: str) -> str:
    value, escaped = "", False
    for char in text:
        if escaped:
            if char not in "\\,=":
                raise bad_request(f"invalid field selector: invalid escape sequence: \\{char}")
            value, escaped = value + char, False
        elif char == "\\":
            escaped = True
        elif char in ",=":
            raise bad_request(f"invalid field selector: unescaped character in value: {ord(char)}")
        else:
            value += char
    if escaped:
        raise bad_request("invalid field selector: invalid escape sequence: \\")
    return value


def _quick(resource: Resource, field: str) -> str | None:
    attribute = _OF_ALL.get(field) or (_OF_PODS.get(field) if isinstance(resource, Pod) else None)
    return None if attribute is None else str(getattr(resource, attribute))


def _value(document: Mapping[str, Any], path: str) -> str:
    special = _SPECIAL.get(path)
    if special is not None:
        return special(document)
    value: Any = document
    for step in path.split("."):
        value = (value or {}).get(step) if step else None
    if path in _FALSE:
        return "true" if value else "false"
    if path in _ZERO:
        return str(value or 0)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _source(document: Mapping[str, Any]) -> str:
    return str((document.get("source") or {}).get("component") or document.get("reportingComponent") or "")


_SPECIAL: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"source": _source}
