from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wavetank.batchoperator.client.client import Client
from wavetank.kernel.clock import Clock

HIGH_PRIORITY, PREEMPTEE = "high-priority", "testbed-preemptee"
PRIORITIES = {HIGH_PRIORITY: 1000, PREEMPTEE: 100}


@dataclass(frozen=True)
class OperatorOptions:
    """How the operator writes: claims and creation requests as `labels` (the seed) or as fields of the `spec`.

    `scheduler_name` and `priority_class` are those of an application's pods, `ghost_scheduler` that of ghost pods.
    """

    form: Literal["labels", "spec"] = "labels"
    scheduler_name: str = "external-scheduler"
    ghost_scheduler: str = "default-scheduler"
    priority_class: str = HIGH_PRIORITY
    ghost_priority_class: str = PREEMPTEE


@dataclass(frozen=True)
class OperatorContext:
    """What all reconcilers share: the client, the clock by which they work and retry, and the options."""

    client: Client
    clock: Clock
    options: OperatorOptions = OperatorOptions()
