"""`wavetank serve` calls webhooks over HTTP and HTTPS, and serves others in the meantime."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS
from tests.apiserver.serving import Served, nodes_file, serving
from tests.apiserver.webhooks.hooks import CONFIGURATIONS, RULE, Document, a_map, label
from wavetank.apiserver.http.tls import Authority

Answer = Callable[[Document], Document]


@contextmanager
def webhook_server(answer: Answer, certificate: Any = None) -> Iterator[int]:
    """Runs a server of webhooks; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["content-length"])))
            response = {"uid": review["request"]["uid"], **answer(review["request"])}
            body = json.dumps({**review, "response": response}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.certificate, certificate.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def configure(served: Served, config: Document, resources: list[str], **fields: Any) -> None:
    webhook = {
        "name": "h.example.com",
        "clientConfig": config,
        "rules": [{**RULE, "operations": ["CREATE"], "resources": resources}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **fields,
    }
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration"}
    document = {**head, "metadata": {"name": "hooks"}, "webhooks": [webhook]}
    answer = served.ask("POST", f"{CONFIGURATIONS}/mutatingwebhookconfigurations", document)
    assert answer.status == 201, answer.body


@pytest.mark.parametrize("by_service", [False, True])
def test_a_webhook_is_called_with_tls_and_its_bundle(tmp_path: Path, by_service: bool) -> None:
    authority = Authority()
    certificate = authority.issue(tmp_path, "all.hooks.svc")
    bundle = base64.b64encode(authority.certificate).decode()
    with webhook_server(label("hooked"), certificate) as port:
        url = f"https://127.0.0.1:{port}"
        service = {"service": {"namespace": "hooks", "name": "all", "path": "/h"}}
        where = service if by_service else {"url": f"{url}/h"}
        with serving(tmp_path, "--bare", "--webhook-service", f"hooks/all={url}") as served:
            configure(served, {**where, "caBundle": bundle}, ["configmaps"])
            assert served.ask("POST", MAPS, a_map()).json["metadata"]["labels"] == {"hooked": "yes"}


def test_a_certificate_of_another_authority_is_refused(tmp_path: Path) -> None:
    with (
        webhook_server(label("hooked"), Authority().issue(tmp_path)) as port,
        serving(tmp_path, "--bare") as served,
    ):
        configure(served, {"url": f"https://127.0.0.1:{port}/h"}, ["configmaps"])
        message = served.ask("POST", MAPS, a_map()).json["message"]
        assert message.endswith("x509: certificate signed by unknown authority")


def test_the_server_goes_on_while_a_webhook_is_slow(tmp_path: Path) -> None:
    asked, released = threading.Event(), threading.Event()

    def slow(request: Document) -> Document:
        asked.set()
        released.wait()
        return label("hooked")(request)

    with webhook_server(slow) as port, serving(tmp_path, "--bare") as served:
        configure(served, {"url": f"http://127.0.0.1:{port}/h"}, ["configmaps"], timeoutSeconds=30)
        made: list[Any] = []
        writer = threading.Thread(target=lambda: made.append(served.ask("POST", MAPS, a_map()).json))
        writer.start()
        asked.wait()
        assert served.ask("GET", f"{MAPS}/m").status == 404
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
        other = served.ask("POST", "/api/v1/namespaces/default/secrets", secret).json
        released.set()
        writer.join()
        assert made[0]["metadata"]["labels"] == {"hooked": "yes"}
        assert made[0]["metadata"]["uid"] != other["metadata"]["uid"]


def test_pods_of_built_in_controllers_pass_webhooks(tmp_path: Path) -> None:
    with webhook_server(label("hooked")) as port, serving(tmp_path, "--cluster", nodes_file(tmp_path)) as served:
        configure(served, {"url": f"http://127.0.0.1:{port}/h"}, ["pods"])
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
        spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
        assert served.ask("POST", "/apis/apps/v1/namespaces/default/deployments", deployment).status == 201
        pods = served.until("/api/v1/namespaces/default/pods", lambda found: len(found["items"]) == 2)
        assert {each["metadata"]["labels"].get("hooked") for each in pods["items"]} == {"yes"}
