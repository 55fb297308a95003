"""The fields of `sweep` in the Experiment document."""

from __future__ import annotations

from wavetank.documents.fieldtable import NONE, REQUIRED, FieldTable

SWEEP = FieldTable(
    ("clusters", "list", NONE, "variants of the cluster; each with each of the workloads"),
    ("workloads", "list", NONE, "variants of the workload"),
    ("parameters", "mapping", "{}", "by scheduler and argument, a list of values; every combination is tried"),
    ("scenarios", "list", NONE, "scenarios one by one, in place of clusters and workloads"),
)

CLUSTER_VARIANT = FieldTable(
    ("name", "text", REQUIRED, "a part of the scenario's name"),
    ("cluster", "mapping", "the experiment's", "another cluster"),
    ("nodes", "text", "+0%", "a change such as `-50%` or `+25%` of the number of nodes, sizes in proportion"),
    ("resources", "text", "+0%", "a change of the size of every node"),
)

WORKLOAD_VARIANT = FieldTable(
    ("name", "text", REQUIRED, "a part of the scenario's name"),
    ("workload", "mapping", "the experiment's", "another workload"),
)

SCENARIO = FieldTable(
    ("name", "text", "its number", "the scenario's name"),
    ("cluster", "mapping", "the experiment's", "another cluster"),
    ("workload", "mapping", "the experiment's", "another workload"),
    ("schedulers", "list", "the experiment's", "other schedulers: names of the experiment's, or entries"),
    ("nodes", "text", "+0%", "a change of the number of nodes"),
    ("resources", "text", "+0%", "a change of the size of every node"),
    ("seeds", "list or text", "the experiment's", "other seeds"),
    ("horizon", "duration", "the experiment's", "another horizon"),
    ("execution", "text", "the experiment's", "another execution"),
)
