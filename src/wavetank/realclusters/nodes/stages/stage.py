from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.realclusters.nodes.stages.expressions import parse_expression
from wavetank.realclusters.nodes.stages.template import Functions, Template, parse_template

API_VERSION = "kwok.x-k8s.io/v1alpha1"
Object = Mapping[str, Any]
Values = Callable[[Any], list[Any]]

_MILLISECOND: Nanoseconds = SECOND // 1000


@dataclass(frozen=True)
class Requirement:
    """A requirement of a selector: what the values of an expression have to be."""

    values: Values
    operator: str
    wanted: frozenset[str]

    def holds(self, given: Object) -> bool:
        """Tells whether an object meets it."""
        found = self.values(given)
        if self.operator in ("Exists", "DoesNotExist"):
            return bool(found) == (self.operator == "Exists")
        return any(_text(value) in self.wanted for value in found) == (self.operator == "In")


@dataclass(frozen=True)
class Stage:
    """One step of a pod's lifecycle: for which pods, after which delay, and what follows.

    `delay` and `jitter` are in nanoseconds; an expression may take another value from the pod.
    """

    name: str
    requirements: tuple[Requirement, ...]
    weight: int
    delay: Nanoseconds
    delay_from: Values | None
    jitter: Nanoseconds | None
    jitter_from: Values | None
    status: Template | None
    deletes: bool
    empties_finalizers: bool

    def matches(self, pod: Object) -> bool:
        """Tells whether it is the turn of a pod for this stage."""
        return all(requirement.holds(pod) for requirement in self.requirements)

    def draw_delay(self, pod: Object, random: random.Random) -> Nanoseconds:
        """Draws the delay of a pod: between the delay and the jitter, if that is longer."""
        delay = _stated(self.delay_from, pod)
        jitter = _stated(self.jitter_from, pod)
        delay = self.delay if delay is None else delay
        jitter = self.jitter if jitter is None else jitter
        return delay if jitter is None or jitter <= delay else random.randint(delay, jitter)

    def status_of(self, pod: Object) -> dict[str, Any]:
        """Returns the status that follows; InputError if the template does not make a mapping."""
        if self.status is None:
            return {}
        try:
            made = yaml.safe_load(self.status.render(pod)) or {}
        except yaml.YAMLError as error:
            raise InputError(f"stage {self.name}: its status template makes no YAML: {error}") from None
        return dict(fields.mapping(made, f"stage {self.name}: statusTemplate"))


def read_stages(paths: Sequence[Path], functions: Functions) -> list[Stage]:
    """Reads the Stages of pods; InputError that names the field or kind, if it is not covered."""
    stages = []
    for path in paths:
        for i, document in enumerate(load_documents(read_text(path), str(path))):
            if document is None:
                continue
            try:
                stages.append(_read(fields.mapping(document, ""), functions))
            except InputError as error:
                raise error.inside(source=f"{path}: document {i + 1}") from None
    if not stages:
        raise InputError("there is no Stage", source=", ".join(map(str, paths)))
    return stages


def _read(document: Object, functions: Functions) -> Stage:
    if (document.get("apiVersion"), document.get("kind")) != (API_VERSION, "Stage"):
        raise InputError(f"expected a Stage of {API_VERSION}, got {document.get('kind')!r:.40}", path="kind")
    spec = _only(document, "spec", ("resourceRef", "selector", "weight", "delay", "next"), "")
    reference = _only(spec, "resourceRef", ("apiGroup", "kind"), "spec")
    if (reference.get("apiGroup", "v1"), reference.get("kind")) != ("v1", "Pod"):
        raise InputError(f"only Stages of pods are covered, not of {reference.get('kind')}", path="spec.resourceRef")
    delay = _only(spec, "delay", _DELAY, "spec")
    following = _only(spec, "next", ("statusTemplate", "delete", "finalizers"), "spec")
    template = following.get("statusTemplate")
    place = "spec.next.statusTemplate"
    jitter = delay.get("jitterDurationMilliseconds")
    finalizers = _only(following, "finalizers", ("empty",), "spec.next")
    return Stage(
        str((document.get("metadata") or {}).get("name") or ""),
        tuple(_requirements(_only(spec, "selector", _SELECTOR, "spec"))),
        int(spec.get("weight") or 0),
        int(delay.get("durationMilliseconds") or 0) * _MILLISECOND,
        _expression_from(delay, "durationFrom"),
        None if jitter is None else int(jitter) * _MILLISECOND,
        _expression_from(delay, "jitterDurationFrom"),
        None if template is None else parse_template(str(template), functions, place),
        bool(following.get("delete")),
        bool(finalizers.get("empty")),
    )


_DELAY = ("durationMilliseconds", "durationFrom", "jitterDurationMilliseconds", "jitterDurationFrom")
_SELECTOR = ("matchLabels", "matchAnnotations", "matchExpressions")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def _only(section: Object, name: str, known: Sequence[str], path: str) -> Object:
    """Returns a mapping of a section; InputError that names a field that is not covered."""
    place = f"{path}.{name}".lstrip(".")
    found = fields.mapping(section.get(name) or {}, place)
    for field in found:
        if field not in known:
            raise InputError(f"{field} is not covered: expected {', '.join(known)}", path=place)
    return found


def _requirements(selector: Object) -> list[Requirement]:
    found = []
    for field, part in (("matchLabels", "labels"), ("matchAnnotations", "annotations")):
        for key, value in fields.strings(selector.get(field), f"spec.selector.{field}").items():
            expression = parse_expression(f'.metadata.{part}["{key}"]', f"spec.selector.{field}")
            found.append(Requirement(expression, "In", frozenset({value})))
    for i, each in enumerate(selector.get("matchExpressions") or ()):
        place = f"spec.selector.matchExpressions[{i}]"
        if each.get("operator") not in _OPERATORS:
            raise InputError(f"expected one of {', '.join(_OPERATORS)}, got {each.get('operator')!r:.40}", path=place)
        values = frozenset(_text(value) for value in each.get("values") or ())
        found.append(Requirement(parse_expression(str(each.get("key")), place), str(each["operator"]), values))
    return found


def _expression_from(delay: Object, name: str) -> Values | None:
    given = _only(delay, name, ("expressionFrom",), "spec.delay")
    stated = given.get("expressionFrom")
    return None if stated is None else parse_expression(str(stated), f"spec.delay.{name}.expressionFrom")


def _stated(values: Values | None, pod: Object) -> Nanoseconds | None:
    """Returns the duration that an expression finds in a pod; None if there is none, or it is not a duration."""
    found = values(pod) if values is not None else []
    try:
        return parse_duration(str(found[0])) if found else None
    except InputError:
        return None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
