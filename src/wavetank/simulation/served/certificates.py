from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.api import Api
from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.requests.request import User
from wavetank.controllers.framework.certificates import CertificateClient, CertificateSigner

_GROUP, _RESOURCE = "certificates.k8s.io", "certificatesigningrequests"
_ACCOUNTS = ("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated")
_CONTROLLER = User("system:serviceaccount:kube-system:certificate-controller", _ACCOUNTS)


@dataclass(frozen=True)
class ServedCertificates:
    """What the controllers of certificates of a served cluster work with."""

    signer: CertificateSigner
    api: Api

    @property
    def client(self) -> CertificateClient:
        """Returns a client of the certificate controller's service account."""
        return self.api.actor(_CONTROLLER)

    def may_request(self, spec: Mapping[str, Any], subresource: str) -> bool:
        """Asks the authorizer about the user that a request's spec names."""
        extra = tuple((key, tuple(values)) for key, values in (spec.get("extra") or {}).items())
        user = User(spec.get("username") or "", tuple(spec.get("groups") or ()), spec.get("uid") or "", extra)
        return self.api.allows(user, Attributes("create", _GROUP, f"{_RESOURCE}/{subresource}"))
