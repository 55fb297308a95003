"""Admission webhooks: which are called, in which order, what their answers do; texts are those of the real server."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, MERGE
from tests.apiserver.webhooks.hooks import RULE, Document, Hooked, a_map, allow, label, patch
from wavetank.apiserver.webhooks.calls import timed_out


def only(**rule: Any) -> dict[str, Any]:
    return {"rules": [{**RULE, **rule}]}


@pytest.mark.parametrize(
    ("fields", "called"),
    [
        pytest.param({}, True, id="everything"),
        pytest.param(only(operations=["CREATE"]), True, id="the operation"),
        pytest.param(only(operations=["UPDATE", "DELETE"]), False, id="another operation"),
        pytest.param(only(apiGroups=[""], resources=["configmaps"]), True, id="the resource"),
        pytest.param(only(apiGroups=["apps"]), False, id="another group"),
        pytest.param(only(apiVersions=["v2"]), False, id="another version"),
        pytest.param(only(resources=["pods"]), False, id="another resource"),
        pytest.param(only(resources=["*/*"]), True, id="all resources and subresources"),
        pytest.param(only(resources=["configmaps/status"]), False, id="a subresource only"),
        pytest.param(only(scope="Namespaced"), True, id="of a namespace"),
        pytest.param(only(scope="Cluster"), False, id="of the cluster"),
        pytest.param({"objectSelector": {"matchLabels": {"app": "a"}}}, True, id="labels"),
        pytest.param({"objectSelector": {"matchLabels": {"app": "b"}}}, False, id="other labels"),
        pytest.param(
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}}}, True, id="the namespace"
        ),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "x"}}}, False, id="another namespace"),
        pytest.param(
            {"matchConditions": [{"name": "c", "expression": "object.data.a == '1' && request.operation == 'CREATE'"}]},
            True,
            id="a condition",
        ),
        pytest.param(
            {"matchConditions": [{"name": "c", "expression": "'x' in object.metadata.labels"}]}, False, id="a false one"
        ),
    ],
)
def test_a_webhook_is_called_for_what_it_selects(fields: dict[str, Any], called: bool) -> None:
    client = Hooked()
    client.add("h", allow, mutating=False, **fields)
    assert client.ask("POST", MAPS, a_map(labels={"app": "a"})).status == 201
    assert bool(client.asked) == called


def test_what_a_webhook_is_asked() -> None:
    client = Hooked()
    client.add("h", allow)
    client.ask("POST", f"{MAPS}?dryRun=All", a_map())
    [(_, request)] = client.asked
    assert request["kind"] == request["requestKind"] == {"group": "", "version": "v1", "kind": "ConfigMap"}
    assert request["resource"] == {"group": "", "version": "v1", "resource": "configmaps"}
    assert (request["name"], request["namespace"], request["operation"]) == ("m", "default", "CREATE")
    assert request["userInfo"]["username"] == "kubernetes-admin"
    assert request["object"]["data"] == {"a": "1"}
    assert request["oldObject"] is None
    assert request["dryRun"] is True
    assert request["options"]["kind"] == "CreateOptions"
    assert client.endpoints[0].url == "https://all.hooks.svc:443/h?timeout=10s"


def test_updates_and_deletions_show_the_old_object() -> None:
    client = Hooked()
    client.ask("POST", MAPS, a_map())
    client.add("h", allow, mutating=False)
    client.ask("PATCH", f"{MAPS}/m", {"data": {"a": "2"}}, content_type=MERGE)
    client.ask("DELETE", f"{MAPS}/m")
    (_, update), (_, deletion) = client.asked
    assert (update["oldObject"]["data"], update["object"]["data"]) == ({"a": "1"}, {"a": "2"})
    assert (deletion["operation"], deletion["object"]) == ("DELETE", None)
    assert deletion["oldObject"]["data"] == {"a": "2"}


def test_mutating_webhooks_are_called_by_configuration_and_see_each_others_changes() -> None:
    client = Hooked()
    client.add("second", label("second"), configuration="b")
    client.add("first", label("first"), configuration="a")
    client.add("check", allow, mutating=False)
    made = client.ask("POST", MAPS, a_map()).body
    assert made["metadata"]["labels"] == {"first": "yes", "second": "yes"}
    assert client.names == ["first", "second", "check"]
    assert client.asked[-1][1]["object"]["metadata"]["labels"] == {"first": "yes", "second": "yes"}


@pytest.mark.parametrize(
    ("policy", "names"),
    [("Never", ["first", "second"]), ("IfNeeded", ["first", "second", "first"])],
)
def test_a_webhook_is_called_again_if_another_has_changed_the_object(policy: str, names: list[str]) -> None:
    client = Hooked()
    client.add("first", label("first"), reinvocationPolicy=policy)
    client.add("second", label("second"))
    client.ask("POST", MAPS, a_map())
    assert client.names == names


def test_a_patch_that_is_null_changes_nothing() -> None:
    client = Hooked()
    client.add("h", patch(patch=base64.b64encode(b"null").decode()))
    assert client.ask("POST", MAPS, a_map()).body["data"] == {"a": "1"}


def refuse(**status: Any) -> Any:
    return lambda request: {"allowed": False, "status": status} if status else {"allowed": False}


@pytest.mark.parametrize(
    ("status", "code", "reason", "message"),
    [
        pytest.param({}, 400, None, "denied the request without explanation", id="nothing"),
        pytest.param({"message": "no"}, 400, None, "denied the request: no", id="a message"),
        pytest.param({"reason": "Invalid"}, 400, "Invalid", "denied the request: Invalid", id="a reason"),
        pytest.param({"code": 422, "message": "no"}, 422, None, "denied the request: no", id="a code"),
        pytest.param({"code": 200, "message": "no"}, 400, None, "denied the request: no", id="a code of success"),
    ],
)
@pytest.mark.parametrize("mutating", [True, False])
def test_a_refusal_has_the_status_of_the_webhook(
    mutating: bool, status: dict[str, Any], code: int, reason: str | None, message: str
) -> None:
    client = Hooked()
    client.add("h", refuse(**status), mutating=mutating)
    answer = client.ask("POST", MAPS, a_map())
    assert (answer.status, answer.body.get("reason")) == (code, reason)
    assert answer.body["message"] == f'admission webhook "h.example.com" {message}'
    assert client.ask("GET", f"{MAPS}/m").status == 404


def review(**response: Any) -> bytes:
    head = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    return json.dumps({**head, "response": response} if response else head).encode()


PATCH = base64.b64encode(b'[{"op":"add","path":"/data/b","value":"2"}]').decode()
CALLED = 'failed calling webhook "h.example.com": failed to call webhook: '
INVALID = 'failed calling webhook "h.example.com": received invalid webhook response: '


@pytest.mark.parametrize(
    ("mutating", "answer", "message"),
    [
        pytest.param(True, b"no", CALLED + "couldn't get version/kind; json parse error: ", id="no JSON"),
        pytest.param(True, (404, b""), CALLED + "the server could not find the requested resource", id="404"),
        pytest.param(
            True,
            (500, b"boom\n"),
            CALLED + 'an error on the server ("boom") has prevented the request from succeeding',
            id="500",
        ),
        pytest.param(True, review(), INVALID + "webhook response was absent", id="no response"),
        pytest.param(True, review(uid="x", allowed=True), INVALID + "expected response.uid=", id="another uid"),
        pytest.param(
            True,
            {"allowed": True, "patch": PATCH},
            INVALID + "webhook returned response.patch but not response.patchType",
            id="no type",
        ),
        pytest.param(
            True,
            {"allowed": True, "patchType": "JSONPatch"},
            INVALID + "webhook returned response.patchType but not response.patch",
            id="no patch",
        ),
        pytest.param(
            True,
            {"allowed": True, "patch": PATCH, "patchType": "Merge"},
            'failed calling webhook "h.example.com": unsupported patch type "Merge"',
            id="another type",
        ),
        pytest.param(
            False,
            {"allowed": True, "patch": PATCH},
            INVALID + "validating webhook may not return response.patch",
            id="a patch of a check",
        ),
    ],
)
def test_a_call_that_fails_refuses_the_write_unless_it_is_ignored(mutating: bool, answer: Any, message: str) -> None:
    for policy, status in (("Fail", 500), ("Ignore", 201)):
        client = Hooked()
        client.add("h", lambda _: answer, mutating=mutating, failurePolicy=policy)
        found = client.ask("POST", MAPS, a_map())
        assert found.status == status
        if status == 500:
            assert found.body["message"].startswith(f"Internal error occurred: {message}")
            assert found.body["reason"] == "InternalError"


def test_a_service_that_is_not_there_and_one_that_does_not_answer() -> None:
    client = Hooked()
    client.add("h", None)
    message = client.ask("POST", MAPS, a_map()).body["message"]
    assert message.endswith('Post "https://all.hooks.svc:443/h?timeout=10s": service "all" not found in "hooks"')

    def never(request: Document) -> Document:
        raise timed_out(client.endpoints[-1])

    client.hooks["h"] = never
    message = client.ask("POST", MAPS, a_map()).body["message"]
    assert message.endswith('Post "https://all.hooks.svc:443/h?timeout=10s": context deadline exceeded')


def test_a_patch_that_cannot_be_applied_is_an_internal_error() -> None:
    client = Hooked()
    client.add("h", patch({"op": "remove", "path": "/data/x"}))
    answer = client.ask("POST", MAPS, a_map())
    assert answer.body["message"] == "Internal error occurred: Unable to remove nonexistent key: x"


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        pytest.param(
            {"op": "replace", "path": "", "value": []},
            "json: cannot unmarshal array into Go value of type v1.ConfigMap",
            id="no object",
        ),
        pytest.param(
            {"op": "replace", "path": "/metadata", "value": 5},
            "json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
            id="a wrong type",
        ),
    ],
)
def test_a_patch_that_makes_something_else_of_an_object_is_an_internal_error(operation: Document, message: str) -> None:
    client = Hooked()
    client.add("h", patch(operation))
    answer = client.ask("POST", MAPS, a_map())
    assert (answer.status, answer.body["message"]) == (500, f"Internal error occurred: {message}")


def test_a_patch_that_removes_the_metadata_leaves_an_object_without_a_name() -> None:
    client = Hooked()
    client.add("h", patch({"op": "remove", "path": "/metadata"}))
    assert client.ask("POST", MAPS, a_map()).status == 422


@pytest.mark.parametrize(("effects", "status"), [("None", 201), ("NoneOnDryRun", 201), ("Some", 400)])
def test_a_dry_run_calls_webhooks_without_side_effects_only(effects: str, status: int) -> None:
    client = Hooked()
    client.add("h", allow, sideEffects="None")
    configuration = client.store.list("MutatingWebhookConfiguration.admissionregistration.k8s.io")
    for each in list(configuration):
        each.manifest["webhooks"][0]["sideEffects"] = effects  # the API accepts only the first two, as the real one
    answer = client.ask("POST", f"{MAPS}?dryRun=All", a_map())
    assert answer.status == status
    if status == 400:
        assert answer.body["message"] == 'admission webhook "h.example.com" does not support dry run'


def test_warnings_reach_the_client_also_if_the_write_is_refused() -> None:
    client = Hooked()
    client.add("warn", lambda _: {"allowed": True, "warnings": ["be careful"]})
    assert client.ask("POST", MAPS, a_map()).headers["warning"] == '299 - "be careful"'
    client.add("no", refuse(message="no"), mutating=False)
    assert client.ask("POST", MAPS, a_map("n")).headers["warning"] == '299 - "be careful"'


def test_a_condition_that_fails_refuses_the_write_unless_it_is_ignored() -> None:
    for policy, status in (("Fail", 403), ("Ignore", 201)):
        client = Hooked()
        condition = {"name": "c", "expression": "object.spec.none == 'x'"}
        client.add("h", allow, failurePolicy=policy, matchConditions=[condition])
        answer = client.ask("POST", MAPS, a_map())
        assert answer.status == status
        assert not client.asked
        if status == 403:
            assert "expression 'object.spec.none == 'x'' resulted in error: " in answer.body["message"]


def test_configurations_of_webhooks_are_never_sent_to_webhooks() -> None:
    client = Hooked()
    client.add("h", refuse(message="no"))
    client.add("other", allow)
    assert not client.asked


def test_a_patch_is_made_again_if_the_object_has_changed_during_a_call() -> None:
    client = Hooked()
    client.ask("POST", MAPS, a_map())

    def interfere(request: Document) -> Document:
        if len(client.asked) == 1:
            client.hooks["h"] = allow
            client.ask("PATCH", f"{MAPS}/m", {"data": {"b": "2"}}, content_type=MERGE)
        return {"allowed": True}

    client.add("h", interfere)
    answer = client.ask("PATCH", f"{MAPS}/m", {"data": {"c": "3"}}, content_type=MERGE)
    assert answer.body["data"] == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.parametrize(("versioned", "status"), [(True, 409), (False, 200)])
def test_a_replacement_is_a_conflict_if_its_version_has_changed_during_a_call(versioned: bool, status: int) -> None:
    client = Hooked()
    made = client.ask("POST", MAPS, a_map()).body

    def interfere(request: Document) -> Document:
        client.hooks["h"] = allow
        client.ask("PATCH", f"{MAPS}/m", {"data": {"b": "2"}}, content_type=MERGE)
        return {"allowed": True}

    client.add("h", interfere)
    assert client.ask("PUT", f"{MAPS}/m", made if versioned else a_map()).status == status


def test_webhooks_of_simulated_services_are_not_called() -> None:
    client = Hooked()
    config = {"service": {"namespace": "hooks", "name": "simulated", "path": "/h"}}
    client.add("h", refuse(message="no"), clientConfig=config)
    assert client.ask("POST", MAPS, a_map()).status == 201
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    webhook = {
        "name": "h.example.com",
        "clientConfig": config,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    document = {**head, "metadata": {"name": "x"}, "webhooks": [webhook]}
    made = client.ask("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", document)
    assert made.headers["warning"] == '299 - "webhook \\"h.example.com\\" is not called: nothing serves it here"'
