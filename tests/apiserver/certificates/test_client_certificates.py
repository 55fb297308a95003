"""From a key to a request that roles decide about: a certificate is asked for, approved, fetched and used."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
import websocket

from tests.apiserver.serving import Served, serving
from tests.support.certificates import REQUESTS, a_key, a_request, a_signing_request, key_pem, with_decision
from tests.support.waiting import PATIENCE_S
from wavetank.apiserver.http.tls import Authority

ROLES = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--authorization", "rbac", "--scheduler", "none") as made:
        yield made


class CertifiedClient(Served):
    """A client that has a certificate and no token."""

    def __init__(self, served: Served, folder: Path, certificate: bytes, key: bytes) -> None:
        super().__init__(served.process, served.url, served.kubeconfig, None)
        (folder / "client.pem").write_bytes(certificate + key)
        self.trusting.load_cert_chain(folder / "client.pem")


def issue(served: Served, name: str, *groups: str, **spec: Any) -> tuple[bytes, bytes]:
    """Has a certificate signed and returns it with its key."""
    key = a_key()
    made = served.ask("POST", REQUESTS, a_signing_request(a_request(key, name, groups), name, **spec))
    assert made.status == 201, made.body
    assert served.ask("PUT", f"{REQUESTS}/{name}/approval", with_decision(made.json)).status == 200
    signed = served.until(f"{REQUESTS}/{name}", lambda request: (request["status"] or {}).get("certificate"))
    return base64.b64decode(signed["status"]["certificate"]), key_pem(key)


def test_a_certificate_names_its_user_and_roles_apply(served: Served, tmp_path: Path) -> None:
    client = CertifiedClient(served, tmp_path, *issue(served, "jane", "devs"))
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    user = client.ask("POST", REVIEWS, body).json["status"]["userInfo"]
    assert (user["username"], user["groups"]) == ("jane", ["devs", "system:authenticated"])
    assert user["extra"]["authentication.kubernetes.io/credential-id"][0].startswith("X509SHA256=")
    refused = client.ask("GET", "/api/v1/namespaces/default/pods")
    assert (refused.status, refused.json["message"]) == (
        403,
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    )
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "devs"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "devs"}],
    }
    assert served.ask("POST", f"{ROLES}/namespaces/default/rolebindings", binding).status == 201
    assert client.ask("GET", "/api/v1/namespaces/default/pods").status == 200
    assert client.ask("DELETE", "/api/v1/namespaces/default/pods/a").status == 403


def test_the_clock_and_other_users_are_not_for_certificates(served: Served, tmp_path: Path) -> None:
    client = CertifiedClient(served, tmp_path, *issue(served, "joe"))
    assert client.ask("GET", "/wavetank/clock").status == 401
    assert client.ask("GET", "/api", Impersonate_User="admin").status == 403


def test_a_certificate_comes_before_a_token(served: Served, tmp_path: Path) -> None:
    client = CertifiedClient(served, tmp_path, *issue(served, "jim"))
    assert client.ask("GET", "/api/v1/nodes", Authorization=f"Bearer {served.token}").status == 403


def test_a_watch_over_a_websocket_has_the_user_of_the_certificate(served: Served, tmp_path: Path) -> None:
    client = CertifiedClient(served, tmp_path, *issue(served, "watcher"))
    address = f"wss://{served.host}:{served.port}/api/v1/nodes?watch=1"
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(address, timeout=PATIENCE_S, sslopt={"context": client.trusting})
    assert refused.value.status_code == 403
    assert b'User \\"watcher\\" cannot watch resource' in (refused.value.resp_body or b"")


def test_a_certificate_expires_in_simulated_time(served: Served, tmp_path: Path) -> None:
    client = CertifiedClient(served, tmp_path, *issue(served, "short", expirationSeconds=600))
    assert client.ask("GET", "/api").status == 200
    assert served.ask("POST", "/wavetank/clock/advance?by=601").status == 200
    assert client.ask("GET", "/api").status == 401


def test_a_certificate_of_another_authority_is_refused_in_the_handshake(served: Served, tmp_path: Path) -> None:
    foreign = Authority().issue(tmp_path)
    context = ssl.create_default_context(cadata=served.trusting.get_ca_certs(binary_form=True)[0])
    context.load_cert_chain(foreign.certificate, foreign.key)
    connection = HTTPSConnection(served.host, served.port, timeout=PATIENCE_S, context=context)
    with closing(connection), pytest.raises((ssl.SSLError, ConnectionError)):
        _ask(connection)


def _ask(connection: HTTPSConnection) -> None:
    """Makes a request; with TLS 1.3 a client learns only from the answer that its certificate is refused."""
    connection.request("GET", "/api")
    connection.getresponse()
