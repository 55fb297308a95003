from __future__ import annotations

from wavetank.cluster.objects.groupkinds import DEPLOYMENT
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_deployments(context: ControllerContext) -> None:
    from wavetank.controllers.deployments.deployments import Deployments

    Deployments(context)


DEPLOYMENT_CONTROLLER = ControllerDescriptor(
    "deployment-controller", _start_deployments, kinds=(DEPLOYMENT,), aliases=("deployment",)
)
