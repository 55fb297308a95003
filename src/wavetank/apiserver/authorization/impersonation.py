"""Requests in the name of another user, by the headers Impersonate-User, -Group, -Uid and -Extra-."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import Authorizer
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.requests.request import User

IMPERSONATE = "impersonate-"  # with which the names of the headers begin
_USER, _GROUP, _UID, _EXTRA = "impersonate-user", "impersonate-group", "impersonate-uid", "impersonate-extra-"
_ACCOUNT = "system:serviceaccount:"
_AUTHENTICATION = "authentication.k8s.io"
_ANONYMOUS, _AUTHENTICATED, _UNAUTHENTICATED = "system:anonymous", "system:authenticated", "system:unauthenticated"

RawHeaders = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class _Requested:
    """What a user requests to be, in one respect."""

    kind: str
    name: str
    namespace: str = ""
    key: str = ""  # of a UserExtra

    @property
    def attributes(self) -> Attributes:
        """Returns what the user has to be allowed."""
        if self.kind == "UserExtra":
            return Attributes("impersonate", _AUTHENTICATION, f"userextras/{self.key}", name=self.name)
        group = _AUTHENTICATION if self.kind == "UID" else ""
        return Attributes("impersonate", group, f"{self.kind.lower()}s", self.namespace, self.name)

    def __str__(self) -> str:
        """Writes it as Go prints an ObjectReference."""
        version = f"{_AUTHENTICATION}/v1" if self.kind in ("UID", "UserExtra") else ""
        return f"{{{self.kind} {self.namespace} {self.name}  {version}  {self.key}}}"


def impersonate(authorizer: Authorizer, user: User, headers: RawHeaders) -> User:
    """Returns the user that a request is made for, the user itself without such headers.

    It must be allowed to impersonate the user, each group, the uid and each extra value; a StatusError if it is not.
    """
    own = [(name, value) for name, value in headers if name.startswith(IMPERSONATE.encode())]
    given = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in own]
    requests = list(_requested(given)) if given else []
    if not requests:
        return user
    if requests[0].kind not in ("User", "ServiceAccount"):
        raise bad_request(f"requested [{' '.join(map(str, requests))}] without impersonating a user")
    for each in requests:
        decision = authorizer.authorize(user, each.attributes)
        if not decision.allowed:
            raise each.attributes.refusal(user, decision.reason)
    return _user(next(value for name, value in given if name == _USER), requests)


def _requested(headers: list[tuple[str, str]]) -> Iterator[_Requested]:
    """Yields what is requested, the user first."""
    name = next((value for key, value in headers if key == _USER), "")
    namespace, _, account = name.removeprefix(_ACCOUNT).partition(":")
    if name.startswith(_ACCOUNT) and namespace and account and ":" not in account:
        yield _Requested("ServiceAccount", account, namespace)
    elif name:
        yield _Requested("User", name)
    yield from (_Requested("Group", value) for key, value in headers if key == _GROUP)
    for key, value in headers:
        if key.startswith(_EXTRA):
            yield _Requested("UserExtra", value, key=unquote(key.removeprefix(_EXTRA)))
    yield from [_Requested("UID", value) for key, value in headers if key == _UID and value][:1]


def _user(name: str, requests: list[_Requested]) -> User:
    groups = [each.name for each in requests if each.kind == "Group"]
    if not groups and requests[0].kind == "ServiceAccount":
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{requests[0].namespace}"]
    if name == _ANONYMOUS:
        groups += [] if _UNAUTHENTICATED in groups else [_UNAUTHENTICATED]
    elif not {_AUTHENTICATED, _UNAUTHENTICATED} & set(groups):
        groups.append(_AUTHENTICATED)
    extra: dict[str, tuple[str, ...]] = {}
    for each in requests:
        if each.kind == "UserExtra":
            extra[each.key] = (*extra.get(each.key, ()), each.name)
    uid = next((each.name for each in requests if each.kind == "UID"), "")
    return User(name, tuple(groups), uid, tuple(extra.items()))
