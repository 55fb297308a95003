from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from wavetank.cluster.fields.selectors import NodeSelectorTerm
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec, ResourceGroup

_HARD = ("NoSchedule", "NoExecute")


class Flavors:
    """The ResourceFlavors, and which pods may run on the nodes of each."""

    def __init__(self) -> None:
        self.specs: dict[str, FlavorSpec] = {}
        self.version = 0
        self._answers: WeakKeyDictionary[PodSpec, dict[tuple[str, ResourceGroup], str]] = WeakKeyDictionary()

    def put(self, spec: FlavorSpec) -> None:
        """Adds or changes a flavor."""
        self.specs[spec.name] = spec
        self._changed()

    def drop(self, name: str) -> None:
        """Removes a flavor."""
        self.specs.pop(name, None)
        self._changed()

    def assigned(self, flavors: Mapping[str, str] | None) -> list[FlavorSpec]:
        """Returns the specs of the flavors that an admission assigns by resource, as far as they exist."""
        return [self.specs[name] for name in dict.fromkeys((flavors or {}).values()) if name in self.specs]

    def _changed(self) -> None:
        self.version += 1
        self._answers.clear()

    def refusal(self, spec: PodSpec, name: str, group: ResourceGroup) -> str:
        """Returns why pods of a spec cannot use a flavor; empty if they can."""
        answers = self._answers.get(spec)
        if answers is None:
            answers = self._answers[spec] = {}
        key = (name, group)
        if key not in answers:
            answers[key] = self._judge(spec, name, group)
        return answers[key]

    def _judge(self, spec: PodSpec, name: str, group: ResourceGroup) -> str:
        flavor = self.specs.get(name)
        if flavor is None:
            return f"flavor {name} not found"
        for taint in flavor.taints:
            if taint.effect in _HARD and not (spec.tolerations.accept(taint) or flavor.tolerations.accept(taint)):
                return f"untolerated taint {{{taint.key} {taint.value} {taint.effect} <nil>}} in flavor {name}"
        keys = {key for each in group.flavors if each in self.specs for key in self.specs[each].labels}
        return "" if _matches(spec, keys, flavor) else f"flavor {name} doesn't match node affinity"


def _matches(spec: PodSpec, keys: set[str], flavor: FlavorSpec) -> bool:
    """Tells whether a flavor's labels meet the selectors of a spec, as far as these name labels of flavors."""
    wanted = (spec.manifest.get("nodeSelector") or {}).items()
    if any(flavor.labels.get(key) != value for key, value in wanted if key in keys):
        return False
    required = spec.node_affinity.required
    return required is None or _meets_any(required.terms, keys, flavor)


def _meets_any(terms: Iterable[NodeSelectorTerm], keys: set[str], flavor: FlavorSpec) -> bool:
    for term in terms:
        about_flavors = [each for each in term.expressions if each.key in keys]
        if not about_flavors or all(each.matches(flavor.labels) for each in about_flavors):
            return True  # a term that names no label of flavors holds for each of them
    return False
