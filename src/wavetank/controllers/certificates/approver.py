from __future__ import annotations

from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.certificates.requests import (
    APPROVED,
    DENIED,
    KUBELET_CLIENT,
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
from wavetank.kernel.durations import SECOND

FIRST_RETRY = SECOND // 5


class CertificateApprover:
    """The certificatesigningrequest-approving-controller: approves the client certificates of kubelets.

    It does so if the user that asks may create the subresource nodeclient of requests, or selfnodeclient for a
    certificate in its own name; if not it tries again later, since roles may change.
    """

    def __init__(self, context: ControllerContext, certificates: Certificates) -> None:
        self._context = context
        self._certificates = certificates
        self._queue = context.queue(self._handle, first=FIRST_RETRY)
        context.store.subscribe(CERTIFICATE_SIGNING_REQUEST, added=self._seen, modified=lambda _, new: self._seen(new))
        for request in context.store.list(CERTIFICATE_SIGNING_REQUEST):
            self._seen(request)

    def _seen(self, request: Resource) -> None:
        self._queue.add(request.key)

    def _handle(self, key: Key) -> None:
        found = self._context.store.find(CERTIFICATE_SIGNING_REQUEST, *key)
        if found is None or _is_decided(found) or spec_of(found).get("signerName") != KUBELET_CLIENT:
            return
        request = SigningRequest.parse(found)
        if problem_of(request, KUBELET_CLIENT):
            return
        message = self._permission(found, request)
        if not message:
            raise ApiError(f"{found.name} is not approved: its user may not create nodeclient certificates")
        approval = {"type": APPROVED, "status": "True", "reason": "AutoApproved", "message": message}
        self._certificates.client.update_approval(found, [*conditions_of(found), approval])

    def _permission(self, found: Resource, request: SigningRequest) -> str:
        """Returns the message with which a request is approved; empty if its user has no permission."""
        spec, may_request = spec_of(found), self._certificates.may_request
        if spec.get("username") == request.common_name and may_request(spec, "selfnodeclient"):
            return "Auto approving self kubelet client certificate after SubjectAccessReview."
        if may_request(spec, "nodeclient"):
            return "Auto approving kubelet client certificate after SubjectAccessReview."
        return ""


def _is_decided(request: Resource) -> bool:
    is_issued = bool(status_of(request).get("certificate"))
    return is_issued or has_condition(request, APPROVED) or has_condition(request, DENIED)
