from __future__ import annotations

from collections.abc import Collection

from wavetank.batchoperator.extender.extender import SlotExtender
from wavetank.batchoperator.reconcilers.batchjob.reconciler import BatchJobReconciler
from wavetank.batchoperator.reconcilers.context import PRIORITIES, OperatorContext
from wavetank.batchoperator.reconcilers.pods import TestbedPods
from wavetank.batchoperator.reconcilers.scheduling.reconciler import SchedulingReconciler
from wavetank.batchoperator.reconcilers.testbed.reconciler import TestbedReconciler
from wavetank.batchoperator.resources.definitions import definitions
from wavetank.batchoperator.resources.groups import GROUPS, ApiGroup
from wavetank.cluster.store.errors import AlreadyExistsError


class BatchOperator:
    """The whole operator: the reconcilers of each API group, and the extender for the scheduler.

    It acts when objects change and when its clock runs; it holds nothing that is not in the cluster.
    """

    def __init__(self, context: OperatorContext, groups: Collection[ApiGroup] = GROUPS) -> None:
        self.extender = SlotExtender(context, groups)
        self.pods = TestbedPods(context.client)
        for group in groups:
            TestbedReconciler(context, group, self.pods)
            BatchJobReconciler(context, group, self.pods)
            SchedulingReconciler(context, group)


def required_objects() -> list[dict[str, object]]:
    """Returns what a cluster must have before the operator runs: definitions and priority classes."""
    classes: list[dict[str, object]] = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": "Of the batch operator's ghost pods." if value == 100 else "Of pods that go into slots.",
        }
        for name, value in PRIORITIES.items()
    ]
    return [*definitions(), *classes]


def install(context: OperatorContext) -> None:
    """Creates what the operator needs and is not there yet."""
    for document in required_objects():
        try:
            context.client.create(document)
        except AlreadyExistsError:
            continue
