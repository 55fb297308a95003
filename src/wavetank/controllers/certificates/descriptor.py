from __future__ import annotations

from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_approver(context: ControllerContext) -> None:
    from wavetank.controllers.certificates.approver import CertificateApprover

    if context.certificates is not None:
        CertificateApprover(context, context.certificates)


def _start_signer(context: ControllerContext) -> None:
    from wavetank.controllers.certificates.signer import CertificateSigningController

    if context.certificates is not None:
        CertificateSigningController(context, context.certificates)


def _start_cleaner(context: ControllerContext) -> None:
    from wavetank.controllers.certificates.cleaner import CertificateCleaner

    CertificateCleaner(context)


CERTIFICATE_APPROVER = ControllerDescriptor(
    "certificatesigningrequest-approving-controller",
    _start_approver,
    kinds=(CERTIFICATE_SIGNING_REQUEST,),
    aliases=("csrapproving",),
)
CERTIFICATE_SIGNER = ControllerDescriptor(
    "certificatesigningrequest-signing-controller",
    _start_signer,
    kinds=(CERTIFICATE_SIGNING_REQUEST,),
    aliases=("csrsigning",),
)
CERTIFICATE_CLEANER = ControllerDescriptor(
    "certificatesigningrequest-cleaner-controller",
    _start_cleaner,
    kinds=(CERTIFICATE_SIGNING_REQUEST,),
    aliases=("csrcleaner",),
)
