"""The fields of an experiment that describe nodes and generated workloads."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.documents.fieldtable import NONE, REQUIRED, FieldTable

NODE_GROUP = FieldTable(
    ("count", "whole number", "1", "how many equal nodes"),
    ("name", "text", "node", "they are called `<name>-<number>`, from 0 over all groups of that name"),
    ("cpu", "quantity", REQUIRED, "CPU of a node, all of which pods may use"),
    ("memory", "quantity", REQUIRED, "memory of a node, all of which pods may use"),
    ("pods", "whole number", "110", "how many pods fit on a node"),
    ("resources", "quantities by name", "{}", "other resources, such as `nvidia.com/gpu: 8`"),
    ("labels", "texts by name", "{}", "labels besides `kubernetes.io/hostname`"),
    ("taints", "list", "[]", "taints as in a Node: `{key, value, effect}`"),
    ("zone", "text or list of texts", NONE, "the label `topology.kubernetes.io/zone`; a list is dealt in turn"),
    ("load", "shares or quantities by name", "{}", "what others than pods use, such as `{cpu: 20%, memory: 3Gi}`"),
)

INFLATE = FieldTable(
    ("resource", "text", REQUIRED, "what is counted: `cpu`, `memory`, `gpu` (whole and in part), or another resource"),
    ("target", "number", REQUIRED, "how many times what the cluster has of it the pods ask for; 1.3 is more than fits"),
)

GENERATOR = FieldTable(
    ("kind", "text", REQUIRED, "one of the kinds below"),
    ("name", "text", "the kind", "pods are called `<name>-<number>`; unique among `generators`"),
    ("labels", "texts by name", "{}", "labels of the pods"),
    ("priority", "whole number", NONE, "as in a pod"),
    ("schedulerName", "text", NONE, "as in a pod"),
    ("tolerations", "list", "[]", "as in a pod"),
    ("nodeSelector", "texts by name", "{}", "as in a pod"),
)

_PODS = (
    ("pods", "whole number", REQUIRED, "how many"),
    ("duration", "distribution", "for ever", "how long each of them runs"),
    ("requests", "quantities by name, or list", "{}", "what each asks for, or a list of choices `{weight: 1, cpu: …}`"),
)
_RATE = ("rate", "number", REQUIRED, "pods per second")
_JOBS = ("jobs", "whole number", REQUIRED, "how many jobs")

GENERATOR_KINDS: Mapping[str, FieldTable] = {
    "burst": FieldTable(*_PODS, ("at", "duration", "0", "when all of them come")),
    "spaced": FieldTable(*_PODS, ("every", "distribution", REQUIRED, "the time between two; the first comes at 0")),
    "poisson": FieldTable(*_PODS, _RATE),
    "bursty": FieldTable(
        *_PODS,
        ("bursts", "whole number", REQUIRED, "how many bursts share the pods evenly"),
        ("every", "distribution", REQUIRED, "the time between the beginnings of two bursts"),
        ("spread", "duration", "0", "within what time of its beginning the pods of a burst come"),
    ),
    "diurnal": FieldTable(
        *_PODS,
        _RATE,
        ("swing", "number", "0.8", "how far the rate goes up and down over the day, as a share of it, 0 to 1"),
        ("peak", "duration", "14h", "when the rate is highest"),
        ("period", "duration", "1d", "how long a day is"),
    ),
    "lublin": FieldTable(
        _JOBS,
        ("processors", "whole number", "128", "of the machine; a job has a pod for each of its own"),
        ("type", "text", "all", "`batch`, `interactive` or `all`"),
        ("requests", "quantities by name, or list", "{cpu: 1}", "what a pod asks for"),
        ("parameters", "numbers by name", "{}", "parameters of the model by the names that its authors gave them"),
    ),
    "fitted": FieldTable(
        _JOBS,
        ("file", "file", REQUIRED, "the trace whose jobs are drawn from"),
        ("format", "text", "told by the content", "the trace's format"),
        ("lenient", "true or false", "false", "leave out and count jobs that cannot be used"),
    ),
}
