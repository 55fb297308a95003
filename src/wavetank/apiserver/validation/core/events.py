"""What an Event must have: little through core/v1, much through events.k8s.io/v1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.fielderrors import FieldError, invalid, required
from wavetank.apiserver.validation.errors import Document, Errors
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.names import label_key_problems, subdomain_problems

_LONGEST_WORD = 128
_LONGEST_MESSAGE = 1024
_DEFAULT, _SYSTEM = "default", "kube-system"
_TYPES = ("Normal", "Warning")
_UNSET = ("firstTimestamp", "lastTimestamp", "count", "source")

# The fields that may not change, in the order in which upstream compares them: one of them twice.
_IMMUTABLE = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)
_REFERENCE = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_GO_NAMES = {"uid": "UID", "apiVersion": "APIVersion"}
_ZEROS: Document = {"count": 0, "firstTimestamp": None, "lastTimestamp": None, "eventTime": None, "related": None}


def check_event(event: Document) -> Errors:
    """Checks a new Event that came through core/v1."""
    yield from _always(event, strict=False)


def check_event_update(new: Document, old: Document) -> Errors:
    """Checks a changed Event that came through core/v1."""
    yield from _always(new, strict=False)


def check_strict_event(event: Document) -> Errors:
    """Checks a new Event, in its core form, that came through events.k8s.io."""
    yield from _always(event, strict=True)
    yield from check_metadata(event["metadata"], True, subdomain_problems)
    yield from _series(event)
    yield from _new(event)


def check_strict_event_update(new: Document, old: Document) -> Errors:
    """Checks a changed Event, both in core form, that came through events.k8s.io."""
    yield from _always(new, strict=True)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if new.get("series") != old.get("series"):
        yield from _series(new)
    yield from _unchanged(new, old)


def _always(event: Document, strict: bool) -> Iterator[FieldError]:
    metadata = event.get("metadata") or {}
    namespace = metadata.get("namespace") or ""
    if event.get("eventTime"):
        yield from _of_new_recorder(event, namespace, "reportingController" if strict else "reportingComponent")
    else:
        regarding = _namespace_regarded(event)
        if namespace != regarding and (regarding or namespace not in ("", _DEFAULT)):
            yield _wrong_namespace(regarding)
    for problem in subdomain_problems(namespace):
        yield invalid("namespace", namespace, problem)


def _of_new_recorder(event: Document, namespace: str, controller_field: str) -> Iterator[FieldError]:
    """Checks what must be given where there is a time of the event."""
    if not _namespace_regarded(event) and namespace not in (_DEFAULT, _SYSTEM):
        yield _wrong_namespace("")
    controller = event.get("reportingComponent") or ""
    if not controller:
        yield required(controller_field)
    for problem in label_key_problems(controller):
        yield invalid(controller_field, controller, problem)
    for field in ("reportingInstance", "action", "reason"):
        yield from _word(event, field)
    if _bytes(event.get("message")) > _LONGEST_MESSAGE:
        yield invalid("message", "", f"can have at most {_LONGEST_MESSAGE} characters")


def _word(event: Document, field: str) -> Iterator[FieldError]:
    if not event.get(field):
        yield required(field)
    elif _bytes(event[field]) > _LONGEST_WORD:
        yield invalid(field, "", f"can have at most {_LONGEST_WORD} characters")


def _bytes(text: str | None) -> int:
    return len((text or "").encode())


def _namespace_regarded(event: Document) -> str:
    return (event.get("involvedObject") or {}).get("namespace") or ""


def _wrong_namespace(regarding: str) -> FieldError:
    return invalid("involvedObject.namespace", regarding, "does not match event.namespace")


def _series(event: Document) -> Iterator[FieldError]:
    series = event.get("series")
    if series is None:
        return
    if (series.get("count") or 0) < 2:
        yield invalid("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")


def _new(event: Document) -> Iterator[FieldError]:
    if not event.get("eventTime"):
        yield required("eventTime")
    if event.get("type") not in _TYPES:
        yield invalid("type", "", f"has invalid value: {event.get('type') or ''}")
    for field in _UNSET:
        if event.get(field):
            yield invalid(field, "", "needs to be unset")


def _unchanged(new: Document, old: Document) -> Iterator[FieldError]:
    for field in _IMMUTABLE:
        if (new.get(field) or None) != (old.get(field) or None):
            shown = "reportingController" if field == "reportingComponent" else field
            yield invalid(shown, _shown(field, new.get(field)), "field is immutable")


def _shown(field: str, value: Any) -> Any:
    """Returns a value as messages show it: structs under the names that they have in Go."""
    if field == "source":
        return {"Component": (value or {}).get("component", ""), "Host": (value or {}).get("host", "")}
    if field == "involvedObject" or (field == "related" and value):
        parts = value or {}
        return {_GO_NAMES.get(name, name[0].upper() + name[1:]): parts.get(name, "") for name in _REFERENCE}
    return value or _ZEROS.get(field, "")
