from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from wavetank.apiserver.codec.sizes import is_large
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.write import Write
from wavetank.apiserver.waiting import HEAVIEST, in_slices, run_beside
from wavetank.cluster.objects.resource import Resource

T = TypeVar("T")

_MOST = 4096  # that are known
_MOST_SMALL = 20_000


class LargeObjects:
    """The objects that are large or whose last write took long: a small patch of one is a heavy request.

    Those whose writes took long are known by their uids. Of others it is noted which version is small: they are listed
    again and again.
    """

    def __init__(self) -> None:
        self._uids: dict[str, None] = {}
        self._small: dict[str, int] = {}

    def __contains__(self, resource: Resource) -> bool:
        if resource.uid in self._uids:
            return True
        if self._small.get(resource.uid) == resource.resource_version:
            return False
        if is_large(resource.manifest):
            return True
        if len(self._small) >= _MOST_SMALL:
            self._small.clear()
        self._small[resource.uid] = resource.resource_version
        return False

    def weigh(self, write: Write, old: Resource | None) -> None:
        """Makes a client's write of a large object a heavy one."""
        if old is not None and write.request.body and old in self:  # not of actors in this process
            write.weight = HEAVIEST

    def answer_weight(self, document: Document, request: Request) -> int:
        """Returns about how many bytes the answer to a write has, by what was written and by the object."""
        uid = document.get("metadata", {}).get("uid")
        large = uid in self._uids if uid else is_large(document)  # a review has no uid
        return HEAVIEST if large else len(request.body)

    def beside(self, kind: Kind, resource: Resource, function: Callable[[], T]) -> T:
        """Runs a function that only reads an object; of a large one beside the loop, if no webhook converts it."""
        converts = kind.custom is not None and kind.custom.converter is not None
        return run_beside(function, HEAVIEST) if resource in self and not converts else function()

    def each(
        self,
        kind: Kind,
        resources: Iterable[Resource],
        show: Callable[[Kind, Resource], T],
        is_cached: Callable[[Kind, Resource], bool],
    ) -> Iterator[T]:
        """Yields what a function shows of each object; the event loop goes on meanwhile, if the caller may wait.

        What is cached does not wait for a thread.
        """
        for resource in in_slices(resources):
            if is_cached(kind, resource):
                yield show(kind, resource)
            else:
                yield self.beside(kind, resource, partial(show, kind, resource))

    def note(self, uid: str, large: bool) -> None:
        """Notes whether the last write of an object was a heavy one."""
        if large:
            if len(self._uids) >= _MOST:
                del self._uids[next(iter(self._uids))]
            self._uids[uid] = None
        else:
            self._uids.pop(uid, None)
