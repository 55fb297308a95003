"""Keys and requests for certificates."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

CLIENT_USAGES = ("digital signature", "key encipherment", "client auth")
API_CLIENT = "kubernetes.io/kube-apiserver-client"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


def a_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def a_request(
    key: ec.EllipticCurvePrivateKey, name: str, groups: Sequence[str] = (), names: Sequence[x509.GeneralName] = ()
) -> bytes:
    """Returns a request in PEM for a user and its groups."""
    organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    subject = x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder(subject)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def a_signing_request(
    request: bytes, name: str = "csr", signer: str = API_CLIENT, usages: Sequence[str] = CLIENT_USAGES, **spec: Any
) -> dict[str, Any]:
    """Returns a CertificateSigningRequest."""
    asked = {"request": base64.b64encode(request).decode(), "signerName": signer, "usages": list(usages), **spec}
    head = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    return {**head, "metadata": {"name": name}, "spec": asked}


def with_decision(request: dict[str, Any], type_: str = "Approved") -> dict[str, Any]:
    """Returns a CertificateSigningRequest as `kubectl certificate` approves or denies it."""
    condition = {"type": type_, "status": "True", "reason": "Test", "message": "decided by a test"}
    status = request.get("status") or {}
    return {**request, "status": {**status, "conditions": [*(status.get("conditions") or ()), condition]}}


def certificate_of(request: dict[str, Any]) -> x509.Certificate:
    return x509.load_pem_x509_certificate(base64.b64decode(request["status"]["certificate"]))
