from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import Integers

PART = 1 << 10  # rows processed at a time, so that they stay in the processor's cache


class PodColumns(ABC):
    """The pods of a run by columns, recorded or read from a file; times in nanoseconds, NEVER for no such event."""

    names: Sequence[str]
    namespace: Coded[str]
    node: Coded[str]
    phase: Coded[str]
    reason: Coded[str]
    submitted: Integers
    scheduled: Integers
    started: Integers
    finished: Integers

    @property
    @abstractmethod
    def job_ids(self) -> Sequence[str]:
        """Returns the job of each pod; a pod without a job is a job of its own."""

    @property
    @abstractmethod
    def requests(self) -> Coded[str]:
        """Returns all resources that each pod requests: cpu=500m;memory=1Gi."""

    @property
    @abstractmethod
    def cpu(self) -> Integers:
        """Returns the CPU that each pod requests, in milli-CPU."""

    @property
    @abstractmethod
    def memory(self) -> Integers:
        """Returns the memory that each pod requests, in bytes."""

    @property
    @abstractmethod
    def priority(self) -> Coded[int]:
        """Returns the priority of each pod."""
