"""The tables of a run with node groups or prices of nodes."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import BYTES, MILLI_CPU, PRICE, SECONDS, Column, Table

_WHERE = "only in runs with node groups or prices of nodes"
_HOURS = "h"
_PRICE_PER_HOUR = "price/h"

CAPACITY = Table(
    layout.CAPACITY,
    f"one row per interval of time, at most 1,000: means over the interval; {_WHERE}",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        Column("nodes", float, "nodes"),
        Column("booting", float, "machines that are ordered and not yet nodes"),
        Column("cpu_milli", float, "allocatable CPU of all nodes", MILLI_CPU),
        Column("cpu_requested_milli", float, "CPU that bound pods request", MILLI_CPU),
        Column("cpu_pending_milli", float, "CPU that pending pods request", MILLI_CPU),
        Column("memory_bytes", float, "allocatable memory of all nodes", BYTES),
        Column("memory_requested_bytes", float, "memory that bound pods request", BYTES),
        Column("memory_pending_bytes", float, "memory that pending pods request", BYTES),
        Column("price", float, "price of all machines, from their order until they are gone", _PRICE_PER_HOUR),
        Column(
            "idle_price", float, "the part of it that is charged to no pod, see `namespace_costs.csv`", _PRICE_PER_HOUR
        ),
        Column("cost", float, "cost from the start to the end of the interval", PRICE),
    ),
)

NODE_TIMELINE = Table(
    layout.NODE_TIMELINE,
    f"one row per machine that was ordered, and per node without a machine; {_WHERE}",
    (
        Column("name", str, "name of the machine and its node"),
        Column("group", str, "its node group; empty for a node of the cluster"),
        Column("ordered_s", float, "when the machine was ordered", SECONDS),
        Column("node_s", float, "when its node registered", SECONDS),
        Column("ready_s", float, "when its node was ready", SECONDS),
        Column("notice_s", float, "when the cloud announced its interruption", SECONDS),
        Column("removal_s", float, "when its deletion was requested", SECONDS),
        Column("gone_s", float, "when it was gone", SECONDS),
        Column("price", float, "of an hour", _PRICE_PER_HOUR),
        Column(
            "cost", float, "from its order until it is gone; a machine that never becomes a node costs nothing", PRICE
        ),
        Column("cpu_milli", int, "allocatable CPU of its node", MILLI_CPU),
        Column("memory_bytes", int, "allocatable memory of its node", BYTES),
    ),
)

NODE_GROUPS = Table(
    layout.NODE_GROUPS,
    f"one row per node group, and one without a name for nodes outside of groups that have a price; {_WHERE}",
    (
        Column("group", str, "name of the group"),
        Column("price", float, "of a node and hour; empty if its nodes have different prices", _PRICE_PER_HOUR),
        Column("mean_nodes", float, "mean of its nodes over the run"),
        Column("most_nodes", int, "most nodes at a time"),
        Column("node_hours", float, "time of all its nodes", _HOURS),
        Column("cost", float, "what its machines cost", PRICE),
        Column("idle_cost", float, "the part of it that is charged to no pod", PRICE),
        Column("ordered", int, "machines that were ordered after the start"),
        Column("failed", int, "machines that were given up before they became nodes"),
        Column("mean_boot_s", float, "mean time from order to ready node", SECONDS),
        Column("removed", int, "nodes that scaling removed"),
        Column("flaps", int, "removals after which a machine was ordered within 10 minutes; an order counts once"),
        Column("interruptions", int, "nodes that the cloud took back"),
    ),
)

NAMESPACE_COSTS = Table(
    layout.NAMESPACE_COSTS,
    "one row per namespace with submitted pods, the most expensive first; only in runs with prices of nodes",
    (
        Column("namespace", str, "name of the namespace"),
        Column("pods", int, "submitted pods"),
        Column("finished_pods", int, "pods that succeeded"),
        Column(
            "cost",
            float,
            "what its pods cost: each is charged, from binding to end, the mean of the shares of its node's allocatable"
            " CPU and memory that it requests; the rest of a node's cost is idle",
            PRICE,
        ),
        Column("cost_per_finished_pod", float, "cost ÷ finished pods", PRICE),
    ),
)
