"""The queues as the plugin capacity sees them: side by side, or as a tree below the queue root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wavetank.scheduling.volcano.model.quantities import UNLIMITED, Quantities
from wavetank.scheduling.volcano.model.queue import ROOT, QueueInfo
from wavetank.scheduling.volcano.plugins.queueshares import QueueShare
from wavetank.scheduling.volcano.session.session import Session

_UNLIMITED_COUNT = float(2**63 - 1)


class CapacityShare(QueueShare):
    """A queue with the names of those above it, from the root down."""

    def __init__(self, queue: QueueInfo) -> None:
        super().__init__(queue)
        self.deserved = queue.deserved.clone()
        self.ancestors: list[str] = []
        self.children: list[CapacityShare] = []

    def update(self) -> None:
        """Finds the share anew; a queue that deserves nothing has all it deserves."""
        self.share = 1.0 if self.deserved.is_empty() else self.largest_share()


class QueueTree:
    """All queues and their hierarchy; if it is not valid, nothing is scheduled."""

    def __init__(self, shares: dict[str, CapacityShare], is_valid: bool = True) -> None:
        self.shares = shares
        self.is_valid = is_valid

    def is_leaf(self, name: str) -> bool:
        """Returns whether a queue has none below it: only such a queue has jobs."""
        return not self.shares[name].children

    def path_to_root(self, name: str) -> Iterator[CapacityShare]:
        """Yields a queue and all above it, upwards."""
        share = self.shares[name]
        yield share
        for above in reversed(share.ancestors):
            yield self.shares[above]

    def above(self, name: str, levels: int) -> Sequence[str]:
        """Returns the nearest queues above one, at most so many."""
        return self.shares[name].ancestors[::-1][:levels]

    def compare(self, left: QueueInfo, right: QueueInfo) -> int:
        """Orders by priority, leaves first, then by the shares below the common ancestor."""
        if left.queue.priority != right.queue.priority:
            return right.queue.priority - left.queue.priority
        of_left, of_right = self.shares[left.name], self.shares[right.name]
        if bool(of_left.children) != bool(of_right.children):
            return 1 if of_left.children else -1
        if not of_left.children:
            level = _level(of_left, of_right) + 1
            of_left, of_right = self._at(of_left, level), self._at(of_right, level)
        return _compare_shares(of_left, of_right)

    def _at(self, share: CapacityShare, level: int) -> CapacityShare:
        return self.shares[share.ancestors[level]] if level < len(share.ancestors) else share

    def nearer_first(self, left: QueueInfo, right: QueueInfo, preemptor: QueueInfo) -> int:
        """Takes victims first from queues that share more ancestors with the preemptor's."""
        taker = self.shares[preemptor.name]
        return _level(self.shares[right.name], taker) - _level(self.shares[left.name], taker)


def _level(left: CapacityShare, right: CapacityShare) -> int:
    """Returns the depth of the last queue that is above both."""
    level = 0
    for i, (above_left, above_right) in enumerate(zip(left.ancestors, right.ancestors, strict=False)):
        if above_left != above_right:
            break
        level = i
    return level


def _compare_shares(left: CapacityShare, right: CapacityShare) -> int:
    if left.share == right.share:  # then one that deserves something comes first
        return left.deserved.is_empty() - right.deserved.is_empty()
    return -1 if left.share < right.share else 1


def flat_tree(session: Session) -> QueueTree:
    """Makes the queues that have jobs."""
    guaranteed = Quantities()
    for queue in session.queues.values():
        guaranteed.add(queue.guarantee)
    shares: dict[str, CapacityShare] = {}
    for job in session.jobs.values():
        if job.queue not in shares:
            share = shares[job.queue] = CapacityShare(session.queues[job.queue])
            share.limit(session.total, guaranteed)
        shares[job.queue].include(job)
    for share in shares.values():
        share.deserved = share.deserved.cap(share.real_capability, unnamed_is_unlimited=True).raised_to(share.guarantee)
        share.update()
    return QueueTree(shares)


def queue_hierarchy(session: Session) -> QueueTree:
    """Makes all queues, with what jobs hold and ask for counted in their queue and in all above it."""
    shares = {name: CapacityShare(queue) for name, queue in session.queues.items()}
    tree = QueueTree(shares)
    if ROOT not in shares or not all(_find_ancestors(share, shares) for share in shares.values()):
        tree.is_valid = False
        return tree
    for job in session.jobs.values():
        if not tree.is_leaf(job.queue):
            tree.is_valid = False
            return tree
        for share in tree.path_to_root(job.queue):
            share.include(job)
    root = shares[ROOT]
    root.capability = _unlimited(session.total) if root.queue.capability.is_empty() else root.queue.capability.clone()
    root.real_capability = root.capability
    _limit_children(root)
    for share in shares.values():
        share.update()
    return tree


def _find_ancestors(share: CapacityShare, shares: dict[str, CapacityShare]) -> bool:
    """Finds the way from the root down to a queue; False if there is none."""
    way: list[str] = []
    name = share.name
    while name != ROOT:
        name = shares[name].queue.queue.parent or ROOT
        if name not in shares or name in way:
            return False
        way.append(name)
    share.ancestors = way[::-1]
    if way:
        shares[way[0]].children.append(share)
    return True


def _unlimited(total: Quantities) -> Quantities:
    scalars = dict.fromkeys(total.scalars or {}, _UNLIMITED_COUNT)
    return Quantities(UNLIMITED, UNLIMITED, scalars or None)


def _limit_children(parent: CapacityShare) -> None:
    """Hands limits down: a child has its parent's capability where it states none, and what siblings leave it."""
    guaranteed, deserved = Quantities(), Quantities()
    for child in parent.children:
        child.deserved = child.deserved.raised_to(child.guarantee)
        deserved.add(child.deserved)
        guaranteed.add(child.guarantee)
        child.capability = _inherited(child, parent)
    if parent.name == ROOT:
        parent.guarantee, parent.deserved = guaranteed, deserved
    for child in parent.children:
        child.real_capability = parent.real_capability.beyond(guaranteed).add(child.guarantee)
        child.real_capability.cap(child.capability, unnamed_is_unlimited=True)
        _limit_children(child)


def _inherited(child: CapacityShare, parent: CapacityShare) -> Quantities:
    own, above = child.queue.capability.clone(), parent.capability
    own.cpu = own.cpu if own.cpu > 0 else above.cpu
    own.memory = own.memory if own.memory > 0 else above.memory
    if above.scalars is not None:
        own.scalars = {**above.scalars, **(own.scalars or {})}
    return own
