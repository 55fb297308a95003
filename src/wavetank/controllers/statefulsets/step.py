from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from wavetank.cluster.objects.pod import PENDING, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import NotFoundError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.revisions.patches import template_of
from wavetank.controllers.statefulsets import spec as sets
from wavetank.controllers.statefulsets.control import MemberControl
from wavetank.controllers.statefulsets.members import POD_NAME, Member, member_document
from wavetank.controllers.workloads.batches import in_batches

_COUNTS = ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")


class Step:
    """One sync of a StatefulSet: its members, and the next step towards its spec.

    `current` and `update` are the revisions that its pods have and should have.
    """

    def __init__(
        self,
        context: ControllerContext,
        control: MemberControl,
        owner: Resource,
        pods: Sequence[Pod],
        current: Resource,
        update: Resource,
    ) -> None:
        self._context = context
        self._control = control
        self._owner = owner
        self._current = current
        self._update = update
        self._now = context.clock.now
        self._ordered = sets.is_ordered(owner)
        self._min_ready = sets.min_ready(owner)
        self._wanted = range(first := sets.first_ordinal(owner), first + sets.wanted(owner))
        numbered = {sets.ordinal_of(pod): pod for pod in pods}
        self._places = self._members(numbered)
        surplus = [(number, pod) for number, pod in numbered.items() if number >= 0 and number not in self._wanted]
        self._surplus = [Member.present(number, pod) for number, pod in sorted(surplus, reverse=True)]
        missing = (member for member in (*self._places, *reversed(self._surplus)) if self._is_unavailable(member))
        self._first_unavailable = next(missing, None)
        self.counts = self._count()

    def take(self) -> None:
        """Takes the step; ApiError if it is refused. Afterwards `counts` are those of the status."""
        if self._owner.deleted is not None or self._for_all(self._places, self._ensure):
            return
        if self._for_all(self._surplus, self._settle_claims) or self._for_all(self._surplus, self._delete_surplus):
            return
        if sets.is_rolling(self._owner):
            self._delete_outdated()

    @property
    def is_settled(self) -> bool:
        """Tells whether all pods exist with the right template, and no others."""
        members = [member.pod for member in self._places if member.revision == self._update.name]
        alive = all(pod is not None and pod.deleted is None for pod in members)
        return alive and len(members) == len(self._wanted) and not self._surplus

    def _members(self, pods: dict[int, Pod]) -> list[Member]:
        """Returns a member for each pod that exists or should; in order, for only one that does not exist."""
        places: list[Member] = []
        missing = 0
        for ordinal in self._wanted:
            if ordinal in pods:
                places.append(Member.present(ordinal, pods[ordinal]))
            elif not missing or not self._ordered:
                places.append(self._missing(ordinal))
                missing += 1
        return places

    def _missing(self, ordinal: int) -> Member:
        """Returns the member of a missing pod: below the partition it gets the current template."""
        keeps = ordinal < self._wanted.start + sets.partition(self._owner)
        revision = self._current if keeps else self._update

        def make() -> dict[str, Any]:
            return member_document(self._owner, template_of(revision), revision.name, ordinal)

        return Member(ordinal, None, f"{self._owner.name}-{ordinal}", revision.name, make)

    def _for_all(self, members: Sequence[Member], treat: Callable[[Member], bool]) -> bool:
        """Processes members one after the other; in order, stops at the first that needs time and returns True."""
        if self._ordered:
            return any(treat(member) for member in members)
        in_batches(members, treat)
        return False

    # members

    def _ensure(self, member: Member) -> bool:
        """Creates a pod or checks that it is healthy; returns whether the others have to wait for it."""
        pod, owner = member.pod, self._owner
        if pod is None:
            if not self._control.claims.are_stale(owner, member):
                self._control.create(owner, member)
            return True
        if pod.finished:
            if pod.deleted is None:
                self._control.delete(owner, member)
            return True
        if pod.phase == PENDING:
            self._control.complete(owner, member)
        if self._ordered and self._is_unavailable(member):
            return True
        if pod.labels.get(POD_NAME) != pod.name or not self._control.claims.have_right_owners(owner, member):
            self._control.correct(owner, member)
        return False

    def _settle_claims(self, member: Member) -> bool:
        self._control.claims.set_owners(self._owner, member)
        return False

    def _delete_surplus(self, member: Member) -> bool:
        """Deletes a surplus pod; in order, only if the others are healthy."""
        assert member.pod is not None
        if member.pod.deleted is not None:
            return True
        if self._ordered and self._is_unavailable(member) and member is not self._first_unavailable:
            return True
        self._control.delete(self._owner, member)
        return True

    def _delete_outdated(self) -> None:
        """Deletes the last pod of an old template, once all after it are healthy."""
        for member in reversed(self._places[sets.partition(self._owner) :]):
            if member.revision != self._update.name and member.pod is not None and member.pod.deleted is None:
                with suppress(NotFoundError):  # it is deleted already
                    self._control.delete(self._owner, member)
                self.counts["currentReplicas"] -= 1
                return
            if self._is_unavailable(member):
                return

    # health

    def _is_unavailable(self, member: Member) -> bool:
        return member.pod is None or member.pod.deleted is not None or not self._is_available(member.pod)

    def _is_available(self, pod: Pod) -> bool:
        since = self._context.ready_since(pod)
        return since is not None and since + self._min_ready <= self._now

    def _count(self) -> dict[str, int]:
        counts = dict.fromkeys(_COUNTS, 0)
        for member in (*self._places, *self._surplus):
            if member.pod is None:
                continue
            counts["replicas"] += 1
            counts["readyReplicas"] += self._context.ready_since(member.pod) is not None
            counts["availableReplicas"] += self._is_available(member.pod)
            if member.pod.deleted is None:
                counts["currentReplicas"] += member.revision == self._current.name
                counts["updatedReplicas"] += member.revision == self._update.name
        return counts
