"""The two API groups in which the batch operator's resources were published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wavetank.cluster.objects.groupkinds import GroupKind

VERSION = "v1alpha1"


@dataclass(frozen=True)
class ApiGroup:
    """An API group of BatchJobs, Schedulings and testbeds; references stay within a group."""

    name: str
    testbed_kind: str  # Testbed, or Slot as older versions call it
    testbed_plural: str

    @cached_property
    def api_version(self) -> str:
        """Returns the apiVersion of its objects."""
        return f"{self.name}/{VERSION}"

    @cached_property
    def batchjob(self) -> GroupKind:
        """Returns the GroupKind of BatchJobs."""
        return f"BatchJob.{self.name}"

    @cached_property
    def scheduling(self) -> GroupKind:
        """Returns the GroupKind of Schedulings."""
        return f"Scheduling.{self.name}"

    @cached_property
    def testbed(self) -> GroupKind:
        """Returns the GroupKind of testbeds."""
        return f"{self.testbed_kind}.{self.name}"


ESI = ApiGroup("esi.tu-berlin.de", "Testbed", "testbeds")
GCR = ApiGroup("batchjob.gcr.io", "Slot", "slots")  # of older versions
GROUPS = (ESI, GCR)
