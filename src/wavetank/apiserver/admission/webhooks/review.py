"""AdmissionReviews: what a webhook is asked, and what its answer says."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.webhooks.matching import Invocation
from wavetank.apiserver.codec.pieces import encode
from wavetank.apiserver.errors import StatusError, internal
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.webhooks.calls import CallError, decode_review
from wavetank.cel.gotext import quote

Document = dict[str, Any]
_GROUP = "admission.k8s.io"
_VERSIONS = ("v1", "v1beta1")
_OPTIONS = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
_LOWEST_ERROR = 400


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a webhook answers: whether it allows a write, the patch (JSON) that it wants, warnings for the client."""

    allowed: bool
    status: Document | None
    patch: bytes
    patch_type: str
    warnings: tuple[str, ...]


def make_request(
    invocation: Invocation, attributes: Attributes, new: Document | None, old: Document | None, uid: str
) -> Document:
    """Returns the request of a review; the objects are in the version of the invocation."""
    kind, own = invocation.kind, attributes.kind
    request: Document = {
        "uid": uid,
        "kind": _kind_of(kind, attributes.subresource),
        "resource": _resource_of(kind),
        "requestKind": _kind_of(own, attributes.subresource),
        "requestResource": _resource_of(own),
        "operation": attributes.operation,
        "userInfo": _user_of(attributes),
        "object": new,
        "oldObject": old,
        "dryRun": attributes.dry_run,
        "options": _options_of(attributes),
    }
    if attributes.subresource:
        request |= {"subResource": attributes.subresource, "requestSubResource": attributes.subresource}
    if attributes.name:
        request["name"] = attributes.name
    if attributes.namespace:
        request["namespace"] = attributes.namespace
    return request


def _kind_of(kind: Kind, subresource: str) -> Document:
    part = kind.subresources.get(subresource) if subresource else None
    if part is not None:
        return {"group": part.group, "version": part.version, "kind": part.kind}
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource_of(kind: Kind) -> Document:
    return {"group": kind.group, "version": kind.version, "resource": kind.plural}


def _user_of(attributes: Attributes) -> Document:
    user = attributes.user
    return {"username": user.name, "groups": list(user.groups), **({"uid": user.uid} if user.uid else {})}


def _options_of(attributes: Attributes) -> Document | None:
    kind = _OPTIONS.get(attributes.operation)
    if kind is None:
        return None
    return {"kind": kind, "apiVersion": "meta.k8s.io/v1", **attributes.options}


def review_version(stated: list[str]) -> str:
    """Returns the first version of AdmissionReview that a webhook accepts and the server knows; CallError if none."""
    for version in stated:
        if version in _VERSIONS:
            return version
    why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    raise CallError(f"could not create admission objects: {why}")


def encode_review(version: str, request: Document) -> bytes:
    """Returns the body of a call."""
    return encode({"kind": "AdmissionReview", "apiVersion": f"{_GROUP}/{version}", "request": request})


def read_verdict(body: bytes, version: str, uid: str, *, mutating: bool) -> Verdict:
    """Reads an answer; CallError if it is not one that the real server would accept."""
    review = decode_review(body)
    response = review.get("response") if isinstance(review, dict) else None
    if not isinstance(response, dict):
        raise _invalid("webhook response was absent")
    if version == "v1":
        _check_head(review, response, uid)
    patch, patch_type = _patch_of(response)
    if version == "v1" and not mutating:
        _refuse_patch(response)
    if version == "v1" and mutating:
        _check_patch(patch, response)
    warnings = tuple(str(each) for each in response.get("warnings") or ())
    return Verdict(bool(response.get("allowed")), response.get("status"), patch, patch_type, warnings)


def _check_head(review: Document, response: Document, uid: str) -> None:
    if response.get("uid") != uid:
        raise _invalid(f"expected response.uid={quote(uid)}, got {quote(str(response.get('uid') or ''))}")
    wanted = f"{_GROUP}/v1, Kind=AdmissionReview"
    found = f"{review.get('apiVersion', '')}, Kind={review.get('kind', '')}"
    if found != wanted:
        raise _invalid(f"expected webhook response of {wanted}, got {found}")


def _patch_of(response: Document) -> tuple[bytes, str]:
    try:
        patch = base64.b64decode(response.get("patch") or "", validate=True)
    except (binascii.Error, TypeError):
        raise CallError("failed to call webhook: illegal base64 data in response.patch") from None
    return patch, str(response.get("patchType") or ("JSONPatch" if patch else ""))


def _refuse_patch(response: Document) -> None:
    for name in ("patch", "patchType"):
        if response.get(name):
            raise _invalid(f"validating webhook may not return response.{name}")


def _check_patch(patch: bytes, response: Document) -> None:
    stated = response.get("patchType")
    if patch and stated is None:
        raise _invalid("webhook returned response.patch but not response.patchType")
    if not patch and stated is not None:
        raise _invalid("webhook returned response.patchType but not response.patch")
    if stated == "":
        raise _invalid('webhook returned invalid response.patchType of ""')


def _invalid(why: str) -> CallError:
    return CallError(f"received invalid webhook response: {why}")


def rejection(webhook: str, status: Document | None) -> StatusError:
    """Returns the refusal of a write, with the status that the webhook states; its code is an error's in any case."""
    stated = dict(status or {})
    code = stated.get("code") or 0
    denied = f"admission webhook {quote(webhook)} denied the request"
    why = stated.get("message") or stated.get("reason")
    message = f"{denied}: {why}" if why else f"{denied} without explanation"
    code = code if code >= _LOWEST_ERROR else _LOWEST_ERROR
    return StatusError(code, str(stated.get("reason") or ""), message, stated.get("details"))


def failed_call(webhook: str, error: CallError) -> StatusError:
    """Returns the 500 for a webhook that could not be called and must not be ignored."""
    return internal(f"failed calling webhook {quote(webhook)}: {error}")
