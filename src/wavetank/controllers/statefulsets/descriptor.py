from __future__ import annotations

from wavetank.cluster.objects.groupkinds import STATEFUL_SET
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_stateful_sets(context: ControllerContext) -> None:
    from wavetank.controllers.statefulsets.statefulsets import StatefulSets

    StatefulSets(context)


STATEFUL_SET_CONTROLLER = ControllerDescriptor(
    "statefulset-controller", _start_stateful_sets, kinds=(STATEFUL_SET,), aliases=("statefulset",)
)
