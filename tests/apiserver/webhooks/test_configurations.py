"""Webhook configurations that cannot work are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import Caller

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
HOOK = {
    "name": "pods.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1/x"},
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}


def attempt(**hook: Any) -> Any:
    return Caller().ask("POST", HOOKS, {"metadata": {"name": "h"}, "webhooks": [{**HOOK, **hook}]})


def test_a_sound_configuration_is_accepted() -> None:
    condition = {"name": "c", "expression": "request.userInfo.username != 'x' && object.metadata.name.startsWith('a')"}
    assert attempt(matchConditions=[condition]).status == 201


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ({"name": "pods"}, "should be a domain with at least three segments separated by dots"),
        ({"sideEffects": "Some"}, 'webhooks[0].sideEffects: Unsupported value: "Some"'),
        ({"admissionReviewVersions": ["v2"]}, "must include at least one of v1, v1beta1"),
        ({"timeoutSeconds": 31}, "the timeout value must be between 1 and 30 seconds"),
        ({"clientConfig": {}}, "exactly one of url or service is required"),
        ({"clientConfig": {"url": "http://x"}}, "'https' is the only allowed URL scheme"),
        ({"clientConfig": {"service": {"name": "s", "namespace": "n", "path": "x"}}}, "must start with a '/'"),
        ({"rules": [{**RULE, "resources": ["*/*", "pods"]}]}, "if '*/*' is present, must not specify other resources"),
        ({"rules": [{**RULE, "operations": []}]}, "webhooks[0].rules[0].operations: Required value"),
        ({"matchConditions": [{"name": "c", "expression": "object.x ="}]}, "matchConditions[0].expression: Invalid"),
        ({"matchConditions": [{"name": "c", "expression": "'x'"}]}, "must evaluate to bool"),
        ({"matchConditions": [{"name": "", "expression": "true"}]}, "matchConditions[0].name: Required value"),
        ({"matchConditions": [{"name": "c", "expression": "true"}] * 2}, "matchConditions[1].name: Duplicate value"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(hook: dict[str, Any], message: str) -> None:
    answer = attempt(**hook)
    assert answer.status == 422
    assert message in answer.body["message"]


def test_what_was_wrong_before_may_stay() -> None:
    caller = Caller()
    made = caller.create(HOOKS, {"metadata": {"name": "h"}, "webhooks": [HOOK]}).body
    made["webhooks"][0]["matchConditions"] = [{"name": "c", "expression": "object.x ="}]
    assert caller.ask("PUT", f"{HOOKS}/h", made).status == 422
    del made["webhooks"][0]["matchConditions"]
    made["metadata"]["labels"] = {"a": "b"}
    assert caller.ask("PUT", f"{HOOKS}/h", made).status == 200
