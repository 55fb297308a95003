"""Whether rules allow all that other rules allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from wavetank.apiserver.waiting import in_slices

Rule = Mapping[str, Any]


def missing_rules(held: Sequence[Rule], wanted: Iterable[Rule]) -> Iterator[Rule]:
    """Yields what of the wanted rules no held rule allows, as rules with one verb, resource, name or path each."""
    for single in in_slices(single for rule in wanted for single in _singles(rule)):
        if not any(_covers(each, single) for each in held):
            yield single


def _singles(rule: Rule) -> Iterator[Rule]:
    groups, resources, verbs = (rule.get(key) or () for key in ("apiGroups", "resources", "verbs"))
    for group, resource, verb in product(groups, resources, verbs):
        single = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        names = rule.get("resourceNames") or ()
        yield from ({**single, "resourceNames": [name]} for name in names) if names else (single,)
    for path, verb in product(rule.get("nonResourceURLs") or (), verbs):
        yield {"nonResourceURLs": [path], "verbs": [verb]}


def _covers(held: Rule, single: Rule) -> bool:
    """Tells whether a rule allows all that a rule with one of each allows."""
    if not _has(held, "verbs", single["verbs"][0]):
        return False
    if "nonResourceURLs" in single:
        paths = held.get("nonResourceURLs") or ()
        # a rule for one object has no paths, and one with paths has no objects
        return not held.get("resourceNames") and any(_covers_path(each, single["nonResourceURLs"][0]) for each in paths)
    names, wanted = held.get("resourceNames") or (), single.get("resourceNames") or ()
    named = not names or bool(wanted and wanted[0] in names)
    return named and _has(held, "apiGroups", single["apiGroups"][0]) and _covers_resource(held, single["resources"][0])


def _has(rule: Rule, key: str, value: str) -> bool:
    values = rule.get(key) or ()
    return "*" in values or value in values


def _covers_resource(rule: Rule, resource: str) -> bool:
    _, _, below = resource.partition("/")
    return _has(rule, "resources", resource) or bool(below and f"*/{below}" in (rule.get("resources") or ()))


def _covers_path(held: str, path: str) -> bool:
    return held == path or (held.endswith("*") and path.startswith(held.rstrip("*")))
