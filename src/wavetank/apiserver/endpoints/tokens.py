"""Tokens of service accounts, as kubectl create token asks for them; the server itself does not accept them."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec

from wavetank.apiserver.endpoints.reviews import AUDIENCES, timestamp
from wavetank.apiserver.errors import StatusError, conflict
from wavetank.apiserver.errors import invalid as invalid_object
from wavetank.apiserver.fielderrors import FieldError, invalid

_KIND = "TokenRequest.authentication.k8s.io"
_SHORTEST, _LONGEST, _USUAL = 600, 1 << 32, 3600

Document = dict[str, Any]


def issue_token(request: Document, account: Document, now: float) -> Document:
    """Answers a TokenRequest for a service account; StatusError (409, 422) if it does not match the account.

    `now` is seconds since 1970. The token has the claims of a real one, but its signature is only a digest of them.
    """
    wanted, metadata = dict(request.get("metadata") or {}), account["metadata"]
    _check_names(wanted, metadata)
    spec = {"audiences": list(AUDIENCES), "expirationSeconds": _USUAL, "boundObjectRef": None, **_spec(request)}
    seconds = spec["expirationSeconds"]
    if errors := _expiration_errors(seconds):
        raise invalid_object(_KIND, "", errors)
    named = {key: metadata[key] for key in ("name", "namespace", "uid")}
    head = {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1"}
    status = {"token": _token(named, spec, now), "expirationTimestamp": timestamp(now + seconds)}
    return {
        **head,
        "metadata": {**wanted, **named, "creationTimestamp": timestamp(now)},
        "spec": spec,
        "status": status,
    }


def _spec(request: Document) -> Document:
    return {key: value for key, value in (request.get("spec") or {}).items() if value is not None and value != []}


def _check_names(wanted: Document, metadata: Document) -> None:
    for field in ("name", "namespace"):
        if wanted.get(field) not in (None, "", metadata[field]):
            detail = f"must match the service account {field} if specified"
            raise invalid_object(_KIND, metadata["name"], [invalid(f"metadata.{field}", wanted[field], detail)])
    if wanted.get("uid") not in (None, "", metadata["uid"]):
        raise _other_uid(wanted["uid"], metadata)


def _other_uid(uid: str, metadata: Document) -> StatusError:
    why = f"the UID in the token request ({uid}) does not match the UID of the service account ({metadata['uid']})"
    return conflict(_KIND, metadata["name"], why)


def _expiration_errors(seconds: int) -> list[FieldError]:
    path = "spec.expirationSeconds"
    if seconds < _SHORTEST:
        return [invalid(path, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > _LONGEST:
        return [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _token(account: Document, spec: Document, now: float) -> str:
    subject = f"system:serviceaccount:{account['namespace']}:{account['name']}"
    times = {"iat": int(now), "nbf": int(now), "exp": int(now) + spec["expirationSeconds"]}
    bound = {"namespace": account["namespace"], "serviceaccount": {"name": account["name"], "uid": account["uid"]}}
    claims = {"aud": spec["audiences"], **times, "iss": AUDIENCES[0], "kubernetes.io": bound, "sub": subject}
    signed = f"{_base64(msgspec.json.encode({'alg': 'RS256'}))}.{_base64(msgspec.json.encode(claims))}"
    return f"{signed}.{_base64(hashlib.sha256(signed.encode()).digest())}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
