"""Reviews: clients ask about tokens, users and permissions by creating objects that are not stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import Authorizer
from wavetank.apiserver.endpoints.accounts import RefusedTokenError, ServiceAccountTokens
from wavetank.apiserver.endpoints.audiences import AUDIENCES
from wavetank.apiserver.errors import StatusError, bad_request
from wavetank.apiserver.errors import invalid as invalid_object
from wavetank.apiserver.fielderrors import FieldError, invalid, required
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import Request, User
from wavetank.apiserver.verbs.fieldmanagers import put_managers
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.write import Write, Written
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.groupkinds import GroupKind

Document = dict[str, Any]
# Finds the user of a bearer token.
Authenticate = Callable[[str], User | None]

REVIEWS: tuple[GroupKind, ...] = (
    "TokenReview.authentication.k8s.io",
    "SelfSubjectReview.authentication.k8s.io",
    "SubjectAccessReview.authorization.k8s.io",
    "LocalSubjectAccessReview.authorization.k8s.io",
    "SelfSubjectAccessReview.authorization.k8s.io",
    "SelfSubjectRulesReview.authorization.k8s.io",
)


class Reviews:
    """Answers reviews; they are not stored."""

    def __init__(
        self, writer: Writer, authenticate: Authenticate, accounts: ServiceAccountTokens, authorizer: Authorizer
    ) -> None:
        self._writer = writer
        self._authenticate = authenticate
        self._accounts = accounts
        self._authorizer = authorizer

    def create(self, kind: Kind, namespace: str, request: Request) -> Written:
        """Answers the review in the body of a request."""
        options = WriteOptions.read(request, "Create")
        document = self._writer.read_body(kind, request, options)
        document.setdefault("metadata", {})
        write, fields = Write(kind, namespace, "", request, options), self._writer.field_managers
        put_managers(document, fields.of_new(write, kind, document, self._writer.now))
        if document["kind"] == "TokenReview":
            status = review_token(_spec(document), self._authenticate, self._accounts)
            return Written({**document, "status": status}, 201)
        now = self._writer.objects.now
        return Written(review(document, namespace, request.user, now, self._authorizer), 201)


def review(document: Document, namespace: str, user: User, now: float, authorizer: Authorizer) -> Document:
    """Answers a review, a decoded document of authentication.k8s.io/v1 or authorization.k8s.io/v1.

    `namespace` is that of the path, `now` seconds since 1970. StatusError (400, 422) if it is invalid.
    """
    match document["kind"]:
        case "SelfSubjectReview":
            status = {"userInfo": user_info(user)}
            return _head(document, {"creationTimestamp": timestamp(now)}) | {"status": status}
        case "SelfSubjectRulesReview":
            asked = _spec(document).get("namespace")
            if not asked:
                raise bad_request("no namespace on request")
            return _head(document, {}) | {"spec": {}, "status": authorizer.rules(user, asked)}
    return _access(document, namespace, user, authorizer)


def review_token(spec: Document, authenticate: Authenticate, accounts: ServiceAccountTokens) -> Document:
    """Returns the status of a TokenReview; StatusError (400) if it has no token."""
    token = spec.get("token")
    if not token:
        raise bad_request("token is required for TokenReview in authentication")
    asked = spec.get("audiences") or AUDIENCES
    own = [each for each in asked if each in AUDIENCES]
    user = authenticate(token) if own else None
    if user is not None:
        return {"authenticated": True, "user": user_info(user), "audiences": own}
    try:
        found = accounts.review(token, asked)
    except RefusedTokenError as error:
        return {"user": {}, "error": f"[invalid bearer token, {error}]"}
    if found is None:
        return {"user": {}, "error": "invalid bearer token"}
    return {"authenticated": True, "user": user_info(found[0]), "audiences": found[1]}


def user_info(user: User) -> Document:
    """Returns the userInfo of a user, without empty fields."""
    fields: Document = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    fields["extra"] = {key: list(values) for key, values in user.extra}
    return {key: value for key, value in fields.items() if value}


def timestamp(seconds: float) -> str:
    """Writes seconds since 1970 as an RFC 3339 time."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _head(document: Document, metadata: Document) -> Document:
    return {"kind": document["kind"], "apiVersion": document["apiVersion"], "metadata": metadata}


def _spec(document: Document) -> Document:
    spec = document.get("spec")
    return spec if isinstance(spec, dict) else {}


def _access(document: Document, namespace: str, user: User, authorizer: Authorizer) -> Document:
    metadata = document.get("metadata") or {}
    local = document["kind"] == "LocalSubjectAccessReview"
    if local and not metadata.get("namespace"):
        metadata = {**metadata, "namespace": namespace}
    answered = {**document, "metadata": metadata, "status": {}}
    if errors := [*_access_errors(answered), *(_local_errors(answered) if local else ())]:
        raise _invalid(errors)
    decision = authorizer.authorize(_subject(answered, user), _attributes(_spec(answered)))
    answered["status"] = {"allowed": decision.allowed} | ({"reason": decision.reason} if decision.reason else {})
    return answered


def _subject(document: Document, user: User) -> User:
    if document["kind"] == "SelfSubjectAccessReview":
        return user
    spec = _spec(document)
    return User(spec.get("user") or "", tuple(spec.get("groups") or ()), spec.get("uid") or "")


def _attributes(spec: Document) -> Attributes:
    other, asked = spec.get("nonResourceAttributes"), spec.get("resourceAttributes") or {}
    if other is not None:
        return Attributes(other.get("verb") or "", path=other.get("path") or "")
    resource = "/".join(part for part in (asked.get("resource"), asked.get("subresource")) if part)
    texts = {key: asked.get(key) or "" for key in ("verb", "group", "namespace", "name")}
    return Attributes(resource=resource, **texts)


def _access_errors(document: Document) -> Iterator[FieldError]:
    spec = _spec(document)
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        combined = "cannot be specified in combination with resourceAttributes"
        yield invalid("spec.nonResourceAttributes", _go_attributes(other), combined)
    if resource is None and other is None:
        neither = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        yield invalid("spec.resourceAttributes", None, neither)
    if document["kind"] != "SelfSubjectAccessReview" and not spec.get("user") and not spec.get("groups"):
        yield invalid("spec.user", "", "at least one of user or group must be specified")
    for name in ("fieldSelector", "labelSelector"):
        yield from _selector_errors((resource or {}).get(name), f"spec.resourceAttributes.{name}")
    yield from _metadata_errors(document)


def _metadata_errors(document: Document) -> Iterator[FieldError]:
    local = document["kind"] == "LocalSubjectAccessReview"
    allowed = {"managedFields", "namespace"} if local else {"managedFields"}
    if document["metadata"].keys() - allowed:
        detail = "must be empty except for namespace" if local else "must be empty"
        yield invalid("metadata", document["metadata"], detail)


def _selector_errors(selector: Mapping[str, Any] | None, path: str) -> Iterator[FieldError]:
    if selector is None:
        return
    raw, requirements = selector.get("rawSelector"), selector.get("requirements")
    if raw and requirements:
        yield invalid(f"{path}.rawSelector", raw, "may not specified at the same time as requirements")
    if not raw and not requirements:
        detail = f"when {path} is specified, requirements or rawSelector is required"
        yield required(f"{path}.requirements", detail)


def _local_errors(document: Document) -> Iterator[FieldError]:
    spec, namespace = _spec(document), document["metadata"]["namespace"]
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and resource.get("namespace", "") != namespace:
        path = "spec.resourceAttributes.namespace"
        yield invalid(path, resource.get("namespace", ""), "must match metadata.namespace")
    if other is not None:
        yield invalid("spec.nonResourceAttributes", _go_attributes(other), "disallowed on this kind of request")


def _go_attributes(attributes: Mapping[str, Any]) -> Document:
    """Returns the attributes under the names of the Go struct, which is what messages show."""
    return {"Path": attributes.get("path", ""), "Verb": attributes.get("verb", "")}


def _invalid(errors: list[FieldError]) -> StatusError:
    return invalid_object(".authorization.k8s.io", "", errors)  # the kind's name is empty, as upstream
