"""Who may approve and sign CertificateSigningRequests, and for whom."""

from __future__ import annotations

import base64
from collections.abc import Callable

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.requests.request import User
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.cluster.store.store import Store

MaySign = Callable[[User, str, str], bool]  # whether a user may approve or sign (the verb) for a signer

_API_CLIENT = "kubernetes.io/kube-apiserver-client"
_MASTERS = "system:masters"


class SignerPlugin(Plugin):
    """A plugin that asks what users may do with a signer."""

    def __init__(self, store: Store, may_sign: MaySign) -> None:
        super().__init__(store)
        self._may_sign = may_sign

    def _check(self, attributes: Attributes, verb: str) -> None:
        signer = str(((attributes.old or {}).get("spec") or {}).get("signerName") or "")
        if not self._may_sign(attributes.user, verb, signer):
            raise attributes.refused(f"user not permitted to {verb} requests with signerName {quote(signer)}")


class CertificateApproval(SignerPlugin):
    """Lets only users approve and deny requests that may `approve` for their signer."""

    name = "CertificateApproval"

    def validate(self, attributes: Attributes) -> None:
        """Refuses the decision of another user."""
        if _is_update_of(attributes, "approval"):
            self._check(attributes, "approve")


class CertificateSigning(SignerPlugin):
    """Lets only users set certificates and conditions that may `sign` for the signer."""

    name = "CertificateSigning"

    def validate(self, attributes: Attributes) -> None:
        """Refuses the certificate of another user."""
        if _is_update_of(attributes, "status") and _signed(attributes.old or {}) != _signed(attributes.document):
            self._check(attributes, "sign")


class CertificateSubjectRestriction(Plugin):
    """Refuses client certificates for system:masters."""

    name = "CertificateSubjectRestriction"

    def validate(self, attributes: Attributes) -> None:
        """Refuses a request for this group."""
        if not attributes.is_write_of(CERTIFICATE_SIGNING_REQUEST, "CREATE"):
            return
        spec = attributes.document["spec"]
        if spec.get("signerName") == _API_CLIENT and _MASTERS in _groups(spec["request"]):
            raise attributes.refused(f"use of {_API_CLIENT} signer with system:masters group is not allowed")


def _is_update_of(attributes: Attributes, subresource: str) -> bool:
    is_update = attributes.operation == "UPDATE" and attributes.subresource == subresource
    return is_update and attributes.kind.group_kind == CERTIFICATE_SIGNING_REQUEST


def _signed(request: Document) -> tuple[object, object]:
    status = request.get("status") or {}
    return status.get("certificate") or "", status.get("conditions") or []


def _groups(request: str) -> list[str]:
    from cryptography import x509  # slow to import, and few clusters have such requests
    from cryptography.x509.oid import NameOID

    subject = x509.load_pem_x509_csr(base64.b64decode(request)).subject
    return [str(each.value) for each in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
