from __future__ import annotations

from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_kueue(context: ControllerContext) -> None:
    from wavetank.controllers.kueue.kueue import Kueue

    Kueue(context)


KUEUE = ControllerDescriptor("kueue", _start_kueue, kinds=(CLUSTER_QUEUE,))
