from __future__ import annotations

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_budgets(context: ControllerContext) -> None:
    from wavetank.controllers.budgets.budgets import Budgets

    Budgets(context)


DISRUPTION_CONTROLLER = ControllerDescriptor(
    "disruption-controller", _start_budgets, kinds=(POD_DISRUPTION_BUDGET,), aliases=("disruption",)
)
