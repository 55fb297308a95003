from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.podautoscaler.configuration import Configuration
from wavetank.controllers.podautoscaler.reconciler import Reconciler
from wavetank.controllers.podautoscaler.sync import SyncOutcome


class HorizontalPodAutoscalers:
    """The horizontal-pod-autoscaler-controller: scales targets so that their metrics meet the autoscalers' targets.

    An autoscaler has its first sync one period after it was created, and each further one a period after the end of
    the last; nothing brings one forward. One that is deleted and made again before its turn keeps its turn and its
    recommendations. `observe` is called with the outcome of every sync.
    """

    def __init__(
        self,
        context: ControllerContext,
        observe: Callable[[SyncOutcome], None] | None = None,
    ) -> None:
        configuration = Configuration.from_flags(context.flags)
        self._period = configuration.sync_period
        self._observe = observe
        self._reconciler = Reconciler(context, configuration, self._done)
        self._queue = context.queue(self._reconciler.sync)
        context.store.subscribe(HORIZONTAL_POD_AUTOSCALER, self)
        for autoscaler in context.store.list(HORIZONTAL_POD_AUTOSCALER):
            self.added(autoscaler)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Plans the first sync of an autoscaler."""
        self._plan(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Plans a sync, unless one is planned already, as is usual."""
        self._plan(new.key)

    def deleted(self, old: Resource) -> None:
        """Forgets what an autoscaler selects; the rest goes if it is still missing at its turn."""
        self._reconciler.deselect(old.key)

    def _done(self, outcome: SyncOutcome) -> None:
        if self._observe is not None:
            self._observe(outcome)
        self._plan(outcome.key)

    def _plan(self, key: Key) -> None:
        self._queue.add_after(key, self._period, background=True)
