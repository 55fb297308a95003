"""What webhooks are asked about: each review is compared like an answer."""

from __future__ import annotations

import base64
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.apiserver.sidebyside.conversing import APPLY, MERGE, PATCH, Conversation, Document, Step
from tests.apiserver.webhooks.test_serving import webhook_server
from wavetank.apiserver.http.tls import Authority

_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
_SETTLED_S = 2.0  # until the real server calls what was configured
_CACHED_S = 0.2  # until the real server's cache knows the last write: a patch of an older version is repeated
_CONTAINER = {"name": "c", "image": "i"}
_TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [_CONTAINER]}}


def webhooks(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Configures a mutating and a validating webhook, and writes objects in a namespace."""
    asked: list[Document] = []

    def answer(request: Document) -> Document:
        asked.append({name: value for name, value in request.items() if name != "uid"})  # calls may be repeated
        return {"allowed": True, "warnings": [f"asked about {request['operation']}"]}

    authority = Authority()
    with tempfile.TemporaryDirectory() as folder:
        certificate = authority.issue(Path(folder), "localhost", "127.0.0.1")
        with webhook_server(answer, certificate) as port:
            config = {"url": f"https://127.0.0.1:{port}/", "caBundle": base64.b64encode(authority.certificate).decode()}
            _configure(talk, namespace, config)
            _write(talk, namespace, asked)
    for kind in ("mutating", "validating"):
        talk.ask("DELETE", f"{_CONFIGURATIONS}/{kind}webhookconfigurations/{namespace}")


def _configure(talk: Conversation, namespace: str, config: Document) -> None:
    rule = {"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["*/*"]}
    for kind in ("Mutating", "Validating"):
        webhook = {"name": f"{kind.lower()}.example.com", "clientConfig": config, "rules": [rule]}
        webhook |= {"sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail"}
        webhook["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        document = {"metadata": {"name": namespace}, "webhooks": [webhook]}
        talk.ask("POST", f"{_CONFIGURATIONS}/{kind.lower()}webhookconfigurations", document)
        talk.steps.pop()  # its URL is another one each time
    time.sleep(_SETTLED_S)


def _write(talk: Conversation, namespace: str, asked: list[Document]) -> None:
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"

    def ask(*arguments: Any, **options: Any) -> Step:
        time.sleep(_CACHED_S)
        asked.clear()
        step = talk.ask(*arguments, **options)
        for operation in ("CREATE", "UPDATE", "DELETE"):
            reviews = [request for request in asked if request["operation"] == operation]
            talk.steps.append(
                Step(f"reviews ({operation}) of {step.request}", {"status": 0, "body": reviews}, step.asked)
            )
        return step

    ask("POST", f"{core}/configmaps", {"metadata": {"name": "c", "labels": {"a": "b"}}, "data": {"k": "v"}})
    ask("POST", f"{core}/configmaps", {"metadata": {"generateName": "a-gen-"}}, {"dryRun": "All"})
    ask("PATCH", f"{core}/configmaps/c", {"data": {"k": "w"}}, {"fieldManager": "m"}, content_type=MERGE)
    strict = {"fieldValidation": "Strict", "dryRun": "All"}
    ask("PATCH", f"{core}/configmaps/c", [{"op": "remove", "path": "/data"}], strict, content_type=PATCH)
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"x": "y"}}
    ask("PATCH", f"{core}/configmaps/new", applied, {"fieldManager": "m", "force": "true"}, content_type=APPLY)
    ask("PATCH", f"{core}/configmaps/new", applied, {"fieldManager": "m"}, content_type=APPLY)
    ask("PUT", f"{core}/configmaps/c", {"metadata": {"name": "c"}, "data": {"k": "x"}}, strict)
    ask("DELETE", f"{core}/configmaps/c", {"propagationPolicy": "Background", "preconditions": {}}, {"dryRun": "All"})
    ask("DELETE", f"{core}/configmaps/c", query={"gracePeriodSeconds": 5})
    ask("POST", f"{core}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [_CONTAINER]}})
    bind = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}}
    ask("POST", f"{core}/pods/p/binding", bind)
    ask("PATCH", f"{core}/pods/p/status", {"status": {"phase": "Running"}}, content_type=MERGE)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    ask("POST", f"{core}/pods/p/eviction", eviction, {"dryRun": "All"})
    ask("DELETE", f"{core}/pods/p", {"gracePeriodSeconds": 0})
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE, "replicas": 2}
    ask("POST", f"{apps}/deployments", {"metadata": {"name": "d", "labels": {"x": "y"}}, "spec": spec})
    ask("PATCH", f"{apps}/deployments/d/scale", {"spec": {"replicas": 3}}, content_type=MERGE)
    ask("PUT", f"{apps}/deployments/d/scale", {"metadata": {"name": "d"}, "spec": {"replicas": 4}})
    ask("PATCH", f"{apps}/deployments/d/status", {"status": {"replicas": 1}}, content_type=MERGE)
    ask("POST", f"{core}/serviceaccounts", {"metadata": {"name": "s"}})
    ask("POST", f"{core}/serviceaccounts/s/token", {"spec": {"expirationSeconds": 600}})
    ask("DELETE", f"{core}/configmaps")
    ask("DELETE", f"{apps}/deployments/d")
