"""Conversion of custom resources by the webhook that their definition names."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec

from wavetank.apiserver.errors import StatusError, plain
from wavetank.apiserver.webhooks.calls import CallError, WebhookClient, check_status, decode_review, endpoint_of
from wavetank.cel.gotext import quote
from wavetank.cluster.yamldepth import is_too_deep

Document = dict[str, Any]
_GROUP = "apiextensions.k8s.io"
_TIMEOUT_S = 30.0


class WebhookConverter:
    """Asks a webhook for objects in another version. Only labels and annotations of their metadata may change.

    If nothing serves the webhook, versions differ by their names only.
    """

    def __init__(self, webhook: Document, client: WebhookClient) -> None:
        self._config = webhook.get("clientConfig") or {}
        self._versions = webhook.get("conversionReviewVersions") or []
        self._client = client
        self._uids = count(1)

    def convert(self, document: Document, api_version: str) -> Document:
        """Returns an object in another version; StatusError (500) if the webhook cannot be called or refuses it."""
        try:
            if not self._client.reaches(endpoint_of(self._config, None)):
                return {**document, "apiVersion": api_version}
            [converted] = self._ask([document], api_version)
            _check(document, converted, api_version)
        except (CallError, ValueError) as error:
            raise _failed(document, str(error).removeprefix("failed to call webhook: ")) from None
        kept = {name: value for name, value in document["metadata"].items() if name not in ("labels", "annotations")}
        changed = converted.get("metadata") or {}
        kept |= {name: changed[name] for name in ("labels", "annotations") if changed.get(name)}
        return {**converted, "metadata": kept}

    def _ask(self, objects: list[Document], api_version: str) -> list[Document]:
        version = next((each for each in self._versions if each in ("v1", "v1beta1")), None)
        if version is None:
            raise CallError("conversion webhook does not accept known ConversionReview versions (v1, v1beta1)")
        uid = f"{next(self._uids):08x}-0000-4000-8000-000000000001"
        request = {"uid": uid, "desiredAPIVersion": api_version, "objects": objects}
        review = {"kind": "ConversionReview", "apiVersion": f"{_GROUP}/{version}", "request": request}
        endpoint = endpoint_of(self._config, _TIMEOUT_S)
        status, body = self._client.post(endpoint, msgspec.json.encode(review))
        check_status(status, body)
        return _converted(_decoded(body), uid, len(objects))


def _decoded(body: bytes) -> Document:
    found = decode_review(body)
    response = found.get("response") if isinstance(found, dict) else None
    if not isinstance(response, dict):
        raise CallError("no response provided")
    return response


def _converted(response: Document, uid: str, wanted: int) -> list[Document]:
    if response.get("uid") != uid:
        raise CallError(f"expected response.uid={quote(uid)}, got {quote(str(response.get('uid') or ''))}")
    result = response.get("result") or {}
    if result.get("status") != "Success":
        stated = result.get("message") or result.get("reason")
        raise CallError(stated or f"response.result.status was '{result.get('status', '')}', expected 'Success'")
    objects: list[Document] = response.get("convertedObjects") or []
    if len(objects) != wanted:
        raise CallError(f"returned {len(objects)} objects, expected {wanted}")
    return objects


def _check(document: Document, converted: Document, api_version: str) -> None:
    if is_too_deep(converted):
        raise ValueError("couldn't get version/kind; json parse error: exceeded max depth")
    kind, found = document.get("kind"), converted.get("kind")
    if found != kind:
        raise ValueError(f"invalid converted object: expected kind {kind}, got {found}")
    if converted.get("apiVersion") != api_version:
        stated = converted.get("apiVersion")
        raise ValueError(f"invalid converted object: expected apiVersion {api_version}, got {stated}")


def _failed(document: Document, why: str) -> StatusError:
    name = f"{document.get('apiVersion')}, Kind={document.get('kind')}"
    return plain(f"conversion webhook for {name} failed: {why}")
