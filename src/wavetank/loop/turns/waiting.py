from __future__ import annotations

from collections.abc import Collection, Iterator

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store


class WaitingPods:
    """The pods that wait for a node and that one program is responsible for, in the order of their arrival.

    `changed` counts all writes of pods, its own or not: as long as it stands still nothing is going on.
    """

    def __init__(self, store: Store, scheduler_names: Collection[str]) -> None:
        self.scheduler_names = frozenset(scheduler_names)
        self.changed = 0
        self._pods: dict[str, Pod] = {}
        store.subscribe(POD, self)
        for pod in store.list(POD):
            self.added(pod)

    def takes(self, pod: Pod) -> bool:
        """Tells whether a pod is the program's business."""
        return pod.scheduler_name in self.scheduler_names

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[Pod]:
        return iter(list(self._pods.values()))

    # what the store tells

    def added(self, new: Pod) -> None:
        """Takes in a pod that waits."""
        self.changed += 1
        if self.takes(new) and not (new.node_name or new.finished or new.gates):
            self._pods[new.uid] = new
        else:
            self._pods.pop(new.uid, None)

    def modified(self, old: Pod, new: Pod) -> None:
        """Lets a pod go that waits no longer."""
        self.added(new)

    def deleted(self, old: Pod) -> None:
        """Forgets a pod."""
        self.changed += 1
        self._pods.pop(old.uid, None)
