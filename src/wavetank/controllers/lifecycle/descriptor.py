from __future__ import annotations

from wavetank.cluster.objects.groupkinds import CRON_JOB, DAEMON_SET, JOB, REPLICA_SET, STATEFUL_SET, VOLCANO_JOB
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_namespaces(context: ControllerContext) -> None:
    from wavetank.controllers.lifecycle.namespaces import Namespaces

    Namespaces(context)


def _start_service_accounts(context: ControllerContext) -> None:
    from wavetank.controllers.lifecycle.residents import ServiceAccounts

    ServiceAccounts(context)


def _start_root_certificates(context: ControllerContext) -> None:
    from wavetank.controllers.lifecycle.residents import RootCertificates

    RootCertificates(context)


def _start_garbage_collector(context: ControllerContext) -> None:
    from wavetank.controllers.lifecycle.garbage import GarbageCollector

    GarbageCollector(context)


NAMESPACE_CONTROLLER = ControllerDescriptor(
    "namespace-controller", _start_namespaces, aliases=("namespace",), served_from_start=True
)
SERVICE_ACCOUNT_CONTROLLER = ControllerDescriptor(
    "serviceaccount-controller", _start_service_accounts, aliases=("serviceaccount",), served_from_start=True
)
ROOT_CA_CERTIFICATE_PUBLISHER = ControllerDescriptor(
    "root-ca-certificate-publisher-controller",
    _start_root_certificates,
    aliases=("root-ca-cert-publisher",),
    served_from_start=True,
)
GARBAGE_COLLECTOR = ControllerDescriptor(
    "garbage-collector-controller",
    _start_garbage_collector,
    kinds=(
        REPLICA_SET,
        STATEFUL_SET,
        DAEMON_SET,
        JOB,
        CRON_JOB,
        VOLCANO_JOB,
    ),
    aliases=("garbagecollector",),
    served_from_start=True,
)
