"""What controllers read in a CertificateSigningRequest."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from wavetank.cluster.objects.resource import Resource

Document = Mapping[str, Any]

APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
API_CLIENT = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING = "kubernetes.io/kubelet-serving"

_SIGNATURE, _ENCIPHERMENT = "digital signature", "key encipherment"
_CLIENT_AUTH, _SERVER_AUTH = "client auth", "server auth"
_NODES, _NODE = "system:nodes", "system:node:"


def spec_of(resource: Resource) -> Document:
    """Returns the spec of a request."""
    found: Document = resource.manifest.get("spec") or {}
    return found


def status_of(resource: Resource) -> Document:
    """Returns the status of a request."""
    found: Document = resource.manifest.get("status") or {}
    return found


def conditions_of(resource: Resource) -> list[Document]:
    """Returns the conditions of a request."""
    return list(status_of(resource).get("conditions") or ())


def has_condition(resource: Resource, type_: str) -> bool:
    """Tells whether a request has a condition of a type; approvals, denials and failures are always true."""
    return any(each.get("type") == type_ for each in conditions_of(resource))


@dataclass(frozen=True)
class SigningRequest:
    """What a request asks for: `der` is the PKCS #10 request, `names` are its alternative names."""

    der: bytes
    common_name: str
    organizations: tuple[str, ...]
    names: tuple[x509.GeneralName, ...]
    usages: tuple[str, ...]

    @classmethod
    def parse(cls, resource: Resource) -> SigningRequest:
        """Reads a request, which the API has validated."""
        spec = spec_of(resource)
        request = x509.load_pem_x509_csr(base64.b64decode(spec["request"]))
        organizations = (each.value for each in request.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME))
        names = [str(each.value) for each in request.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
        return cls(
            request.public_bytes(Encoding.DER),
            names[-1] if names else "",  # as Go reads it
            tuple(map(str, organizations)),
            _alternative_names(request),
            tuple(spec.get("usages") or ()),
        )


def problem_of(request: SigningRequest, signer: str) -> str:
    """Says in the real signers' words why a signer does not sign a request; empty if it does."""
    if signer == API_CLIENT:
        return _client_problem(request.usages)
    if request.organizations != (_NODES,):
        return "subject organization is not system:nodes"
    return _kubelet_client_problem(request) if signer == KUBELET_CLIENT else _kubelet_serving_problem(request)


def _client_problem(usages: tuple[str, ...]) -> str:
    for usage in usages:
        if usage not in (_SIGNATURE, _ENCIPHERMENT, _CLIENT_AUTH):
            return f"invalid usage for client certificate: {usage}"
    return "" if _CLIENT_AUTH in usages else f"missing required usage for client certificate: {_CLIENT_AUTH}"


def _kubelet_client_problem(request: SigningRequest) -> str:
    for kind, word in ((x509.DNSName, "DNS"), (x509.RFC822Name, "Email"), (x509.IPAddress, "IP")):
        if _has(request, kind):
            return f"{word} subjectAltNames are not allowed"
    if _has(request, x509.UniformResourceIdentifier):
        return "URI subjectAltNames are not allowed"
    return _name_problem(request) or _usage_problem(request, _CLIENT_AUTH)


def _kubelet_serving_problem(request: SigningRequest) -> str:
    if not _has(request, x509.DNSName) and not _has(request, x509.IPAddress):
        return "DNS or IP subjectAltName is required"
    for kind, word in ((x509.RFC822Name, "Email"), (x509.UniformResourceIdentifier, "URI")):
        if _has(request, kind):
            return f"{word} subjectAltNames are not allowed"
    return _usage_problem(request, _SERVER_AUTH) or _name_problem(request)


def _has(request: SigningRequest, kind: type[x509.GeneralName]) -> bool:
    return any(isinstance(name, kind) for name in request.names)


def _name_problem(request: SigningRequest) -> str:
    return "" if request.common_name.startswith(_NODE) else "subject common name does not begin with system:node:"


def _usage_problem(request: SigningRequest, needed: str) -> str:
    allowed = {_SIGNATURE, _ENCIPHERMENT, needed}
    if set(request.usages) in (allowed, allowed - {_ENCIPHERMENT}):
        return ""
    return f"usages did not match [{' '.join(sorted(allowed))}]"


def _alternative_names(request: x509.CertificateSigningRequest) -> tuple[x509.GeneralName, ...]:
    try:
        return tuple(request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return ()
