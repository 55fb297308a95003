from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.endpoints.signing import signing_key
from wavetank.kernel.durations import SECOND

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
HEAD = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
GROUPS = ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    caller.create(ACCOUNTS, {"metadata": {"name": "sa"}})
    return caller


def ask(caller: Caller, **request: Any) -> Any:
    return caller.ask("POST", f"{ACCOUNTS}/sa/token", {**HEAD, **request})


def issue(caller: Caller, **spec: Any) -> str:
    answer = ask(caller, spec=spec)
    assert answer.status == 201, answer.body
    return str(answer.body["status"]["token"])


def review(caller: Caller, token: str, **spec: Any) -> Any:
    return caller.create(REVIEWS, {"spec": {"token": token, **spec}}).body["status"]


def claims_of(token: str) -> Any:
    claims = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))


def test_a_token_says_whose_it_is_and_how_long(caller: Caller) -> None:
    claims = claims_of(issue(caller, expirationSeconds=600))
    assert claims["sub"] == "system:serviceaccount:default:sa"
    assert claims["exp"] - claims["iat"] == 600


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        ({"spec": {"expirationSeconds": 5}}, 422, "may not specify a duration less than 10 minutes"),
        ({"spec": {"expirationSeconds": 2**33}}, 422, "may not specify a duration larger than"),
        ({"metadata": {"name": "other"}}, 422, "must match the service account name if specified"),
        ({"metadata": {"uid": "u2"}}, 409, "does not match the UID of the service account"),
        ({"spec": {"boundObjectRef": {"kind": "Pod", "name": "gone"}}}, 404, 'pods "gone" not found'),
        ({"spec": {"boundObjectRef": {"kind": "Job", "name": "j"}}}, 400, "cannot bind token to object of type"),
    ],
)
def test_requests_that_do_not_fit(caller: Caller, request_: dict[str, Any], code: int, message: str) -> None:
    answer = ask(caller, **request_)
    assert answer.status == code
    assert message in answer.body["message"]


def test_a_token_is_signed_with_the_published_key(caller: Caller) -> None:
    signed, _, signature = issue(caller).rpartition(".")
    (key,) = json.loads(caller.get("/openid/v1/jwks").body)["keys"]
    modulus, exponent, value = (
        int.from_bytes(base64.urlsafe_b64decode(each + "===")) for each in (key["n"], key["e"], signature)
    )
    plain = pow(value, exponent, modulus).to_bytes(256)
    assert plain.endswith(hashlib.sha256(signed.encode()).digest())
    assert signing_key().verify(f"{signed}.{signature}") is not None
    assert signing_key().verify(f"{signed}A.{signature}") is None


def test_the_issuer_is_discovered(caller: Caller) -> None:
    found = caller.get("/.well-known/openid-configuration", host="127.0.0.1:6443").body
    assert found["issuer"] == claims_of(issue(caller))["iss"]
    assert found["jwks_uri"] == "https://127.0.0.1:6443/openid/v1/jwks"


def test_a_token_is_reviewed_as_that_of_its_account(caller: Caller) -> None:
    status = review(caller, issue(caller))
    assert status["authenticated"]
    assert (status["user"]["username"], status["user"]["groups"]) == ("system:serviceaccount:default:sa", GROUPS)
    assert list(status["user"]["extra"]) == ["authentication.kubernetes.io/credential-id"]


def test_a_token_is_for_its_audiences(caller: Caller) -> None:
    token = issue(caller, audiences=["vault"])
    assert review(caller, token, audiences=["vault", "other"])["audiences"] == ["vault"]
    assert "token audiences" in review(caller, token)["error"]
    assert caller.api.authenticate(token) is None


def test_a_token_expires_and_ends_with_its_account(caller: Caller) -> None:
    token = issue(caller, expirationSeconds=600)
    user = caller.api.authenticate(token)
    assert user is not None
    assert user.name == "system:serviceaccount:default:sa"
    caller.clock.run(601 * SECOND)
    assert review(caller, token)["error"] == "[invalid bearer token, service account token has expired]"
    token = issue(caller)
    caller.ask("DELETE", f"{ACCOUNTS}/sa")
    assert "has been invalidated" in review(caller, token)["error"]


def test_a_bound_token_ends_with_its_pod(caller: Caller) -> None:
    pods = "/api/v1/namespaces/default/pods"
    spec = {"serviceAccountName": "sa", "containers": [{"name": "c", "image": "i"}]}
    caller.create(pods, {"metadata": {"name": "p"}, "spec": spec})
    token = issue(caller, boundObjectRef={"apiVersion": "v1", "kind": "Pod", "name": "p"})
    assert review(caller, token)["user"]["extra"]["authentication.kubernetes.io/pod-name"] == ["p"]
    caller.ask("DELETE", f"{pods}/p?gracePeriodSeconds=0")
    assert "has been invalidated" in review(caller, token)["error"]
