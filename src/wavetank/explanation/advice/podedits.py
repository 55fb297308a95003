"""Changes of a pod that might let it in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from wavetank.cluster.fields.resources import Amounts, format_amounts
from wavetank.cluster.fields.taints import Taint
from wavetank.explanation.advice.requests import lower_request
from wavetank.explanation.advice.trials import Spec, TrialNodes
from wavetank.words import plural

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class PodEdit:
    """A change of the pod alone."""

    kind: ClassVar[str]

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Changes nothing."""


@dataclass(frozen=True)
class Tolerate(PodEdit):
    """Adds tolerations for taints."""

    taints: tuple[Taint, ...]
    kind: ClassVar[str] = "toleration"

    @property
    def text(self) -> str:
        """Names the taints."""
        return f"add a toleration for {' and '.join(map(taint_text, self.taints))}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the tolerations to add."""
        return {"tolerations": [_toleration(taint) for taint in self.taints]}

    def edit_pod(self, spec: Spec) -> None:
        """Appends the tolerations."""
        spec["tolerations"] = [*(spec.get("tolerations") or ()), *self.data["tolerations"]]


@dataclass(frozen=True)
class LowerRequests(PodEdit):
    """Lowers what the pod requests in all, from `before` to `after`, which have the same resources."""

    before: Amounts
    after: Amounts
    kind: ClassVar[str] = "request"

    @property
    def text(self) -> str:
        """Says by how much, and to what."""
        parts = (
            f"{name} by {amount_text(name, old - self.after[name])} to {amount_text(name, self.after[name])}"
            for name, old in self.before.items()
        )
        return f"lower the request of {' and '.join(parts)}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the requests of the whole pod before and after."""
        return {"before": format_amounts(self.before), "after": format_amounts(self.after)}

    def edit_pod(self, spec: Spec) -> None:
        """Lowers the requests of containers."""
        for name, amount in self.after.items():
            lower_request(spec, name, amount)


@dataclass(frozen=True)
class DropNodeSelector(PodEdit):
    """Drops a label from the node selector."""

    key: str
    value: str
    kind: ClassVar[str] = "node-selector"

    @property
    def text(self) -> str:
        """Names the label."""
        return f"drop the node selector {self.key}={self.value}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the label."""
        return {"key": self.key, "value": self.value}

    def edit_pod(self, spec: Spec) -> None:
        """Removes the label."""
        del spec["nodeSelector"][self.key]


@dataclass(frozen=True)
class DropNodeAffinity(PodEdit):
    """Drops a requirement from the required node affinity, or all of it if `requirement` is None.

    A term that has no other requirement goes as well; without any term the affinity requires nothing.
    """

    requirement: Mapping[str, Any] | None = None
    kind: ClassVar[str] = "node-affinity"

    @property
    def text(self) -> str:
        """Names the requirement."""
        if self.requirement is None:
            return "drop the required node affinity"
        return f"drop the node affinity {requirement_text(self.requirement)}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the requirement, null for all."""
        return {"requirement": self.requirement}

    def edit_pod(self, spec: Spec) -> None:
        """Removes the requirement wherever it stands."""
        affinity = spec["affinity"]["nodeAffinity"]
        if REQUIRED not in affinity:  # another edit has dropped the last requirement
            return
        terms = [self._without(term) for term in affinity[REQUIRED]["nodeSelectorTerms"]]
        if self.requirement is None or not all(terms):  # terms are alternatives: an empty one would allow every node
            del affinity[REQUIRED]
        else:
            affinity[REQUIRED] = {"nodeSelectorTerms": terms}

    def _without(self, term: Mapping[str, Any]) -> dict[str, Any]:
        kept = {key: [each for each in term.get(key) or () if each != self.requirement] for key in _TERM}
        return {key: values for key, values in kept.items() if values}


@dataclass(frozen=True)
class DropPodAffinity(PodEdit):
    """Drops a required term of the pod affinity or anti-affinity (`field`)."""

    field: str
    term: Mapping[str, Any]
    kind: ClassVar[str] = "pod-affinity"

    @property
    def text(self) -> str:
        """Names what the term selects."""
        what = "pod affinity to" if self.field == "podAffinity" else "pod anti-affinity to"
        selected = selector_text(self.term.get("labelSelector") or {})
        return f"drop the {what} {selected} per {self.term.get('topologyKey')}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the term."""
        return {"field": self.field, "term": self.term}

    def edit_pod(self, spec: Spec) -> None:
        """Removes the term."""
        affinity = spec["affinity"][self.field]
        affinity[REQUIRED] = [each for each in affinity[REQUIRED] if each != self.term]


@dataclass(frozen=True)
class RelaxSpread(PodEdit):
    """Raises maxSkew of a topology spread constraint, or makes it a preference if `max_skew` is None."""

    constraint: Mapping[str, Any]
    max_skew: int | None = None
    kind: ClassVar[str] = "topology-spread"

    @property
    def text(self) -> str:
        """Names the topology and the new value."""
        over = f"the spread over {self.constraint.get('topologyKey')}"
        if self.max_skew is None:
            return f"make {over} a preference (whenUnsatisfiable: ScheduleAnyway)"
        return f"raise maxSkew of {over} from {self.constraint.get('maxSkew')} to {self.max_skew}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the constraint and its new maxSkew, null for a preference."""
        return {"constraint": self.constraint, "maxSkew": self.max_skew}

    def edit_pod(self, spec: Spec) -> None:
        """Changes the constraint."""
        change = {"whenUnsatisfiable": "ScheduleAnyway"} if self.max_skew is None else {"maxSkew": self.max_skew}
        constraints = spec["topologySpreadConstraints"]
        spec["topologySpreadConstraints"] = [
            without_min_domains({**each, **change}) if each == self.constraint else each for each in constraints
        ]


@dataclass(frozen=True)
class DropHostPort(PodEdit):
    """Drops a host port from all containers."""

    port: int
    protocol: str
    kind: ClassVar[str] = "host-port"

    @property
    def text(self) -> str:
        """Names the port."""
        return f"drop the host port {self.port}/{self.protocol}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the port."""
        return {"hostPort": self.port, "protocol": self.protocol}

    def edit_pod(self, spec: Spec) -> None:
        """Removes the port."""
        for container in containers_of(spec):
            kept = [each for each in container.get("ports") or () if not self._is_meant(each)]
            if "ports" in container:
                container["ports"] = kept

    def _is_meant(self, port: Mapping[str, Any]) -> bool:
        return port.get("hostPort") == self.port and (port.get("protocol") or "TCP") == self.protocol


@dataclass(frozen=True)
class DropVolume(PodEdit):
    """Drops a volume and its mounts."""

    name: str
    claim: str = ""
    kind: ClassVar[str] = "volume"

    @property
    def text(self) -> str:
        """Names the volume and its claim."""
        return f"drop the volume {self.name}{f' (claim {self.claim})' if self.claim else ''}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the volume's name."""
        return {"volume": self.name}

    def edit_pod(self, spec: Spec) -> None:
        """Removes the volume."""
        spec["volumes"] = [each for each in spec["volumes"] if each.get("name") != self.name]
        for container in containers_of(spec):
            mounts = [each for each in container.get("volumeMounts") or () if each.get("name") != self.name]
            if "volumeMounts" in container:
                container["volumeMounts"] = mounts


@dataclass(frozen=True)
class RemoveGates(PodEdit):
    """Removes the scheduling gates."""

    gates: tuple[str, ...]
    kind: ClassVar[str] = "gates"

    @property
    def text(self) -> str:
        """Names the gates."""
        return f"remove the scheduling {plural(len(self.gates), 'gate')} {', '.join(self.gates)}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the gates."""
        return {"gates": list(self.gates)}

    def edit_pod(self, spec: Spec) -> None:
        """Removes them."""
        del spec["schedulingGates"]


@dataclass(frozen=True)
class SetSchedulerName(PodEdit):
    """Gives the pod to a scheduler that there is."""

    name: str
    kind: ClassVar[str] = "scheduler-name"

    @property
    def text(self) -> str:
        """Names the scheduler."""
        return f"set schedulerName to {self.name}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the name."""
        return {"schedulerName": self.name}

    def edit_pod(self, spec: Spec) -> None:
        """Sets the name."""
        spec["schedulerName"] = self.name


def containers_of(spec: Spec) -> Iterator[dict[str, Any]]:
    """Yields all containers of a spec."""
    for field in ("initContainers", "containers"):
        yield from spec.get(field) or ()


def without_min_domains(constraint: dict[str, Any]) -> dict[str, Any]:
    """Returns a constraint as the API server accepts it: only one that must be satisfied may have minDomains."""
    if constraint.get("whenUnsatisfiable") == "ScheduleAnyway":
        constraint.pop("minDomains", None)
    return constraint


def amount_text(resource: str, amount: int) -> str:
    """Returns an amount of a resource as Kubernetes writes it."""
    return format_amounts({resource: amount})[resource]


def taint_text(taint: Taint) -> str:
    """Returns a taint as kubectl writes it: key=value:effect."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def requirement_text(requirement: Mapping[str, Any]) -> str:
    """Returns a requirement of a selector in one line."""
    values = ", ".join(map(str, requirement.get("values") or ()))
    return f"{requirement.get('key')} {requirement.get('operator')}{f' [{values}]' if values else ''}"


def selector_text(selector: Mapping[str, Any]) -> str:
    """Returns a label selector in one line."""
    labels = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    parts: Sequence[str] = [*labels, *map(requirement_text, selector.get("matchExpressions") or ())]
    return ", ".join(parts) or "all pods"


def _toleration(taint: Taint) -> dict[str, str]:
    value = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    return {"key": taint.key, **value, "effect": taint.effect}


_TERM = ("matchExpressions", "matchFields")
