"""Small differences that a comparison with kube-apiserver 1.35.8 has shown (scripts/compare_servers.py)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, MERGE, Caller

JSON_PATCH = "application/json-patch+json"
SERVICES = "/api/v1/namespaces/default/services"
EVENTS = "/api/v1/namespaces/default/events"


def a_service(name: str = "s", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name} if name else {}, "spec": {"ports": [{"port": 80}], **spec}}


def test_a_dry_run_has_a_uid_of_its_own() -> None:
    caller, body = Caller(), {"metadata": {"name": "a"}}
    dry = caller.ask("POST", f"{MAPS}?dryRun=All", body)
    assert dry.body["metadata"]["uid"] != caller.ask("POST", MAPS, body).body["metadata"]["uid"]


@pytest.mark.parametrize(
    ("content_type", "patch"),
    [
        (MERGE, {"zeta": 1, "metadata": {"beta": 1}, "alpha": 2}),
        (JSON_PATCH, [{"op": "add", "path": path, "value": 1} for path in ("/zeta", "/metadata/beta", "/alpha")]),
    ],
)
def test_unknown_fields_of_a_patch_are_reported_in_the_order_of_keys(content_type: str, patch: Any) -> None:
    caller = Caller()
    caller.ask("POST", MAPS, {"metadata": {"name": "a"}})
    answer = caller.ask("PATCH", f"{MAPS}/a?fieldValidation=Strict", patch, content_type=content_type)
    message = answer.body["message"]
    assert message.endswith('unknown field "alpha", unknown field "metadata.beta", unknown field "zeta"')


def test_a_limit_range_without_a_name_gets_one() -> None:
    answer = Caller().ask("POST", "/api/v1/namespaces/default/limitranges", {"spec": {"limits": []}})
    metadata = answer.body["metadata"]
    assert answer.status == 201
    assert len(metadata["name"]) == len(metadata["uid"])
    assert metadata["name"] != metadata["uid"]


def test_the_address_of_a_service_is_taken_before_its_name() -> None:
    caller = Caller()
    caller.ask("POST", SERVICES, a_service(clusterIP="10.0.0.5"))
    again = caller.ask("POST", SERVICES, a_service(clusterIP="10.0.0.5"))
    assert (again.status, "provided IP is already allocated" in again.body["message"]) == (422, True)
    assert caller.ask("POST", SERVICES, a_service()).status == 409
    nameless = caller.ask("POST", SERVICES, a_service(""))
    assert "is invalid: spec.parentRef.name: Required value" in nameless.body["message"]


def test_metadata_of_events_is_checked() -> None:
    event = {"metadata": {"name": "e", "labels": {"a b": "c"}}, "involvedObject": {"namespace": "default"}}
    answer = Caller().ask("POST", EVENTS, event)
    assert answer.body["details"]["causes"][0]["field"] == "metadata.labels"


def test_admission_names_an_object_without_a_name() -> None:
    pod = {"metadata": {}, "spec": {"priorityClassName": "p", "containers": [{"name": "c", "image": "i"}]}}
    answer = Caller().ask("POST", "/api/v1/namespaces/default/pods", pod)
    assert answer.body["message"] == 'pods "Unknown" is forbidden: no PriorityClass with name p was found'


def test_an_asterisk_is_quoted_in_yaml_as_the_server_does() -> None:
    caller = Caller()
    caller.ask("POST", MAPS, {"metadata": {"name": "a"}, "data": {"k": "*"}})
    answer = caller.ask("GET", f"{MAPS}/a", accept="application/yaml")
    assert b"k: '*'" in answer.body


def test_a_patch_of_an_unknown_type_does_not_warn() -> None:
    answer = Caller().ask("PATCH", "/api/v1/namespaces/default/endpoints/a", {}, content_type="application/json")
    assert (answer.status, "warning" in answer.headers) == (415, False)


@pytest.mark.parametrize(
    ("method", "path", "accept", "status", "message"),
    [
        ("POST", "/openid/v1/jwks", "", 405, "the server does not allow this method on the requested resource"),
        ("GET", "/openid/v1/jwks", "application/json", 406, "representations: application/jwk-set+json"),
        ("GET", "/apis", "text/html", 406, "only the following media types are accepted: application/json"),
        ("GET", "/api", "text/html", 406, "406: Not Acceptable"),
        ("GET", f"{MAPS}?resourceVersionMatch=Exact", "text/html", 406, "406: Not Acceptable"),
    ],
)
def test_methods_and_media_types(method: str, path: str, accept: str, status: int, message: str) -> None:
    answer = Caller().ask(method, path, **({"accept": accept} if accept else {}))
    assert (answer.status, message in str(answer.body)) == (status, True)


def test_an_autoscaler_in_its_old_version_states_a_value_even_if_there_is_none() -> None:
    caller, base = Caller(), "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
    target = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    caller.ask("POST", base, {"metadata": {"name": "h"}, "spec": {"scaleTargetRef": target, "maxReplicas": 3}})
    status = {"status": {"currentCPUUtilizationPercentage": 50}}
    answer = caller.ask("PATCH", f"{base}/h/status", status, content_type=MERGE)
    annotations = answer.body["metadata"]["annotations"]
    assert '"currentAverageValue":"0"' in annotations["autoscaling.alpha.kubernetes.io/current-metrics"]


def test_zeros_of_a_priority_level_get_the_defaults() -> None:
    queuing = {"handSize": 0, "queues": 0, "queueLengthLimit": 0}
    limited = {"limitResponse": {"type": "Queue", "queuing": queuing}}
    level = {"metadata": {"name": "l"}, "spec": {"type": "Limited", "limited": limited}}
    answer = Caller().ask("POST", "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", level)
    found = answer.body["spec"]["limited"]["limitResponse"]["queuing"]
    assert found == {"handSize": 8, "queues": 64, "queueLengthLimit": 50}


def test_a_precondition_names_an_event_by_its_stored_kind() -> None:
    caller, path = Caller(), "/apis/events.k8s.io/v1/namespaces/default/events/e"
    caller.ask("POST", EVENTS, {"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}})
    answer = caller.ask("DELETE", path, {"preconditions": {"uid": "other"}})
    assert answer.body["message"].startswith('Operation cannot be fulfilled on Event "e": the UID in the precondition')


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/spec/scopes", "spec.scopes: Invalid value: []: field is immutable"),
        ("/spec/scopeSelector", "spec.scopes: Invalid value: null: field is immutable"),
    ],
)
def test_an_empty_list_is_shown_as_the_client_sent_it(path: str, message: str) -> None:
    caller, quotas = Caller(), "/api/v1/namespaces/default/resourcequotas"
    caller.ask("POST", quotas, {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}, "scopes": ["BestEffort"]}})
    value: Any = [] if path == "/spec/scopes" else {}
    change = [{"op": "remove", "path": "/spec/scopes"}, {"op": "add", "path": path, "value": value}]
    answer = caller.ask("PATCH", f"{quotas}/q", change, content_type=JSON_PATCH)
    assert answer.body["message"] == f'ResourceQuota "q" is invalid: {message}'
