"""Reads applied configurations: documents with only the fields that a client manages."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec.mismatch import UnreadableError, json_type
from wavetank.apiserver.codec.yamltext import parse_yaml
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, Subresource

APPLY_PATCH = "application/apply-patch+yaml"

Document = dict[str, Any]


def read_applied(kind: Kind | Subresource, body: bytes) -> tuple[Document, list[str]]:
    """Returns the configuration in a body and its strict errors; a StatusError (400) if it is of another kind."""
    try:
        document, strict = parse_yaml(body)
    except UnreadableError as error:
        raise bad_request(f"error decoding YAML: error converting YAML to JSON: {error}") from None
    if document is not None and not isinstance(document, dict):
        why = f"json: cannot unmarshal {json_type(document)} into Go value of type map[string]interface {{}}"
        raise bad_request(f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {why}")
    document = document or {}
    if gvk_of(document) != (kind.group, kind.version, kind.kind):
        raise bad_request(f"invalid object type: {_gvk(document)}")
    metadata = document.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("managedFields"), list):
        raise bad_request("metadata.managedFields must be nil")
    return document, strict


def gvk_of(document: Document) -> tuple[str, str, str]:
    """Returns group, version and kind of a document, which may lack them."""
    api_version = _text(document.get("apiVersion"))
    kind = _text(document.get("kind"))
    if api_version.count("/") > 1:
        return "", "", ""
    group, _, version = api_version.rpartition("/")
    return group, version, kind


def describe(document: Document) -> str:
    """Returns how errors name an object: `namespace/name; group/version, Kind=kind`."""
    metadata = document.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    return f"{_text(named.get('namespace'))}/{_text(named.get('name'))}; {_gvk(document)}"


def _gvk(document: Document) -> str:
    group, version, kind = gvk_of(document)
    return f"{group}/{version}, Kind={kind}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
