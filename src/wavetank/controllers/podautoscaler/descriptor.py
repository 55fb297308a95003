from __future__ import annotations

from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_horizontal_pod_autoscalers(context: ControllerContext) -> None:
    from wavetank.controllers.podautoscaler.controller import HorizontalPodAutoscalers

    HorizontalPodAutoscalers(context)


HORIZONTAL_POD_AUTOSCALER_CONTROLLER = ControllerDescriptor(
    "horizontal-pod-autoscaler-controller",
    _start_horizontal_pod_autoscalers,
    kinds=(HORIZONTAL_POD_AUTOSCALER,),
    aliases=("horizontalpodautoscaling",),
)
