"""The tables of a run with the batch operator."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, Column, Table

BATCH_JOBS = Table(
    layout.BATCH_JOBS,
    "one row per BatchJob and Scheduling that queued it; only in runs with the batch operator",
    (
        Column("namespace", str, "namespace of the BatchJob"),
        Column("name", str, "name of the BatchJob"),
        Column("scheduling", str, "the Scheduling"),
        Column("slots", str, "ids of the slots that it was given: `0;1;4`"),
        Column("queued", float, "when it was claimed", SECONDS),
        Column("submitted", float, "when its application was created", SECONDS),
        Column("scheduled", float, "when all its pods were on their nodes", SECONDS),
        Column("started", float, "when it ran", SECONDS),
        Column("finished", float, "when it ended", SECONDS),
        Column("state", str, "its last state: CompletedState, FailedState and so on"),
    ),
)

SLOT_USES = Table(
    layout.SLOT_USES,
    "one row per pod that was in a slot; only in runs with the batch operator",
    (
        Column("testbed", str, "the testbed"),
        Column("slot", int, "id of the slot"),
        Column("node", str, "node of the slot"),
        Column("position", int, "position of the slot on its node"),
        Column("pod", str, "the pod"),
        Column("job", str, "its BatchJob"),
        Column("start", float, "when it was there", SECONDS),
        Column("end", float, "when it had gone", SECONDS),
    ),
)
