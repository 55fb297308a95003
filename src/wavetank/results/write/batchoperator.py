"""The files of a run with the batch operator: its jobs, the uses of slots, and a picture of these."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wavetank.batchoperator.recording import BatchRecorder, JobRun, SlotUse
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.results import schema
from wavetank.results.layout import SLOTS_PICTURE
from wavetank.results.write.csvfiles import write_rows
from wavetank.results.write.slotspicture import draw_slots


def write_batch(recorder: BatchRecorder, end: Nanoseconds, folder: Path) -> None:
    """Writes the tables of jobs and slots, and a Gantt chart of the slots."""
    write_rows(folder, schema.BATCH_JOBS, [_job(run) for run in recorder.jobs])
    uses = sorted(recorder.uses, key=lambda use: (use.start, use.testbed, use.slot))
    write_rows(folder, schema.SLOT_USES, [_use(use) for use in uses])
    (folder / SLOTS_PICTURE).write_text(draw_slots(recorder.slots, uses, end), encoding="utf-8")


def _job(run: JobRun) -> Mapping[str, object]:
    times = ("queued", "submitted", "scheduled", "started", "finished")
    return {
        "namespace": run.namespace,
        "name": run.name,
        "scheduling": run.scheduling,
        "slots": ";".join(map(str, run.slots)),
        **{name: _seconds(getattr(run, name)) for name in times},
        "state": run.state.value,
    }


def _use(use: SlotUse) -> Mapping[str, object]:
    return {
        "testbed": use.testbed,
        "slot": use.slot,
        "node": use.node,
        "position": use.position,
        "pod": use.pod,
        "job": use.job,
        "start": _seconds(use.start),
        "end": _seconds(use.end),
    }


def _seconds(time: Nanoseconds | None) -> str | None:
    return None if time is None else format_seconds(time)
