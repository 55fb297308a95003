from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.plugin import PluginError, PreBindPlugin

_PERIOD = SECOND  # of polling; the first poll comes after the first period


class PreBinding:
    """Runs the PreBind plugins of a pod, one after the other, concurrently with the scheduling loop.

    In the end either `ready` is called, or `failed` with the message of the error.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        cycle: Cycle,
        node_name: str,
        plugins: Sequence[PreBindPlugin],
        ready: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._cycle = cycle
        self._node_name = node_name
        self._ready = ready
        self._failed = failed
        self._plugins = deque(plugins)

    def begin(self) -> None:
        """Runs the next plugin; after the last one the pod is ready."""
        if not self._plugins:
            self._ready()
            return
        plugin = self._plugins.popleft()
        if not plugin.waits:
            self._try(plugin, lambda: self._ask(plugin), None)
            return
        deadline = self._clock.now + plugin.timeout
        self._try(plugin, lambda: plugin.prepare(self._cycle, self._node_name, self._store), deadline)

    def _ask(self, plugin: PreBindPlugin) -> None:
        plugin.prepare(self._cycle, self._node_name, self._store)
        self.begin()

    def _look(self, plugin: PreBindPlugin, deadline: Nanoseconds) -> None:
        if plugin.is_prepared(self._cycle, self._node_name, self._store):
            self.begin()
        else:
            self._wait(plugin, deadline)

    def _wait(self, plugin: PreBindPlugin, deadline: Nanoseconds) -> None:
        if self._clock.now >= deadline:
            raise PluginError(f"{plugin.activity}: context deadline exceeded")
        due = min(self._clock.now + _PERIOD, deadline)
        self._clock.at(due, lambda: self._try(plugin, lambda: self._look(plugin, deadline), None))

    def _try(self, plugin: PreBindPlugin, step: Callable[[], None], deadline: Nanoseconds | None) -> None:
        try:
            step()
            if deadline is not None:
                self._wait(plugin, deadline)
        except (ApiError, PluginError) as error:
            self._failed(f'running PreBind plugin "{plugin.name}": {error}')
