"""Manifests that were pasted into the page, as requests to the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError

_MANAGER = "wavetank-ui"


def read_requests(text: str, kinds: KindTable) -> list[dict[str, Any]]:
    """Returns the request that applies each document, with a title; StatusError if the text is no YAML.

    A document has a `problem` instead of a path if its kind is not served, or not yet.
    """
    try:
        documents = load_documents(text, "")
    except InputError as error:
        raise bad_request(str(error)) from None
    return [_request(document, kinds) for given in documents for document in _flat(given)]


def _flat(document: Any) -> Iterator[Any]:
    """Yields the items of a list instead of the list."""
    if isinstance(document, Mapping) and document.get("kind") == "List":
        for item in document.get("items") or ():
            yield from _flat(item)
    elif document is not None:
        yield document


def _request(document: Any, kinds: KindTable) -> dict[str, Any]:
    if not isinstance(document, Mapping) or not isinstance(document.get("metadata"), Mapping):
        raise bad_request("expected Kubernetes objects with apiVersion, kind and metadata")
    metadata = document["metadata"]
    api_version, kind = str(document.get("apiVersion")), str(document.get("kind"))
    name = str(metadata.get("name") or "")
    known = kinds.named(api_version, kind)
    asked = {"title": f"{kind} {name or metadata.get('generateName') or ''}", "document": document}
    if known is None:
        return {**asked, "problem": f"no kind {kind} in {api_version}"}
    path = _collection(known, str(metadata.get("namespace") or "default"))
    if not name:
        return {**asked, "method": "POST", "path": path}
    query = f"fieldManager={_MANAGER}&force=true"
    return {**asked, "method": "PATCH", "path": f"{path}/{quote(name, '')}?{query}"}


def _collection(kind: Kind, namespace: str) -> str:
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.api_version}"
    return f"{root}/namespaces/{quote(namespace, '')}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
