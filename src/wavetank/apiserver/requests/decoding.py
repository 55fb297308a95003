"""Decodes request bodies into documents of the kind that a path serves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wavetank.apiserver.codec.mismatch import UnreadableError, json_type
from wavetank.apiserver.codec.protobuf import parse_message, unwrap
from wavetank.apiserver.codec.reading import Parsed, parse, read, strict_error
from wavetank.apiserver.codec.yamltext import parse_yaml
from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.custom.decoding import read_custom
from wavetank.apiserver.errors import StatusError, bad_request, unsupported_media_type
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.cel.gotext import quote

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
MEDIA_TYPES = (JSON, YAML, PROTOBUF)
STRICT, WARN, IGNORE = "Strict", "Warn", "Ignore"

_SCHEME = "pkg/api/legacyscheme/scheme.go:30"
_HEAD = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
_SUMMARY = 30  # bytes of a body that an error message shows
# Groups whose kinds are internally those of another group.
_INTERNAL = {"": "core", "events.k8s.io": "core"}
# Other versions that a path accepts besides its own.
_ACCEPTED = {("policy/v1", "Eviction"): frozenset(("policy/v1beta1",))}


@dataclass(slots=True)
class Decoded:
    """A document in canonical form, warnings for the client, and the document as it was stated, if it is known."""

    document: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    stated: Any = None


@dataclass(slots=True)
class _Body:
    """A parsed body: its apiVersion and kind, and its content, which for protobuf can only be read by a schema."""

    api_version: str
    kind: str
    parsed: Parsed
    message: bytes | None = None


def media_type(content_type: str) -> str:
    """Returns one of `MEDIA_TYPES`; raises the real 415 for others. An empty content type is JSON."""
    name = content_type.partition(";")[0].strip().lower() or JSON
    if name not in MEDIA_TYPES:
        raise unsupported_media_type(MEDIA_TYPES)
    return name


def decode(
    table: KindTable, kind: Kind | Subresource, body: bytes, content_type: str, field_validation: str = WARN
) -> Decoded:
    """Reads a body as a document of `kind`; raises the real server's errors (400, 415).

    A missing apiVersion or kind is filled in. Unknown and duplicate fields are warnings, errors or ignored, as
    `field_validation` says.
    """
    media = media_type(content_type)
    try:
        found = _parse(body, media)
    except UnreadableError as error:
        raise _unrecognized(kind.kind, error, body) from None
    if isinstance(kind, Kind) and kind.custom is not None:
        return _decode_custom(kind, kind.custom, found, body, field_validation)
    _fill_in(found, kind.api_version, kind.kind)
    mistake = type_mistake(table, kind, found.api_version, found.kind)
    if mistake:
        raise _not_handled(found, kind, mistake)
    try:
        if found.message is not None:
            message = parse_message(kind.schema, found.message)
            found.parsed = Parsed(message, message)
        document, strict = read(kind.schema, found.parsed, strict=field_validation != IGNORE)
    except UnreadableError as error:
        raise _not_handled(found, kind, str(error)) from None
    if strict and field_validation == STRICT:
        raise _not_handled(found, kind, strict_error(strict))
    _check_version(kind, found)
    document["apiVersion"] = kind.api_version
    return Decoded({"kind": kind.kind, **document}, strict, found.parsed.value)


def _decode_custom(kind: Kind, custom: CustomType, found: _Body, body: bytes, field_validation: str) -> Decoded:
    """Reads a body as a custom object, which must state its kind."""
    if not found.kind:
        text = body.decode("utf-8", "replace")
        raise _unrecognized(kind.kind, UnreadableError(f"Object 'Kind' is missing in '{text}'"), body)
    try:
        document, strict = read_custom(custom, found.parsed)
    except UnreadableError as error:
        raise _not_handled(found, kind, str(error)) from None
    if strict and field_validation == STRICT:
        raise _not_handled(found, kind, strict_error(strict))
    _check_version(kind, found)
    return Decoded(document, strict if field_validation == WARN else [])


def decode_delete_options(table: KindTable, body: bytes, content_type: str) -> dict[str, Any]:
    """Reads the body of a DELETE; raises the real server's 415 and 400."""
    media = media_type(content_type)
    try:
        found = _parse(body, media)
        _fill_in(found, "meta.k8s.io/v1", "DeleteOptions")
        if found.kind != "DeleteOptions":
            raise UnreadableError(
                f"no kind {quote(found.kind)} is registered for version {quote(found.api_version)} in scheme "
                '"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
            )
        if found.message is not None:
            message = parse_message(table.delete_options, found.message)
            found.parsed = Parsed(message, message)
        return read(table.delete_options, found.parsed, strict=False)[0]
    except UnreadableError as error:
        raise bad_request(str(error)) from None


def _parse(body: bytes, media: str) -> _Body:
    if media == PROTOBUF:
        api_version, kind, message = unwrap(body)
        return _Body(api_version, kind, Parsed(None, None), message)
    if media == YAML:
        value, strict = parse_yaml(body)
        parsed = Parsed(value, value, strict)
    else:
        parsed = _parse_json(body)
    return _Body(*type_meta(parsed.value), parsed)


def _parse_json(body: bytes) -> Parsed:
    try:
        return parse(body)
    except UnreadableError as error:
        raise UnreadableError(f"couldn't get version/kind; json parse error: {error}") from None


def type_meta(value: Any) -> tuple[str, str]:
    """Returns apiVersion and kind of a document; raises an UnreadableError if it cannot have any."""
    if value is None:
        return "", ""
    prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal"
    if not isinstance(value, dict):
        raise UnreadableError(f"{prefix} {json_type(value)} into Go value of type {_HEAD}")
    for key in ("apiVersion", "kind"):
        if value.get(key) is not None and not isinstance(value[key], str):
            raise UnreadableError(f"{prefix} {json_type(value[key])} into Go struct field .{key} of type string")
    api_version = value.get("apiVersion") or ""
    if api_version.count("/") > 1:
        raise UnreadableError(f"unexpected GroupVersion string: {api_version}")
    return api_version, value.get("kind") or ""


def _fill_in(found: _Body, api_version: str, kind: str) -> None:
    found.kind = found.kind or kind
    if found.api_version in ("", "/"):
        found.api_version = api_version


def type_mistake(table: KindTable, kind: Kind | Subresource, api_version: str, name: str) -> str:
    """Returns why a document with kind `name` and `api_version` cannot be read as `kind`; "" if it can."""
    if (api_version or kind.api_version, name or kind.kind) == (kind.api_version, kind.kind):
        return ""
    if not table.knows(api_version, name):
        return f'no kind {quote(name)} is registered for version {quote(api_version)} in scheme "{_SCHEME}"'
    group, _, version = api_version.rpartition("/")
    if (_internal(group), name) == (_internal(kind.group), kind.kind):
        return ""
    return f"converting ({version}.{name}) to ({_internal(kind.group)}.{kind.kind}): unknown conversion"


def _check_version(kind: Kind | Subresource, found: _Body) -> None:
    accepted = _ACCEPTED.get((kind.api_version, kind.kind), ())
    if found.api_version != kind.api_version and found.api_version not in accepted:
        stated = f"the API version in the data ({found.api_version})"
        raise bad_request(f"{stated} does not match the expected API version ({kind.api_version})")


def _internal(group: str) -> str:
    """Returns the Go package of a group's internal types."""
    return _INTERNAL.get(group, group.partition(".")[0])


def _not_handled(found: _Body, kind: Kind | Subresource, why: str) -> StatusError:
    version = found.api_version.rpartition("/")[2]
    return bad_request(f"{found.kind} in version {quote(version)} cannot be handled as a {kind.kind}: {why}")


def _unrecognized(kind: str, error: UnreadableError, body: bytes) -> StatusError:
    start = body[:_SUMMARY]
    summary = start.decode("utf-8", "replace") if body.startswith(b"{") else start.hex()
    if len(body) > _SUMMARY:
        summary += " ..."
    message = f"the object provided is unrecognized (must be of type {kind}): {error} ({summary or '<empty>'})"
    return bad_request(message)
