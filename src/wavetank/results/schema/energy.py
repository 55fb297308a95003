"""The tables of a run whose nodes have a power model."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, Column, Table

JOULES, WATTS = "J", "W"
_WHERE = "only in runs whose nodes have a power model"

ENERGY = Table(
    layout.ENERGY,
    f"one row per interval of time, at most 1,000; {_WHERE}",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        Column("power_w", float, "mean power of all nodes", WATTS),
        Column("energy_j", float, "energy from the start to the end of the interval", JOULES),
        Column("nodes_on", float, "mean number of nodes that are on"),
    ),
)

NODE_ENERGY = Table(
    layout.NODE_ENERGY,
    f"one row per node; {_WHERE}",
    (
        Column("node", str, "name of the node"),
        Column("energy_j", float, "its energy", JOULES),
        Column("on_s", float, "time that it was on", SECONDS),
        Column("off_s", float, "time that it was off", SECONDS),
        Column("switching_s", float, "time that it was booting or shutting down", SECONDS),
        Column("switches", int, "changes between these states"),
    ),
)
