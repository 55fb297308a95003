from __future__ import annotations

import base64
from datetime import datetime, timedelta

from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.certificates.approver import FIRST_RETRY
from wavetank.controllers.certificates.requests import (
    API_CLIENT,
    APPROVED,
    DENIED,
    FAILED,
    KUBELET_CLIENT,
    KUBELET_SERVING,
    SigningRequest,
    conditions_of,
    has_condition,
    problem_of,
    spec_of,
    status_of,
)
from wavetank.controllers.framework.certificates import Certificates
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

_SIGNERS = (API_CLIENT, KUBELET_CLIENT, KUBELET_SERVING)
_LONGEST = timedelta(days=365)  # of kube-controller-manager's --cluster-signing-duration
_SHORTEST = timedelta(minutes=10)
_BACKDATE = timedelta(minutes=5)  # for clocks of clients that are behind
_SHORT = timedelta(hours=8)  # the end of certificates that are shorter than that is not backdated


class CertificateSigningController:
    """The certificatesigningrequest-signing-controller: signs approved requests for Kubernetes' own signers.

    A request that its signer does not allow gets the condition Failed. Certificates are valid in simulated time.
    """

    def __init__(self, context: ControllerContext, certificates: Certificates) -> None:
        self._context = context
        self._signer = certificates.signer
        self._client = certificates.client
        self._queue = context.queue(self._handle, first=FIRST_RETRY)
        context.store.subscribe(CERTIFICATE_SIGNING_REQUEST, added=self._seen, modified=lambda _, new: self._seen(new))
        for request in context.store.list(CERTIFICATE_SIGNING_REQUEST):
            self._seen(request)

    def _seen(self, request: Resource) -> None:
        if spec_of(request).get("signerName") in _SIGNERS:
            self._queue.add(request.key)

    def _handle(self, key: Key) -> None:
        found = self._context.store.find(CERTIFICATE_SIGNING_REQUEST, *key)
        if found is None or not _is_to_be_signed(found):
            return
        request = SigningRequest.parse(found)
        problem = problem_of(request, spec_of(found)["signerName"])
        if problem:
            failure = {"type": FAILED, "status": "True", "reason": "SignerValidationFailure", "message": problem}
            failure["lastUpdateTime"] = render_time(self._context.clock.now)
            status = {**status_of(found), "conditions": [*conditions_of(found), failure]}
        else:
            status = {**status_of(found), "certificate": base64.b64encode(self._sign(found, request)).decode()}
        self._client.update_status(found, status)

    def _sign(self, found: Resource, request: SigningRequest) -> bytes:
        now = datetime.fromisoformat(render_time(self._context.clock.now))
        if now >= self._signer.not_after:
            raise ApiError(f"refusing to sign a certificate that expired in the past: {self._signer.not_after}")
        lasts = _duration(spec_of(found).get("expirationSeconds"))
        end = now + lasts if lasts < _SHORT else now + lasts - _BACKDATE
        usages = spec_of(found).get("usages") or ()
        return self._signer.sign(request.der, usages, now - _BACKDATE, min(end, self._signer.not_after))


def _is_to_be_signed(request: Resource) -> bool:
    is_open = not status_of(request).get("certificate") and not has_condition(request, FAILED)
    return is_open and has_condition(request, APPROVED) and not has_condition(request, DENIED)


def _duration(seconds: int | None) -> timedelta:
    """Returns how long a certificate is valid."""
    return _LONGEST if seconds is None else max(_SHORTEST, min(_LONGEST, timedelta(seconds=seconds)))
