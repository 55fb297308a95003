from __future__ import annotations

from wavetank.cluster.objects.groupkinds import POLICIES
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start(context: ControllerContext) -> None:
    from wavetank.controllers.admissionpolicies.status import PolicyStatuses

    PolicyStatuses(context)


ADMISSION_POLICY_STATUS_CONTROLLER = ControllerDescriptor(
    "validatingadmissionpolicy-status-controller",
    _start,
    (POLICIES,),
    aliases=("validatingadmissionpolicy-status",),
)
