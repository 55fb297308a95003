from __future__ import annotations

from wavetank.cluster.objects.groupkinds import RESOURCE_SLICE
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_resource_claims(context: ControllerContext) -> None:
    from wavetank.controllers.resourceclaims.resourceclaims import ResourceClaims

    ResourceClaims(context.store)


RESOURCE_CLAIM_CONTROLLER = ControllerDescriptor(
    "resourceclaim-controller", _start_resource_claims, kinds=(RESOURCE_SLICE,), aliases=("resource-claim-controller",)
)
