from __future__ import annotations

from functools import cached_property

from wavetank.kernel.durations import Nanoseconds
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.usage import Buckets, Usage
from wavetank.results.recording.recordedpods import RecordedPods
from wavetank.results.recording.recorder import Recorder


class PodTable(RecordedPods):
    """The pods of a finished run, with the recorder of the run."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder.rows)
        self.recorder = recorder

    @cached_property
    def usage(self) -> Buckets:
        """Returns the utilization of the cluster: over time while pods hold nodes, its means over the busy span."""
        usage = Usage(self, self.recorder.node_changes)
        begin, end = self.busy_span()
        goes_on = bool(((self.scheduled != NEVER) & (self.finished == NEVER)).any())
        return usage.buckets(begin, end, self.recorder.end if goes_on else end)

    def busy_span(self) -> tuple[Nanoseconds, Nanoseconds]:
        """Returns the time from the first submission to the last end, or to the end of the run if no pod ended."""
        begin = int(self.submitted.min()) if self.rows else 0
        last = int(self.finished.max(initial=NEVER))
        return begin, self.recorder.end if last == NEVER else last
