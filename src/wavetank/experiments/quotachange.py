"""Changes of quotas: another amount in a ClusterQueue of an experiment."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wavetank.cluster.fields.resources import format_amounts, parse_amounts
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment

NOMINAL = "nominalQuota"
NO_LIMIT = "none"
_CHANGE = re.compile(
    r"(?P<queue>[^./=\s]+)(/(?P<flavor>[^./=\s]+))?\.(?P<resource>[^=]+?)(\.(?P<field>borrowingLimit|lendingLimit))?"
    r"=(?P<value>\S+)"
)
_FORM = "expected QUEUE.RESOURCE=AMOUNT such as team-a.cpu=64, team-a.cpu=+16 or team-a/spot.cpu.borrowingLimit=8"


@dataclass(frozen=True)
class QuotaChange:
    """Another amount of a resource in a ClusterQueue, in one flavor or in the only one that has it.

    A value that begins with + or - is added to the present one; a limit of `none` is removed.
    """

    queue: str
    flavor: str
    resource: str
    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> QuotaChange:
        """Reads QUEUE[/FLAVOR].RESOURCE[.LIMIT]=VALUE."""
        match = _CHANGE.fullmatch(text)
        if match is None:
            raise InputError(f"{text!r:.80} is not a change of a quota: {_FORM}")
        field = match["field"] or NOMINAL
        return cls(match["queue"], match["flavor"] or "", match["resource"], field, match["value"])

    def apply(self, queues: Mapping[str, dict[str, Any]]) -> str:
        """Changes the manifest of its ClusterQueue; returns the change in words. InputError without such a quota."""
        if self.queue not in queues:
            known = f"expected one of {', '.join(queues)}" if queues else "the cluster has none"
            raise InputError(f"no ClusterQueue {self.queue!r:.60}: {known}")
        entry = self._entry(queues[self.queue])
        before = str(entry.get(self.field, NO_LIMIT))
        after = self._new_value(before)
        if after is None:
            entry.pop(self.field, None)
        else:
            entry[self.field] = after
        name = self.resource if self.field == NOMINAL else f"{self.resource} {self.field}"
        return f"{self.queue}: {name} {before} → {after or NO_LIMIT}"

    def _entry(self, queue: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the entry of the resource in the flavor that is meant."""
        groups = (queue.get("spec") or {}).get("resourceGroups") or ()
        flavors = [flavor for group in groups for flavor in group.get("flavors") or ()]
        found = {
            str(flavor["name"]): each
            for flavor in flavors
            for each in flavor.get("resources") or ()
            if each["name"] == self.resource and self.flavor in ("", flavor["name"])
        }
        if len(found) == 1:
            return next(iter(found.values()))
        where = f"flavor {self.flavor} of " if self.flavor else ""
        if not found:
            raise InputError(f"no quota of {self.resource!r:.60} in {where}ClusterQueue {self.queue}")
        names = " or ".join(f"{self.queue}/{name}.{self.resource}" for name in found)
        raise InputError(f"ClusterQueue {self.queue} has {self.resource} in several flavors: write {names}")

    def _new_value(self, before: str) -> str | None:
        if self.value == NO_LIMIT:
            if self.field == NOMINAL:
                raise InputError("a nominal quota cannot be none")
            return None
        relative = self.value[0] in "+-"
        amount = parse_amounts({self.resource: self.value.lstrip("+-")}, path=self.queue)[self.resource]
        if relative:
            present = 0 if before == NO_LIMIT else parse_amounts({self.resource: before})[self.resource]
            amount = present + (amount if self.value[0] == "+" else -amount)
        if amount < 0:
            raise InputError(f"{self.queue}.{self.resource}: a quota cannot be negative: {before} {self.value}")
        return format_amounts({self.resource: amount})[self.resource]


def change_quotas(experiment: Experiment, changes: Sequence[QuotaChange]) -> tuple[Experiment, list[str]]:
    """Returns an experiment with other quotas, and each change in words."""
    manifests = list(experiment.cluster.manifests)
    queues: dict[str, dict[str, Any]] = {}
    for i, manifest in enumerate(manifests):
        if manifest.get("kind") == "ClusterQueue":
            changed = copy.deepcopy(dict(manifest))
            manifests[i] = queues[str(changed["metadata"]["name"])] = changed
    said = [change.apply(queues) for change in changes]
    return replace(experiment, cluster=replace(experiment.cluster, manifests=manifests)), said
