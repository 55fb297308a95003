from __future__ import annotations

from wavetank.cluster.objects.groupkinds import ADMISSION_CHECK, CLUSTER_QUEUE
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_kueue(context: ControllerContext) -> None:
    from wavetank.controllers.kueue.kueue import Kueue

    Kueue(context)


def _start_checks(context: ControllerContext) -> None:
    from wavetank.controllers.kueue.checks import SimulatedChecks

    SimulatedChecks(context)


KUEUE = ControllerDescriptor("kueue", _start_kueue, kinds=(CLUSTER_QUEUE,))
SIMULATED_CHECKS = ControllerDescriptor("simulated-checks", _start_checks, kinds=(ADMISSION_CHECK,))
