from __future__ import annotations

from wavetank.cluster.objects.groupkinds import RESOURCE_QUOTA
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_resource_quotas(context: ControllerContext) -> None:
    from wavetank.controllers.resourcequotas.resourcequotas import ResourceQuotas

    ResourceQuotas(context)


RESOURCE_QUOTA_CONTROLLER = ControllerDescriptor(
    "resourcequota-controller", _start_resource_quotas, kinds=(RESOURCE_QUOTA,), aliases=("resourcequota",)
)
