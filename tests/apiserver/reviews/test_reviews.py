from __future__ import annotations

import re
from typing import Any

import pytest

from tests.apiserver.transcripts import Step, steps_of
from wavetank.apiserver.authorization.authorizer import AlwaysAllow
from wavetank.apiserver.endpoints.accounts import ServiceAccountTokens
from wavetank.apiserver.endpoints.reviews import review, review_token
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import User
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

ADMIN = User("admin", ("system:masters", "system:authenticated"), "admin")
ALICE = User("alice", ("devs", "system:authenticated"))
NOW = 1_704_067_200.0
GROUPS = ("authorization.k8s.io", "authentication.k8s.io")


def authenticate(token: str) -> User | None:
    return ADMIN if token == "tok" else None


def test_recorded_reviews() -> None:
    asked = [step for step in steps_of("auth-reviews") if is_review(step)]
    assert asked
    for step in asked:
        recorded = step["response"]["body"]
        recorded["metadata"].pop("managedFields", None)
        assert answer(step) == (step["response"]["status"], recorded), step["i"]


def is_review(step: Step) -> bool:
    return step["op"] == "request" and step["path"].startswith(tuple(f"/apis/{group}/" for group in GROUPS))


def answer(step: Step) -> tuple[int, dict[str, Any]]:
    namespace = re.search("/namespaces/([^/]+)/", step["path"])
    user = ALICE if "Impersonate-User" in step["headers"] else ADMIN
    document = {"metadata": {}, **step["body"]}
    try:
        answered = answer_of(document, namespace[1] if namespace else "", user)
    except StatusError as error:
        return error.code, error.status
    if "creationTimestamp" in answered["metadata"]:
        answered["metadata"]["creationTimestamp"] = "<time>"
    return 201, answered


def answer_of(document: dict[str, Any], namespace: str, user: User) -> dict[str, Any]:
    if document["kind"] == "TokenReview":
        accounts = ServiceAccountTokens(Store(Clock()))
        return {**document, "status": review_token(document["spec"], authenticate, accounts)}
    return review(document, namespace, user, NOW, AlwaysAllow())


def a_review(kind: str, metadata: Any = None, **spec: Any) -> dict[str, Any]:
    return {"kind": kind, "apiVersion": "authorization.k8s.io/v1", "metadata": metadata or {}, "spec": spec}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (a_review("SubjectAccessReview", {"name": "x"}, user="u", resourceAttributes={}), "must be empty"),
        (
            a_review("LocalSubjectAccessReview", user="u", resourceAttributes={"namespace": "other"}),
            'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
        ),
        (
            a_review("LocalSubjectAccessReview", user="u", nonResourceAttributes={"path": "/"}),
            'Invalid value: {"Path":"/","Verb":""}: disallowed on this kind of request',
        ),
        (
            a_review("SelfSubjectAccessReview", resourceAttributes={"labelSelector": {}}),
            "when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required",
        ),
    ],
)
def test_questions_that_make_no_sense(document: dict[str, Any], message: str) -> None:
    with pytest.raises(StatusError, match=re.escape(message)) as refused:
        review(document, "ns", ADMIN, NOW, AlwaysAllow())
    assert refused.value.code == 422


def test_a_token_for_others_is_not_accepted() -> None:
    document = a_review("TokenReview", token="tok", audiences=["another server"])
    assert answer_of(document, "", ADMIN)["status"]["error"] == "invalid bearer token"
