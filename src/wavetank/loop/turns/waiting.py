from __future__ import annotations

from collections.abc import Collection, Iterator

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store


class WaitingPods:
    """The pending pods that one program is responsible for, in order of arrival.

    `changed` counts all writes of pods, its own or not: while it does not change nothing happens.
    """

    def __init__(self, store: Store, scheduler_names: Collection[str]) -> None:
        self.scheduler_names = frozenset(scheduler_names)
        self.changed = 0
        self._pods: dict[str, Pod] = {}
        store.subscribe(POD, self)
        for pod in store.list(POD):
            self.added(pod)

    def takes(self, pod: Pod) -> bool:
        """Tells whether the program is responsible for a pod."""
        return pod.scheduler_name in self.scheduler_names

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[Pod]:
        return iter(list(self._pods.values()))

    # events

    def added(self, new: Pod) -> None:
        """Adds a pending pod."""
        self.changed += 1
        if self.takes(new) and not (new.node_name or new.finished or new.gates):
            self._pods[new.uid] = new
        else:
            self._pods.pop(new.uid, None)

    def modified(self, old: Pod, new: Pod) -> None:
        """Removes a pod that is no longer pending."""
        self.added(new)

    def deleted(self, old: Pod) -> None:
        """Removes a pod."""
        self.changed += 1
        self._pods.pop(old.uid, None)
