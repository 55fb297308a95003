from __future__ import annotations

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_disruption_budgets(context: ControllerContext) -> None:
    from wavetank.controllers.disruption.disruption import DisruptionBudgets

    DisruptionBudgets(context)


DISRUPTION_CONTROLLER = ControllerDescriptor(
    "disruption-controller", _start_disruption_budgets, kinds=(POD_DISRUPTION_BUDGET,), aliases=("disruption",)
)
