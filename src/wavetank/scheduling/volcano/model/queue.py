from __future__ import annotations

from wavetank.cluster.objects.volcano import Queue
from wavetank.scheduling.volcano.model.quantities import Quantities

ROOT = "root"
OPEN = "Open"


class QueueInfo:
    """A queue as the session sees it; `created` is in whole seconds."""

    __slots__ = ("capability", "created", "deserved", "guarantee", "name", "queue")

    def __init__(self, queue: Queue, created: int) -> None:
        self.queue = queue
        self.name = queue.name
        self.created = created
        self.capability = Quantities.parse(queue.spec.get("capability"), "spec.capability")
        self.deserved = Quantities.parse(queue.spec.get("deserved"), "spec.deserved")
        self.guarantee = Quantities.parse(queue.guarantee, "spec.guarantee.resource")

    @property
    def states_capability(self) -> bool:
        """Returns whether the queue has a limit of its own."""
        return bool(self.queue.spec.get("capability"))

    @property
    def is_open(self) -> bool:
        """Returns whether the queue takes jobs; one without a state is about to be opened."""
        return self.queue.state in ("", OPEN)

    def __repr__(self) -> str:
        return f"<QueueInfo {self.name}>"
