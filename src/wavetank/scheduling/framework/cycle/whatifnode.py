from __future__ import annotations

from types import TracebackType
from typing import Self

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class WhatIfNode:
    """A node with pods added or removed for trial: at the end of the `with` block all is as before."""

    def __init__(self, table: NodeTable, slot: int) -> None:
        self._table = table
        self._slot = slot
        self._pods = table.pods[slot]
        self._changes: list[tuple[Pod, int]] = []

    def __enter__(self) -> Self:
        self._table.index.use()
        self._table.pods[self._slot] = self._pods.copy()
        return self

    def add(self, pod: Pod) -> None:
        """Adds a pod to the node."""
        self._table.pods[self._slot].add(pod)
        self._change(pod, 1)

    def remove(self, pod: Pod) -> None:
        """Removes a pod from the node."""
        self._table.pods[self._slot].remove(pod.uid)
        self._change(pod, -1)

    def _change(self, pod: Pod, sign: int) -> None:
        if pod.deleted is not None:
            # PodTopologySpread does not count terminating pods, and yet counts their removal like any other's
            pod = pod.copy()
            pod.deleted = None
        self._table.count(pod, self._slot, sign)
        self._changes.append((pod, sign))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for pod, sign in reversed(self._changes):
            self._table.count(pod, self._slot, -sign)
        self._table.pods[self._slot] = self._pods
