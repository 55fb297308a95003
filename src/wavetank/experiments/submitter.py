from __future__ import annotations

from collections.abc import Callable, Iterator

from wavetank.cluster.pod import Pod
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.errors import InputError
from wavetank.workloads.workload import Arrival, Planting


class Submitter:
    """Creates the workload's pods and objects at their times, holding no more than one of them in advance.

    `complete` is called with each pod before it is created; what it refuses is wrong with the workload.
    """

    def __init__(self, store: Store, arrivals: Iterator[Arrival | Planting], complete: Callable[[Pod], None]) -> None:
        self._store = store
        self._clock = store.clock
        self._arrivals = arrivals
        self._complete = complete
        self._next: Arrival | Planting | None = None
        self._plan()

    @property
    def is_done(self) -> bool:
        """Tells whether all has been submitted."""
        return self._next is None

    def _plan(self) -> None:
        self._next = next(self._arrivals, None)
        if self._next is not None:
            self._clock.at(self._next.time, self._submit)

    def _submit(self) -> None:
        while self._next is not None and self._next.time == self._clock.now:
            resource = self._next[1]
            if isinstance(resource, Pod):
                check_pod(resource, self._complete)
            self._store.create(resource)
            self._next = next(self._arrivals, None)
        if self._next is not None:
            self._clock.at(self._next.time, self._submit)


def check_pod(pod: Pod, complete: Callable[[Pod], None]) -> None:
    """Completes a pod before it is created; what is refused is an InputError that names it."""
    try:
        complete(pod)
    except ApiError as error:
        raise InputError(str(error), path=f"pod {pod.namespace}/{pod.name}") from None
