"""Tokens of service accounts, as kubectl create token asks for them."""

from __future__ import annotations

import uuid
from itertools import count
from typing import Any

import msgspec

from wavetank.apiserver.endpoints.audiences import AUDIENCES, ISSUER
from wavetank.apiserver.endpoints.reviews import timestamp
from wavetank.apiserver.endpoints.signing import signing_key
from wavetank.apiserver.errors import StatusError, bad_request, conflict
from wavetank.apiserver.errors import invalid as invalid_object
from wavetank.apiserver.fielderrors import FieldError, invalid
from wavetank.apiserver.verbs.objects import Objects
from wavetank.cluster.objects.groupkinds import NODE

_KIND = "TokenRequest.authentication.k8s.io"
_SHORTEST, _LONGEST = 600, 1 << 32
USUAL_S = 3600  # how long a token is valid if its request does not say
_BOUND = ("Pod", "Secret", "Node")  # what a token may be bound to

Document = dict[str, Any]
_numbers = count()


class TokenIssuer:
    """Issues tokens for service accounts; they are those of a real server in form and signature."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def issue(self, request: Document, account: Document) -> Document:
        """Answers a TokenRequest for a service account; StatusError (400, 404, 409, 422) if it does not match."""
        wanted, metadata, now = dict(request.get("metadata") or {}), account["metadata"], self._objects.now
        _check_names(wanted, metadata)
        spec = {"audiences": list(AUDIENCES), "expirationSeconds": USUAL_S, "boundObjectRef": None, **_spec(request)}
        seconds = spec["expirationSeconds"]
        if errors := _expiration_errors(seconds):
            raise invalid_object(_KIND, "", errors)
        named = {key: metadata[key] for key in ("name", "namespace", "uid")}
        bound = self._bound(spec["boundObjectRef"], named)
        status = {"token": _token(named, bound, spec, now), "expirationTimestamp": timestamp(now + seconds)}
        head = {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1"}
        return {
            **head,
            "metadata": {**wanted, **named, "creationTimestamp": timestamp(now)},
            "spec": spec,
            "status": status,
        }

    def _bound(self, reference: Document | None, account: Document) -> Document:
        """Returns the claims about the object whose end invalidates the token."""
        if not reference:
            return {}
        kind, name = reference.get("kind", ""), reference.get("name", "")
        if kind not in _BOUND or reference.get("apiVersion") not in (None, "", "v1"):
            group, _, version = (reference.get("apiVersion") or "").rpartition("/")
            raise bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
        known = self._objects.kinds.named("v1", kind)
        assert known is not None, f"{kind} is always served"
        found = self._objects.render(self._objects.get(known, account["namespace"] if known.namespaced else "", name))
        _check_reference(reference, found["metadata"])
        claims = {kind.lower(): {key: found["metadata"][key] for key in ("name", "uid")}}
        return claims if kind != "Pod" else {**self._node_of(found, account), **claims}

    def _node_of(self, pod: Document, account: Document) -> Document:
        if pod["spec"].get("serviceAccountName") != account["name"]:
            why = "cannot bind token for serviceaccount"
            raise bad_request(f'{why} "{account["name"]}" to pod running with different serviceaccount name.')
        name = pod["spec"].get("nodeName")
        node = self._objects.store.find(NODE, "", name) if name else None
        return {} if node is None else {"node": {"name": node.name, "uid": node.uid}}


def _spec(request: Document) -> Document:
    return {key: value for key, value in (request.get("spec") or {}).items() if value is not None and value != []}


def _check_names(wanted: Document, metadata: Document) -> None:
    for field in ("name", "namespace"):
        if wanted.get(field) not in (None, "", metadata[field]):
            detail = f"must match the service account {field} if specified"
            raise invalid_object(_KIND, metadata["name"], [invalid(f"metadata.{field}", wanted[field], detail)])
    if wanted.get("uid") not in (None, "", metadata["uid"]):
        raise _other_uid(wanted["uid"], metadata)


def _check_reference(reference: Document, metadata: Document) -> None:
    if reference.get("uid") not in (None, "", metadata["uid"]):
        why = f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record"
        more = "The object might have been deleted and then recreated"
        raise conflict(f"{reference['kind'].lower()}s", metadata["name"], f"{why}. {more}")


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


def _token(account: Document, bound: Document, spec: Document, now: float) -> str:
    subject = f"system:serviceaccount:{account['namespace']}:{account['name']}"
    times = {"exp": int(now) + spec["expirationSeconds"], "iat": int(now), "nbf": int(now)}
    named = {"serviceaccount": {key: account[key] for key in ("name", "uid")}}
    private = {"namespace": account["namespace"], **bound, **named}
    claims = {"aud": spec["audiences"], "iss": ISSUER, **times, "kubernetes.io": private, "sub": subject}
    number = uuid.uuid5(uuid.NAMESPACE_URL, f"{next(_numbers)} {msgspec.json.encode(claims)!r}")
    return signing_key().sign({**claims, "jti": str(number)})
