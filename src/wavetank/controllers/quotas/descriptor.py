from __future__ import annotations

from wavetank.cluster.objects.groupkinds import RESOURCE_QUOTA
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_quotas(context: ControllerContext) -> None:
    from wavetank.controllers.quotas.quotas import Quotas

    Quotas(context)


RESOURCE_QUOTA_CONTROLLER = ControllerDescriptor(
    "resourcequota-controller", _start_quotas, kinds=(RESOURCE_QUOTA,), aliases=("resourcequota",)
)
