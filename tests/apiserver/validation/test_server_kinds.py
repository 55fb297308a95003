"""Kinds that configure the API server itself. What is expected was answered by kube-apiserver 1.35.8."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from tests.apiserver.sidebyside.documents import all_documents, collection, kind_of

DOCUMENTS = {document["kind"]: document for document in all_documents()}


def created(kind: str, *changes: tuple[str, Any]) -> Any:
    """Returns the answer to the creation of a document with some fields changed; None removes one."""
    document = copy.deepcopy(DOCUMENTS[kind])
    for path, value in changes:
        owner, *keys = document, *path.split(".")
        for key in keys[:-1]:
            owner = owner[int(key) if key.isdigit() else key]
        owner[keys[-1]] = value
        if value is None:
            del owner[keys[-1]]
    return Caller().ask("POST", collection(kind_of(document), ""), document)


@pytest.mark.parametrize(
    "kind", ["FlowSchema", "PriorityLevelConfiguration", "APIService", "CertificateSigningRequest"]
)
def test_a_valid_object_is_created(kind: str) -> None:
    assert created(kind).status == 201


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        ("FlowSchema", "spec.matchingPrecedence", 10001, "must not be greater than 10000"),
        ("FlowSchema", "spec.matchingPrecedence", 1, "only the schema named 'exempt' may have matchingPrecedence 1"),
        ("FlowSchema", "spec.priorityLevelConfiguration", {}, "must reference a priority level"),
        ("FlowSchema", "spec.distinguisherMethod.type", "x", '{"Type":"x"}: supported values: "ByNamespace", "ByUser"'),
        ("FlowSchema", "spec.rules.0.subjects", [], "subjects must contain at least one value"),
        ("FlowSchema", "spec.rules.0.subjects.0.user", None, "user is required when subject kind is 'User'"),
        ("FlowSchema", "spec.rules.0.resourceRules.0.verbs", ["*", "get"], "must not specify other verbs"),
        ("FlowSchema", "spec.rules.0.nonResourceRules.0.nonResourceURLs", ["a"], "must start with slash"),
        ("PriorityLevelConfiguration", "spec.type", "Exempt", "if and only if `name` is 'exempt'"),
        ("PriorityLevelConfiguration", "spec.limited", None, "must not be empty when type is Limited"),
        (
            "PriorityLevelConfiguration",
            "spec.limited.limitResponse.queuing.handSize",
            17,
            "should not be greater than queues (16)",
        ),
        ("APIService", "spec.version", "v2", 'must be `spec.version+"."+spec.group`: "v2.gold.example.com"'),
        ("APIService", "spec.groupPriorityMinimum", 0, "must be positive and less than 20000"),
        ("APIService", "spec.service", None, "local APIServices may not have insecureSkipTLSVerify"),
        ("CertificateSigningRequest", "spec.request", "eA==", "PEM block type must be CERTIFICATE REQUEST"),
        ("CertificateSigningRequest", "spec.usages", ["x"], 'spec.usages[0]: Unsupported value: "x"'),
        ("CertificateSigningRequest", "spec.usages", ["any", "any"], 'spec.usages[1]: Duplicate value: "any"'),
        ("CertificateSigningRequest", "spec.signerName", "x", "of the form 'example.com/signer-name'"),
        ("CertificateSigningRequest", "spec.expirationSeconds", 599, "may not specify a duration less than 600"),
    ],
)
def test_an_invalid_object_is_refused(kind: str, path: str, value: Any, message: str) -> None:
    answer = created(kind, (path, value))
    assert answer.status == 422
    assert message in answer.body["message"]


def test_a_request_is_approved_but_not_denied_as_well() -> None:
    caller, path = Caller(), "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    request = caller.ask("POST", path, DOCUMENTS["CertificateSigningRequest"]).body
    request["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]}
    refused = caller.ask("PUT", f"{path}/base/status", request)
    assert 'status.conditions: Forbidden: updates may not add a condition of type "Approved"' in refused.body["message"]
    approved = caller.ask("PUT", f"{path}/base/approval", request).body
    assert approved["status"]["conditions"][0]["lastUpdateTime"]
    approved["status"]["conditions"].append({"type": "Denied", "status": "True"})
    refused = caller.ask("PUT", f"{path}/base/approval", approved)
    assert "Approved and Denied conditions are mutually exclusive" in refused.body["message"]
