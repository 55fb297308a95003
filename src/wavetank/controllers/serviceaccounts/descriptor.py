from __future__ import annotations

from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_service_accounts(context: ControllerContext) -> None:
    from wavetank.controllers.serviceaccounts.serviceaccounts import ServiceAccounts

    ServiceAccounts(context)


def _start_root_certificates(context: ControllerContext) -> None:
    from wavetank.controllers.serviceaccounts.rootcertificates import RootCertificates

    RootCertificates(context)


SERVICE_ACCOUNT_CONTROLLER = ControllerDescriptor(
    "serviceaccount-controller", _start_service_accounts, aliases=("serviceaccount",), served_from_start=True
)
ROOT_CA_CERTIFICATE_PUBLISHER = ControllerDescriptor(
    "root-ca-certificate-publisher-controller",
    _start_root_certificates,
    aliases=("root-ca-cert-publisher",),
    served_from_start=True,
)
