"""ValidatingAdmissionPolicies: what they refuse, and what a policy itself must be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, Answer, Caller

GROUP = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{GROUP}/validatingadmissionpolicies", f"{GROUP}/validatingadmissionpolicybindings"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}


def a_policy(*validations: dict[str, Any], **spec: Any) -> dict[str, Any]:
    match = {"resourceRules": [RULE], **spec.pop("match", {})}
    return {"metadata": {"name": "p"}, "spec": {"matchConstraints": match, "validations": validations, **spec}}


def bind(caller: Caller, *actions: str, **spec: Any) -> None:
    spec = {"policyName": "p", "validationActions": actions or ["Deny"], **spec}
    caller.create(BINDINGS, {"metadata": {"name": "b"}, "spec": spec})


def attempt(caller: Caller, name: str = "m", **data: str) -> Answer:
    return caller.ask("POST", MAPS, {"metadata": {"name": name, "labels": {"team": "a"}}, "data": data})


@pytest.fixture
def caller() -> Caller:
    return Caller()


@pytest.mark.parametrize(
    ("policy", "data", "denied"),
    [
        pytest.param(a_policy({"expression": "has(object.data.x)"}), {"x": "1"}, "", id="it holds"),
        pytest.param(
            a_policy({"expression": "has(object.data.x)"}),
            {"y": "1"},
            "failed expression: has(object.data.x)",
            id="none",
        ),
        pytest.param(
            a_policy({"expression": "false", "message": "never", "reason": "Forbidden"}), {}, "never", id="a message"
        ),
        pytest.param(
            a_policy({"expression": "false", "messageExpression": "'no ' + object.metadata.name"}),
            {},
            "no m",
            id="made",
        ),
        pytest.param(
            a_policy(
                {"expression": "variables.size > 1"},
                variables=[{"name": "size", "expression": "object.data.x.size()"}],
            ),
            {"x": "1"},
            "failed expression: variables.size > 1",
            id="a variable",
        ),
        pytest.param(
            a_policy({"expression": "false"}, matchConditions=[{"name": "c", "expression": "has(object.data.y)"}]),
            {"x": "1"},
            "",
            id="a condition that does not hold",
        ),
        pytest.param(
            a_policy({"expression": "object.data.x == '1'"}),
            {"y": "1"},
            "expression 'object.data.x == '1'' resulted in error: no such key: x",
            id="an expression that fails",
        ),
        pytest.param(
            a_policy({"expression": "object.data.x == '1'"}, failurePolicy="Ignore"),
            {"y": "1"},
            "",
            id="and is ignored",
        ),
        pytest.param(
            a_policy({"expression": "false"}, match={"excludeResourceRules": [{**RULE, "resourceNames": ["m"]}]}),
            {},
            "",
            id="excluded by name",
        ),
        pytest.param(
            a_policy({"expression": "namespaceObject.metadata.name == 'other'", "message": "here"}), {}, "here", id="ns"
        ),
        pytest.param(
            a_policy({"expression": "!authorizer.group('').resource('pods').check('create').allowed()"}),
            {},
            "failed expression: !authorizer.group('').resource('pods').check('create').allowed()",
            id="the authorizer is asked",
        ),
    ],
)
def test_a_bound_policy_is_enforced(caller: Caller, policy: dict[str, Any], data: dict[str, str], denied: str) -> None:
    caller.create(POLICIES, policy)
    assert attempt(caller, "before").status == 201  # not bound yet
    bind(caller)
    answer = attempt(caller, **data)
    if not denied:
        assert answer.status == 201, answer.body
        return
    reason = policy["spec"]["validations"][0].get("reason", "Invalid")
    assert (answer.status, answer.body["reason"]) == ({"Invalid": 422, "Forbidden": 403}[reason], reason)
    said = f"ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {denied}"
    assert answer.body["message"] == f'configmaps "m" is forbidden: {said}'
    assert answer.body["details"]["causes"] == [{"message": said}]


def test_a_policy_may_warn_instead(caller: Caller) -> None:
    caller.create(POLICIES, a_policy({"expression": "false", "message": "mind"}))
    bind(caller, "Warn", "Audit")
    answer = attempt(caller)
    assert answer.status == 201
    assert "with binding 'b': mind" in answer.headers["warning"]


def test_updates_and_deletions_are_seen(caller: Caller) -> None:
    caller.create(
        POLICIES, a_policy({"expression": "request.operation != 'DELETE' || !('keep' in oldObject.?data.orValue({}))"})
    )
    bind(caller)
    attempt(caller, keep="yes")
    assert caller.ask("DELETE", f"{MAPS}/m").status == 422
    assert caller.merge(f"{MAPS}/m", {"data": {"keep": None}}).status == 200
    assert caller.ask("DELETE", f"{MAPS}/m").status == 200


@pytest.mark.parametrize(
    ("reference", "denied"),
    [
        ({"name": "limits"}, "failed expression: object.data.x == params.data.x"),
        ({"selector": {"matchLabels": {"team": "a"}}}, "failed expression: object.data.x == params.data.x"),
        ({"name": "gone"}, "failed to configure binding: no params found for policy binding with `Deny`"),
    ],
)
def test_parameters_are_objects_of_the_cluster(caller: Caller, reference: dict[str, Any], denied: str) -> None:
    attempt(caller, "limits", x="1")
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    caller.create(POLICIES, a_policy({"expression": "object.data.x == params.data.x"}, paramKind=kind))
    bind(caller, paramRef={"parameterNotFoundAction": "Deny", **reference})
    assert denied in attempt(caller, x="2").body["message"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (a_policy({"expression": "object."}), "spec.validations[0].expression: Invalid value"),
        (a_policy({"expression": "1 + 1"}), "must evaluate to bool"),
        (a_policy({"expression": "request.user == 'x'"}), "undefined field 'user'"),
        (a_policy(), "validations or auditAnnotations must contain at least one item"),
        (a_policy({"expression": "true"}, match={"resourceRules": []}), "matchConstraints.resourceRules: Required"),
        (a_policy({"expression": "true"}, variables=[{"name": "in", "expression": "1"}]), "a valid CEL identifier"),
        (a_policy({"expression": "true"}, paramKind={"apiVersion": "v1", "kind": ""}), "spec.paramKind.kind: Required"),
        (a_policy({"expression": "true", "reason": "Other"}), 'reason: Unsupported value: "Other"'),
    ],
)
def test_a_policy_that_cannot_work_is_refused(caller: Caller, policy: dict[str, Any], message: str) -> None:
    answer = caller.ask("POST", POLICIES, policy)
    assert answer.status == 422
    assert message in answer.body["message"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"validationActions": []}, "at least one validation action is required"),
        ({"validationActions": ["Deny", "Warn"]}, "must not contain both Deny and Warn"),
        ({"policyName": ""}, "spec.policyName: Required value"),
        ({"paramRef": {"parameterNotFoundAction": "Deny"}}, "one of name or selector must be specified"),
    ],
)
def test_a_binding_that_cannot_work_is_refused(caller: Caller, spec: dict[str, Any], message: str) -> None:
    spec = {"policyName": "p", "validationActions": ["Deny"], **spec}
    answer = caller.ask("POST", BINDINGS, {"metadata": {"name": "b"}, "spec": spec})
    assert answer.status == 422
    assert message in answer.body["message"]


def test_expressions_are_checked_against_the_types_of_the_kinds() -> None:
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"], "operations": ["*"]}
    wrong = {
        "expression": "object.spec.replicas > '1'",
        "messageExpression": "'got ' + object.spec.replicas",
    }
    right = {"expression": "object.spec.template.spec.containers.all(c, c.image != '') && variables.n > 1"}
    variables = [{"name": "n", "expression": "object.spec.replicas"}]
    spec = a_policy(wrong, right, match={"resourceRules": [rule]}, variables=variables)["spec"]
    first, second = Caller().api.policy_warnings(spec)
    assert (first["fieldRef"], second["fieldRef"]) == (
        "spec.validations[0].expression",
        "spec.validations[0].messageExpression",
    )
    assert "apps/v1, Kind=Deployment" in first["warning"]
    assert "found no matching overload for '_>_' applied to '(int, string)'" in first["warning"]
    assert "found no matching overload for '_+_' applied to '(string, int)'" in second["warning"]
