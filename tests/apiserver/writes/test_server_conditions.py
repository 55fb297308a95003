"""What the server itself writes: conditions of FlowSchemas and APIServices, and the objects that it begins with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, MERGE, Caller

FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"
SCHEMAS, LEVELS = f"{FLOW}/flowschemas", f"{FLOW}/prioritylevelconfigurations"
SERVICES, PIECES = "/api/v1/namespaces/default/services", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
API_SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices"
CONSUMER, PRODUCER = (f"api-priority-and-fairness-config-{part}-v1" for part in ("consumer", "producer"))


def reason(client: Caller, path: str) -> str:
    return str(client.ask("GET", path).body["status"]["conditions"][0]["reason"])


def test_a_flow_schema_dangles_while_its_priority_level_does_not_exist() -> None:
    client = Caller()
    spec = {"priorityLevelConfiguration": {"name": "mine"}, "matchingPrecedence": 5000}
    made = client.ask("POST", SCHEMAS, {"metadata": {"name": "s"}, "spec": spec}).body
    assert "conditions" not in made["status"]
    assert reason(client, f"{SCHEMAS}/s") == "NotFound"
    limits = {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}
    client.ask("POST", LEVELS, {"metadata": {"name": "mine"}, "spec": {"type": "Limited", "limited": limits}})
    assert reason(client, f"{SCHEMAS}/s") == "Found"
    client.ask("DELETE", f"{LEVELS}/mine")
    assert reason(client, f"{SCHEMAS}/s") == "NotFound"
    client.ask("PATCH", f"{SCHEMAS}/s/status", {"status": None}, content_type=MERGE)
    assert reason(client, f"{SCHEMAS}/s") == "NotFound"  # it insists
    managers = client.ask("GET", f"{SCHEMAS}/s").body["metadata"]["managedFields"]
    assert managers[0]["manager"] == CONSUMER


def test_an_api_service_is_as_available_as_its_service() -> None:
    client, one = Caller(), f"{API_SERVICE}/v1.x.io"
    spec: dict[str, Any] = {"group": "x.io", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10}
    spec |= {"service": {"namespace": "default", "name": "s", "port": 443}, "insecureSkipTLSVerify": True}
    client.ask("POST", API_SERVICE, {"metadata": {"name": "v1.x.io"}, "spec": spec})
    seen = [reason(client, one)]
    client.ask("POST", SERVICES, {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 444}]}})
    seen.append(reason(client, one))
    client.ask("PUT", f"{SERVICES}/s", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 443}]}})
    seen.append(reason(client, one))
    piece: dict[str, Any] = {"addressType": "IPv4", "ports": [{"name": "", "port": 8443}]}
    piece["metadata"] = {"name": "s-1", "labels": {"kubernetes.io/service-name": "s"}}
    client.ask("POST", PIECES, {**piece, "endpoints": []})
    seen.append(reason(client, one))
    client.ask("PUT", f"{PIECES}/s-1", {**piece, "endpoints": [{"addresses": ["10.1.0.1"]}]})
    seen.append(reason(client, one))
    expected = ["ServiceNotFound", "ServicePortError", "EndpointsNotFound", "MissingEndpoints", "FailedDiscoveryCheck"]
    assert seen == expected


def test_an_api_service_of_this_server_is_available() -> None:
    client = Caller()
    spec = {"group": "y.io", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10}
    client.ask("POST", API_SERVICE, {"metadata": {"name": "v1.y.io"}, "spec": spec})
    assert reason(client, f"{API_SERVICE}/v1.y.io") == "Local"


@pytest.mark.parametrize("name", ["exempt", "catch-all"])
def test_mandatory_flow_schemas_cannot_be_changed(name: str) -> None:
    client = Caller()
    for path, change in ((SCHEMAS, {"matchingPrecedence": 7}), (LEVELS, {"type": "Odd"})):
        answer = client.ask("PATCH", f"{path}/{name}", {"spec": change}, content_type=MERGE)
        assert answer.status == 422
        assert answer.body["message"].rstrip("]").endswith("must equal the fixed value")


@pytest.mark.parametrize(
    ("path", "managers"),
    [
        (f"{SCHEMAS}/probes", [CONSUMER, PRODUCER]),
        (f"{LEVELS}/system", [PRODUCER]),
        (
            "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
            ["kubernetes-service-cidr-controller", "kube-apiserver"],
        ),
        ("/api/v1/namespaces/default", ["kube-apiserver"]),
        (f"{API_SERVICE}/v1.apps", ["kube-apiserver"]),
    ],
)
def test_the_objects_of_every_server_have_managers(path: str, managers: list[str]) -> None:
    entries = Caller().ask("GET", path).body["metadata"]["managedFields"]
    assert [entry["manager"] for entry in entries] == managers


def test_names_of_managers_have_at_most_128_bytes() -> None:
    client = Caller()
    client.ask("POST", MAPS, {"metadata": {"name": "c"}, "data": {"a": "b"}})
    change = [{"op": "replace", "path": "/metadata/managedFields/0/manager", "value": "ü" * 65}]
    answer = client.ask("PATCH", f"{MAPS}/c", change, content_type="application/json-patch+json")
    assert answer.body["details"]["causes"][0]["field"] == "metadata.managedFields[0].manager"


def test_access_for_administrators_needs_a_labelled_namespace() -> None:
    client = Caller()
    exactly = {"deviceClassName": "c", "adminAccess": True}
    claim = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}}
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    assert (
        client.ask("POST", path, claim).body["details"]["causes"][0]["field"] == "spec.devices.requests[0].adminAccess"
    )
    label = {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}}
    client.ask("PATCH", "/api/v1/namespaces/default", label, content_type=MERGE)
    assert client.ask("POST", path, claim).status == 201
