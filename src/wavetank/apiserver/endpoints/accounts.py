"""Service accounts as users: their tokens are checked as kube-apiserver checks them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from wavetank.apiserver.endpoints.audiences import AUDIENCES, ISSUER
from wavetank.apiserver.endpoints.signing import signing_key
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.groupkinds import NODE, POD, SERVICE_ACCOUNT, GroupKind
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND

_GROUP = "system:serviceaccounts"
_EXTRA = "authentication.kubernetes.io"
_INVALIDATED = "service account token has been invalidated"
_BOUND: dict[str, GroupKind] = {"pod": POD, "secret": "Secret", "node": NODE}

Claims = dict[str, Any]


class RefusedTokenError(Exception):
    """A token was issued by this server and is not valid, or no longer."""


class ServiceAccountTokens:
    """Finds the users of tokens that this server has issued.

    A token is valid until it expires or its service account, or the object that it is bound to, is deleted.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def authenticate(self, token: str) -> User | None:
        """Returns the user of a token for this server, None if it is invalid."""
        try:
            found = self.review(token, AUDIENCES)
        except RefusedTokenError:
            return None
        return None if found is None else found[0]

    def review(self, token: str, audiences: Collection[str]) -> tuple[User, list[str]] | None:
        """Returns the user of a token, and for which of the audiences it is; None if it is not one of this server."""
        claims = signing_key().verify(token) if token.count(".") == 2 else None
        if claims is None or claims.get("iss") != ISSUER:
            return None
        meant = [each for each in _audiences(claims) if each in audiences]
        if not meant:
            raise RefusedTokenError(
                f"token audiences {_quoted(_audiences(claims))} is invalid for the target audiences"
            )
        self._check_times(claims)
        self._check_objects(claims["kubernetes.io"])
        return _user(claims), meant

    def _check_times(self, claims: Claims) -> None:
        now = EPOCH_SECONDS + self._store.clock.now / SECOND
        if now > claims["exp"]:
            raise RefusedTokenError("service account token has expired")
        if now < claims["nbf"]:
            raise RefusedTokenError("service account token is not valid yet")

    def _check_objects(self, named: Claims) -> None:
        namespace, account = named["namespace"], named["serviceaccount"]
        if not self._is_there(SERVICE_ACCOUNT, namespace, account):
            raise RefusedTokenError(_INVALIDATED)
        for field, kind in _BOUND.items():
            if field in named and not self._is_there(kind, "" if kind == NODE else namespace, named[field]):
                raise RefusedTokenError(_INVALIDATED)

    def _is_there(self, kind: GroupKind, namespace: str, named: Claims) -> bool:
        found = self._store.find(kind, namespace, named["name"])
        return found is not None and found.uid == named["uid"] and (kind == POD or found.deleted is None)


def _audiences(claims: Claims) -> Sequence[str]:
    named = claims.get("aud") or ()
    return (named,) if isinstance(named, str) else tuple(named)


def _quoted(names: Sequence[str]) -> str:
    return "[" + " ".join(f'"{name}"' for name in names) + "]"


def _user(claims: Claims) -> User:
    named = claims["kubernetes.io"]
    groups = (_GROUP, f"{_GROUP}:{named['namespace']}", "system:authenticated")
    return User(claims["sub"], groups, named["serviceaccount"]["uid"], tuple(_extra(claims)))


def _extra(claims: Claims) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield f"{_EXTRA}/credential-id", (f"JTI={claims['jti']}",)
    for field in ("node", "pod"):
        if found := claims["kubernetes.io"].get(field):
            yield from ((f"{_EXTRA}/{field}-{key}", (found[key],)) for key in ("name", "uid"))
