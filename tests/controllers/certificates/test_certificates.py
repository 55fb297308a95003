"""CertificateSigningRequests: which are approved, what is signed and for how long, when they are cleaned up."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.support.certificates import (
    API_CLIENT,
    CLIENT_USAGES,
    REQUESTS,
    a_key,
    a_request,
    a_signing_request,
    certificate_of,
    with_decision,
)
from tests.support.clusters import Cluster
from wavetank.apiserver.api import Api
from wavetank.apiserver.http.tls import Authority
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.cluster.objects.resource import render_time
from wavetank.controllers.descriptors import read_names, start_controllers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.certificates import ServedCertificates

ADMIN = User()
RBAC = "rbac.authorization.k8s.io"
KEY = a_key()
AUTHORITY = Authority()
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING = "kubernetes.io/kubelet-serving"
SERVER_USAGES = ("digital signature", "server auth")
ADDRESS = x509.IPAddress(ipaddress.ip_address("10.0.0.1"))
NODE = User("system:node:n", ("system:nodes", "system:authenticated"))
BOOTSTRAPPER = User("system:bootstrap:abc", ("system:bootstrappers", "system:authenticated"))


class CertificateCluster(Cluster):
    """A served cluster with the three controllers and RBAC, at the present time."""

    def __init__(self) -> None:
        super().__init__()
        self.clock.run(_since_epoch())
        self.api = Api(self.store, rbac=True)
        certificates = ServedCertificates(AUTHORITY, self.api)
        context = ControllerContext(self.store, certificates.client, certificates=certificates)
        start_controllers(context, read_names("csrapproving,csrsigning,csrcleaner"), served=True)
        for group in ("system:bootstrappers", "system:nodes"):
            self.bind("system:node-bootstrapper", group)  # who may ask

    def ask(self, method: str, path: str, body: object = None, user: User = ADMIN) -> dict[str, Any]:
        """Makes a request and lets the controllers work."""
        sent = json.dumps(body).encode() if body is not None else b""
        answer = self.api.handle(Request(method, path, (), {"content-type": "application/json"}, sent, user))
        assert isinstance(answer, Response)
        self.run()
        found: dict[str, Any] = json.loads(answer.body)
        return found

    def bind(self, role: str, group: str) -> None:
        """Grants a cluster role to a group."""
        binding = {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"{role}-{group}"},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": group}],
        }
        assert self.ask("POST", f"/apis/{RBAC}/v1/clusterrolebindings", binding)["kind"] == "ClusterRoleBinding"

    def request(self, document: dict[str, Any], user: User = ADMIN) -> dict[str, Any]:
        """Creates a request and returns it as the controllers leave it."""
        made = self.ask("POST", REQUESTS, document, user)
        assert made["kind"] == "CertificateSigningRequest", made
        return self.read(document["metadata"]["name"])

    def decide(self, name: str = "csr", type_: str = "Approved", user: User = ADMIN) -> dict[str, Any]:
        answer = self.ask("PUT", f"{REQUESTS}/{name}/approval", with_decision(self.read(name), type_), user)
        return answer if answer["kind"] == "Status" else self.read(name)

    def read(self, name: str = "csr") -> dict[str, Any]:
        return self.ask("GET", f"{REQUESTS}/{name}")


def _since_epoch() -> int:
    """Returns the present time of clusters, shortly after the authority was made."""
    begun = datetime.fromisoformat(render_time(0))
    return int((AUTHORITY.not_after - timedelta(days=3650) - begun).total_seconds()) * SECOND


@pytest.fixture
def cluster() -> CertificateCluster:
    return CertificateCluster()


@pytest.mark.parametrize(
    ("asked_s", "begin", "end"),
    [
        pytest.param(None, timedelta(minutes=-5), timedelta(days=365, minutes=-5), id="a year by default"),
        pytest.param(600, timedelta(minutes=-5), timedelta(seconds=600), id="ten minutes"),
        pytest.param(8 * 3600 - 1, timedelta(minutes=-5), timedelta(hours=8, seconds=-1), id="a short one"),
        pytest.param(8 * 3600, timedelta(minutes=-5), timedelta(hours=8, minutes=-5), id="a long one is backdated"),
        pytest.param(2**31 - 1, timedelta(minutes=-5), timedelta(days=365, minutes=-5), id="a year at most"),
    ],
)
def test_an_approved_request_is_signed_for_as_long_as_it_says(
    cluster: CertificateCluster, asked_s: int | None, begin: timedelta, end: timedelta
) -> None:
    spec = {} if asked_s is None else {"expirationSeconds": asked_s}
    assert "certificate" not in cluster.request(a_signing_request(a_request(KEY, "jane", ["devs"]), **spec))["status"]
    made = certificate_of(cluster.decide())
    now = datetime.fromisoformat(render_time(cluster.clock.now))
    assert (made.not_valid_before_utc - now, made.not_valid_after_utc - now) == (begin, end)
    made.verify_directly_issued_by(x509.load_pem_x509_certificate(AUTHORITY.certificate))
    usages = made.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usages) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert made.subject.rfc4514_string() == "CN=jane,O=devs"


@pytest.mark.parametrize(
    ("signer", "name", "groups", "names", "usages", "message"),
    [
        (API_CLIENT, "x", [], [], ("server auth",), "invalid usage for client certificate: server auth"),
        (
            API_CLIENT,
            "x",
            [],
            [],
            ("digital signature",),
            "missing required usage for client certificate: client auth",
        ),
        (KUBELET_CLIENT, "system:node:n", ["devs"], [], CLIENT_USAGES, "subject organization is not system:nodes"),
        (
            KUBELET_CLIENT,
            "n",
            ["system:nodes"],
            [],
            CLIENT_USAGES,
            "subject common name does not begin with system:node:",
        ),
        (
            KUBELET_CLIENT,
            "system:node:n",
            ["system:nodes"],
            [ADDRESS],
            CLIENT_USAGES,
            "IP subjectAltNames are not allowed",
        ),
        (
            KUBELET_CLIENT,
            "system:node:n",
            ["system:nodes"],
            [],
            SERVER_USAGES,
            "usages did not match [client auth digital signature key encipherment]",
        ),
        (KUBELET_SERVING, "system:node:n", ["system:nodes"], [], SERVER_USAGES, "DNS or IP subjectAltName is required"),
        (
            KUBELET_SERVING,
            "system:node:n",
            ["system:nodes"],
            [ADDRESS],
            CLIENT_USAGES,
            "usages did not match [digital signature key encipherment server auth]",
        ),
    ],
)
def test_a_request_that_its_signer_does_not_allow_fails(
    cluster: CertificateCluster,
    signer: str,
    name: str,
    groups: list[str],
    names: list[x509.GeneralName],
    usages: Sequence[str],
    message: str,
) -> None:
    cluster.request(a_signing_request(a_request(KEY, name, groups, names), signer=signer, usages=usages))
    status = cluster.decide()["status"]
    assert "certificate" not in status
    (failure,) = [each for each in status["conditions"] if each["type"] == "Failed"]
    assert (failure["reason"], failure["message"]) == ("SignerValidationFailure", message)


def test_serving_certificates_of_kubelets_keep_their_names(cluster: CertificateCluster) -> None:
    names = [ADDRESS, x509.DNSName("n.example.com")]
    request = a_request(KEY, "system:node:n", ["system:nodes"], names)
    cluster.request(a_signing_request(request, signer=KUBELET_SERVING, usages=SERVER_USAGES), NODE)
    made = certificate_of(cluster.decide())
    found = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert list(found) == [x509.DNSName("n.example.com"), ADDRESS]


def test_denied_requests_and_those_of_other_signers_are_not_signed(cluster: CertificateCluster) -> None:
    cluster.request(a_signing_request(a_request(KEY, "a"), "denied"))
    cluster.request(a_signing_request(a_request(KEY, "a"), "foreign", "example.com/own"))
    assert "certificate" not in cluster.decide("denied", "Denied")["status"]
    assert "certificate" not in cluster.decide("foreign")["status"]


@pytest.mark.parametrize(
    ("user", "role", "message"),
    [
        (NODE, "selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."),
        (BOOTSTRAPPER, "nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview."),
        (BOOTSTRAPPER, "selfnodeclient", None),
    ],
)
def test_client_certificates_of_kubelets_are_approved_if_roles_allow_it(
    cluster: CertificateCluster, user: User, role: str, message: str | None
) -> None:
    request = a_request(KEY, "system:node:n", ["system:nodes"])
    found = cluster.request(a_signing_request(request, signer=KUBELET_CLIENT), user)
    assert not found["status"].get("conditions")
    cluster.bind(f"system:certificates.k8s.io:certificatesigningrequests:{role}", user.groups[0])
    cluster.run(10)  # the controller tries again
    status = cluster.read()["status"]
    if message is None:
        assert not status.get("conditions")
    else:
        (approval,) = status["conditions"]
        assert (approval["reason"], approval["message"]) == ("AutoApproved", message)
        assert status["certificate"]


@pytest.mark.parametrize(
    ("decision", "hours"),
    [
        pytest.param("Approved", 2, id="signed: an hour"),
        pytest.param("Denied", 2, id="denied: an hour"),
        pytest.param("", 25, id="pending: a day"),
    ],
)
def test_old_requests_are_deleted_at_an_hourly_check(cluster: CertificateCluster, decision: str, hours: int) -> None:
    cluster.run(3600 - cluster.clock.now // SECOND % 3600 + 1)  # a second after a check
    cluster.request(a_signing_request(a_request(KEY, "jane")))
    if decision:
        cluster.decide(type_=decision)
    cluster.run(hours * 3600 - 10)
    assert cluster.store.has(CERTIFICATE_SIGNING_REQUEST)
    cluster.run(10)
    assert not cluster.store.has(CERTIFICATE_SIGNING_REQUEST)


@pytest.mark.parametrize(
    ("verb", "path", "message"),
    [
        ("approve", "approval", f'user not permitted to approve requests with signerName "{API_CLIENT}"'),
        ("sign", "status", f'user not permitted to sign requests with signerName "{API_CLIENT}"'),
    ],
)
def test_only_users_who_may_use_a_signer_decide(
    cluster: CertificateCluster, verb: str, path: str, message: str
) -> None:
    user = User("jane", ("testers", "system:authenticated"))
    rules = [{"apiGroups": ["*"], "resources": ["certificatesigningrequests", f"certificatesigningrequests/{path}"]}]
    rules[0]["verbs"] = ["*"]
    role = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules}
    cluster.ask("POST", f"/apis/{RBAC}/v1/clusterroles", role)
    cluster.bind("r", "testers")
    made = cluster.request(a_signing_request(a_request(KEY, "jane")))
    changed = with_decision(made, "Approved" if path == "approval" else "Failed")
    answer = cluster.ask("PUT", f"{REQUESTS}/csr/{path}", changed, user)
    prefix = 'certificatesigningrequests.certificates.k8s.io "csr" is forbidden: '
    assert (answer["code"], answer["message"]) == (403, prefix + message)
    rules.append({"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "verbs": [verb]})
    rules[1]["resourceNames"] = ["kubernetes.io/*"]
    cluster.ask("PUT", f"/apis/{RBAC}/v1/clusterroles/r", {**role, "rules": rules})
    assert cluster.ask("PUT", f"{REQUESTS}/csr/{path}", changed, user)["kind"] == "CertificateSigningRequest"


def test_nobody_gets_a_client_certificate_for_the_masters(cluster: CertificateCluster) -> None:
    answer = cluster.ask("POST", REQUESTS, a_signing_request(a_request(KEY, "jane", ["system:masters"])))
    why = f"use of {API_CLIENT} signer with system:masters group is not allowed"
    assert answer["message"] == f'certificatesigningrequests.certificates.k8s.io "csr" is forbidden: {why}'
