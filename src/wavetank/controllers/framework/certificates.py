"""What the controllers of CertificateSigningRequests work with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Client


class CertificateSigner(Protocol):
    """The certificate authority of a cluster."""

    @property
    def certificate(self) -> bytes:
        """Returns its own certificate in PEM, which clients trust."""

    @property
    def not_after(self) -> datetime:
        """Returns when its own certificate expires."""

    def sign(self, request: bytes, usages: Sequence[str], begin: datetime, end: datetime) -> bytes:
        """Returns the certificate in PEM for a request in DER, with usages by their names in the API."""


class CertificateClient(Client, Protocol):
    """A client that also decides about CertificateSigningRequests."""

    def update_approval(self, old: Resource, conditions: Sequence[Mapping[str, Any]]) -> Resource:
        """Replaces the conditions of a request, last seen as `old`; decisions can only be added."""


class Certificates(Protocol):
    """What signs certificates, and the client with which their requests are approved, signed and cleaned up."""

    @property
    def signer(self) -> CertificateSigner:
        """Returns the certificate authority."""

    @property
    def client(self) -> CertificateClient:
        """Returns the client of the controllers of certificates."""

    def may_request(self, spec: Mapping[str, Any], subresource: str) -> bool:
        """Tells whether the user that a request's spec names may create this subresource of requests."""
