"""Admission plugins for pods."""

from __future__ import annotations

from functools import partial

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.rules.admission import SYSTEM_PRIORITIES, priority_class

_SOON_GONE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOPOLOGY = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_TOLERATED_S = 300


class Priority(Plugin):
    """Sets the priority and preemption policy of a pod by its class; allows only one default class."""

    name = "Priority"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new pod; a changed one keeps what it had."""
        spec = attributes.document.get("spec") or {}
        if attributes.is_write_of("Pod", "CREATE"):
            self._complete(spec, attributes)
        elif attributes.is_write_of("Pod", "UPDATE") and attributes.old is not None:
            for name in ("priority", "preemptionPolicy"):
                if name not in spec and name in attributes.old["spec"]:
                    spec[name] = attributes.old["spec"][name]

    def validate(self, attributes: Attributes) -> None:
        """Refuses a second default class."""
        if not attributes.is_write_of("PriorityClass.scheduling.k8s.io", "CREATE", "UPDATE"):
            return
        present = priority_class("", self.store)
        if not attributes.document.get("globalDefault") or present is None:
            return
        if attributes.operation == "CREATE" or present.name != attributes.name:
            why = f"PriorityClass {present.name} is already marked as default. Only one default can exist"
            raise attributes.refused(why)

    def _complete(self, spec: Document, attributes: Attributes) -> None:
        value, policy = self._of_class(spec, attributes)
        given = spec.get("priority")
        computed = "must not be provided in pod spec; priority admission controller computed"
        source = "from the given PriorityClass name"
        if given is not None and given != value:
            raise attributes.refused(f"the integer value of priority ({given}) {computed} {value} {source}")
        spec["priority"] = value
        stated = spec.get("preemptionPolicy")
        if stated is not None and stated != policy:
            raise attributes.refused(f"the string value of PreemptionPolicy ({stated}) {computed} {policy} {source}")
        spec["preemptionPolicy"] = policy

    def _of_class(self, spec: Document, attributes: Attributes) -> tuple[int, str]:
        name = spec.get("priorityClassName") or ""
        found: PriorityClass | None = priority_class(name, self.store)
        if found is not None:
            spec["priorityClassName"] = found.name
            return found.value, found.preemption_policy
        if name and name not in SYSTEM_PRIORITIES:
            raise attributes.refused(f"no PriorityClass with name {name} was found")
        return SYSTEM_PRIORITIES.get(name, 0), "PreemptLowerPriority"


class DefaultTolerationSeconds(Plugin):
    """Lets a pod tolerate a failed node for five minutes, unless it states a toleration itself."""

    name = "DefaultTolerationSeconds"

    def mutate(self, attributes: Attributes) -> None:
        """Adds the tolerations that are missing."""
        if not attributes.is_write_of("Pod", "CREATE", "UPDATE"):
            return
        spec = attributes.document["spec"]
        tolerations = spec.get("tolerations") or []
        tolerated = attributes.beside(partial(_tolerated, tolerations))
        missing = [] if "" in tolerated else [key for key in _SOON_GONE if key not in tolerated]
        added = [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _TOLERATED_S}
            for key in missing
        ]
        if added:
            spec["tolerations"] = [*tolerations, *added]


def _tolerated(tolerations: list[Document]) -> set[str]:
    """Returns the keys of taints that are tolerated, without those that do not matter here."""
    keys = ("", *_SOON_GONE)
    mattering = (one for one in tolerations if one.get("key", "") in keys)
    return {one.get("key", "") for one in mattering if one.get("effect", "") in ("NoExecute", "")}


class PodTopologyLabels(Plugin):
    """Copies the zone and the region of its node to a pod, as labels."""

    name = "PodTopologyLabels"

    def mutate(self, attributes: Attributes) -> None:
        """Labels a pod that names its node, or the binding that brings a pod to one."""
        if attributes.kind.group_kind != "Pod" or attributes.operation == "DELETE":
            return
        if attributes.subresource == "binding":
            node_name = (attributes.document.get("target") or {}).get("name", "")
        elif not attributes.subresource:
            node_name = (attributes.document.get("spec") or {}).get("nodeName", "")
        else:
            return
        node = self.store.find(NODE, "", node_name) if node_name else None
        copied = {key: node.labels[key] for key in _TOPOLOGY if key in node.labels} if node is not None else {}
        if copied:
            metadata = attributes.document.setdefault("metadata", {})
            metadata["labels"] = {**(metadata.get("labels") or {}), **copied}


class RuntimeClass(Plugin):
    """Gives a pod the overhead and the placement of its runtime class."""

    name = "RuntimeClass"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new pod."""
        if not attributes.is_write_of("Pod", "CREATE"):
            return
        runtime, spec = self._of(attributes), attributes.document["spec"]
        overhead = (runtime.get("overhead") or {}).get("podFixed")
        if overhead:
            if spec.get("overhead") and spec["overhead"] != overhead:
                raise attributes.refused("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
            spec["overhead"] = dict(overhead)
        self._place(runtime.get("scheduling") or {}, spec, attributes)

    def validate(self, attributes: Attributes) -> None:
        """Refuses an overhead that is not that of the class."""
        if not attributes.is_write_of("Pod", "CREATE"):
            return
        expected = (self._of(attributes).get("overhead") or {}).get("podFixed")
        given = attributes.document["spec"].get("overhead")
        if given and not expected:
            why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise attributes.refused(why)

    def _of(self, attributes: Attributes) -> Document:
        name = attributes.document["spec"].get("runtimeClassName")
        if name is None:
            return {}
        found = self.store.find("RuntimeClass.node.k8s.io", "", name)
        if found is None:
            raise attributes.refused(f'pod rejected: RuntimeClass "{name}" not found')
        return dict(found.manifest)

    def _place(self, scheduling: Document, spec: Document, attributes: Attributes) -> None:
        selector = dict(spec.get("nodeSelector") or {})
        for key, value in (scheduling.get("nodeSelector") or {}).items():
            if selector.setdefault(key, value) != value:
                given = f"pod.spec.nodeSelector[{key}] = {selector[key]}"
                raise attributes.refused(f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; {given}")
        if selector:
            spec["nodeSelector"] = selector
        present = spec.get("tolerations") or []
        added = [one for one in scheduling.get("tolerations") or () if one not in present]
        if added:
            spec["tolerations"] = [*present, *added]
