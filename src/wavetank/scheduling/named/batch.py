"""Queues of batch systems, which start whole jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.batch.definition import QUEUES, BatchDefinition
from wavetank.scheduling.named.scheduler import NamedScheduler


def batch_queues() -> Iterator[NamedScheduler]:
    """Yields the queues."""
    for name, queue in QUEUES.items():
        yield NamedScheduler(name, "batch", queue.description, queue.source, partial(_make, name))


def _make(queue: str, name: str, version: Version, args: Mapping[str, Any]) -> BatchDefinition:
    if args:
        raise InputError(f"{queue} takes no arguments", path="args")
    return BatchDefinition(name, queue)
