from __future__ import annotations

from collections.abc import Iterator, Mapping

from wavetank.cluster.objects.pod import Pod


class PodList(Mapping[str, Pod]):
    """The pods on a node by uid, in the order in which kube-scheduler holds them, which decides between equals.

    The last pod takes the place of one that is removed, and a pod that changes is removed and added again.
    """

    __slots__ = ("_places", "_pods")

    def __init__(self) -> None:
        self._pods: list[Pod] = []
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[str]:
        return (pod.uid for pod in self._pods)

    def __getitem__(self, uid: str) -> Pod:
        return self._pods[self._places[uid]]

    def __contains__(self, uid: object) -> bool:
        return uid in self._places

    def all(self) -> list[Pod]:
        """Returns the pods in a list of its own; faster than `values`."""
        return self._pods.copy()

    def add(self, pod: Pod) -> None:
        """Adds a pod at the end."""
        self._places[pod.uid] = len(self._pods)
        self._pods.append(pod)

    def remove(self, uid: str) -> None:
        """Removes a pod; the last one takes its place."""
        place = self._places.pop(uid)
        last = self._pods.pop()
        if place < len(self._pods):
            self._pods[place] = last
            self._places[last.uid] = place

    def place_of(self, uid: str) -> int:
        """Returns the place of a pod, for `move_last`."""
        return self._places[uid]

    def move_last(self, place: int) -> None:
        """Moves the last pod to a place and the one there to the end: so a pod that was removed and added is back."""
        pods, places = self._pods, self._places
        pods[place], pods[-1] = pods[-1], pods[place]
        places[pods[-1].uid], places[pods[place].uid] = len(pods) - 1, place

    def renew(self, pod: Pod) -> None:
        """Removes a pod and adds its new version."""
        pods, places, uid = self._pods, self._places, pod.uid
        place, end = places[uid], len(pods) - 1
        if place < end:
            last = pods[place] = pods[end]
            places[last.uid] = place
            places[uid] = end
        pods[end] = pod

    def copy(self) -> PodList:
        """Returns a list that can be changed without changing this one."""
        new = PodList()
        new._pods, new._places = self._pods.copy(), self._places.copy()
        return new
