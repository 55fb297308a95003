from __future__ import annotations

from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_namespaces(context: ControllerContext) -> None:
    from wavetank.controllers.namespaces.namespaces import Namespaces

    Namespaces(context)


NAMESPACE_CONTROLLER = ControllerDescriptor(
    "namespace-controller", _start_namespaces, aliases=("namespace",), served_from_start=True
)
