from __future__ import annotations

from wavetank.cluster.objects.groupkinds import SCALING_MODEL
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_scaling_models(context: ControllerContext) -> None:
    from wavetank.controllers.scalingmodels.controller import ScalingModels

    ScalingModels(context)


SCALING_MODEL_CONTROLLER = ControllerDescriptor(
    "scaling-model-controller", _start_scaling_models, kinds=(SCALING_MODEL,)
)
