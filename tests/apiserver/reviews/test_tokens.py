from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from wavetank.apiserver.endpoints.tokens import issue_token
from wavetank.apiserver.errors import StatusError

ACCOUNT = {"metadata": {"name": "sa", "namespace": "ns", "uid": "u1"}}
NOW = 1_704_067_200.0


def test_a_token_says_whose_it_is_and_how_long() -> None:
    answer = issue_token({"spec": {"expirationSeconds": 600}}, ACCOUNT, NOW)
    assert answer["status"]["expirationTimestamp"] == "2024-01-01T00:10:00Z"
    claims = answer["status"]["token"].split(".")[1]
    told = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    assert told["sub"] == "system:serviceaccount:ns:sa"
    assert told["exp"] - told["iat"] == 600


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        ({"spec": {"expirationSeconds": 5}}, 422, "may not specify a duration less than 10 minutes"),
        ({"spec": {"expirationSeconds": 2**33}}, 422, "may not specify a duration larger than"),
        ({"metadata": {"name": "other"}}, 422, "must match the service account name if specified"),
        ({"metadata": {"uid": "u2"}}, 409, "does not match the UID of the service account"),
    ],
)
def test_requests_that_do_not_fit(request_: dict[str, Any], code: int, message: str) -> None:
    with pytest.raises(StatusError, match=message) as refused:
        issue_token(request_, ACCOUNT, NOW)
    assert refused.value.code == code
