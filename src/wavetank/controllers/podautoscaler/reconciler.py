from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.podautoscaler.autoscaler import Autoscaler
from wavetank.controllers.podautoscaler.configuration import Configuration
from wavetank.controllers.podautoscaler.metrics import MetricEvaluation
from wavetank.controllers.podautoscaler.podgroups import Grouping
from wavetank.controllers.podautoscaler.podstates import PodStates
from wavetank.controllers.podautoscaler.replicacalculator import ReplicaCalculator
from wavetank.controllers.podautoscaler.selections import Selections
from wavetank.controllers.podautoscaler.sync import History, Sync, SyncContext, SyncOutcome


class Reconciler:
    """Runs the syncs of autoscalers and keeps the history that the next sync needs.

    `done` is called with the outcome when a sync is over, which is at once unless a write met a conflict.
    """

    def __init__(
        self,
        context: ControllerContext,
        configuration: Configuration,
        done: Callable[[SyncOutcome], None],
    ) -> None:
        self._store = context.store
        self._done = done
        self._histories: dict[Key, History] = {}
        self._parsed: dict[Key, tuple[Any, Autoscaler]] = {}
        self._selections = Selections(context.store)
        states = PodStates(context, self._selections)
        calculator = ReplicaCalculator(states, Grouping(states, configuration))
        evaluation = MetricEvaluation(context.metrics, calculator)
        self._context = SyncContext(context, configuration, self._selections, evaluation)

    def sync(self, key: Key) -> None:
        """Has one sync of an autoscaler; all that is known of one that is gone is forgotten."""
        hpa = self._store.find(HORIZONTAL_POD_AUTOSCALER, *key)
        if hpa is None:
            self._histories.pop(key, None)
            self._parsed.pop(key, None)
            return
        history = self._histories.setdefault(key, History())
        Sync(self._context, hpa, self._parse(hpa), history, self._done).run()

    def deselect(self, key: Key) -> None:
        """Forgets which pods an autoscaler selects, as soon as it is deleted."""
        self._selections.forget(key)

    def _parse(self, hpa: Resource) -> Autoscaler:
        spec, known = hpa.manifest.get("spec"), self._parsed.get(hpa.key)
        if known is None or (known[0] is not spec and known[0] != spec):
            known = self._parsed[hpa.key] = (spec, Autoscaler.parse(hpa.manifest))
        return known[1]
