from __future__ import annotations

from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_endpoint_objects(context: ControllerContext) -> None:
    from wavetank.controllers.endpoints.endpoints import EndpointObjects

    EndpointObjects(context)


def _start_endpoint_slices(context: ControllerContext) -> None:
    from wavetank.controllers.endpoints.slices import EndpointSlices

    EndpointSlices(context)


def _start_mirrored_slices(context: ControllerContext) -> None:
    from wavetank.controllers.endpoints.mirroring import MirroredSlices

    MirroredSlices(context)


ENDPOINTS_CONTROLLER = ControllerDescriptor(
    "endpoints-controller", _start_endpoint_objects, aliases=("endpoint",), served_from_start=True
)
ENDPOINT_SLICE_CONTROLLER = ControllerDescriptor(
    "endpointslice-controller", _start_endpoint_slices, aliases=("endpointslice",), served_from_start=True
)
ENDPOINT_SLICE_MIRRORING_CONTROLLER = ControllerDescriptor(
    "endpointslice-mirroring-controller",
    _start_mirrored_slices,
    aliases=("endpointslicemirroring",),
    served_from_start=True,
)
