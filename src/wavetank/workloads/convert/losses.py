from __future__ import annotations

from collections import Counter

from wavetank.workloads.records import Record

_OF_THE_SPEC = {
    "nodeSelector": "node selector",
    "affinity": "affinity",
    "tolerations": "toleration",
    "topologySpreadConstraints": "topology spread constraint",
    "initContainers": "init container",
    "volumes": "volume",
    "resourceClaims": "resource claim",
    "overhead": "overhead",
    "schedulingGates": "scheduling gate",
}


class Losses:
    """Counts what a format cannot express: jobs that are left out of it, and properties that are not written."""

    def __init__(self, format_name: str) -> None:
        self.format_name = format_name
        self.left_out: Counter[str] = Counter()
        self.unwritten: Counter[str] = Counter()

    @property
    def notes(self) -> list[str]:
        """Returns a line for each kind."""
        jobs = [f"left out: {number} × {what} ({self.format_name} has none)" for what, number in self.left_out.items()]
        return jobs + [
            f"not written: {number} × {what} ({self.format_name} cannot express it)"
            for what, number in self.unwritten.items()
        ]

    def count(self, what: str, lost: object) -> None:
        """Counts one more loss, if there is something to lose."""
        if lost:
            self.unwritten[what] += 1

    def count_spec(self, record: Record, kept: frozenset[str] = frozenset()) -> None:
        """Counts what a pod's spec says besides its requests, its scheduler and its priority; `kept` is written."""
        spec = record.pod.spec.manifest
        for field, what in _OF_THE_SPEC.items():
            if field not in kept:
                self.count(what, spec.get(field))
        self.count("second container, joined with the first", len(spec.get("containers", ())) > 1)
        self.count("time that a pod needs to stop", record.behavior.termination)

    def count_identity(self, record: Record) -> None:
        """Counts what makes a pod different from others: its namespace, labels and priority."""
        self.count("namespace", record.pod.namespace != "default")
        self.count("label set", record.pod.labels)
        self.count("priority", record.pod.priority)
