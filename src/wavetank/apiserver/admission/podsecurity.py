from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.admission.podstandards import Violation, violations
from wavetank.apiserver.errors import invalid as invalid_object
from wavetank.apiserver.fielderrors import FieldError, invalid
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import NAMESPACE, POD
from wavetank.cluster.store.store import Store

_PREFIX = "pod-security.kubernetes.io/"
_LEVELS = ("privileged", "baseline", "restricted")
_LATEST = 35  # the minor release that "latest" means
_MOST_PODS = 3000  # looked at when the level of a namespace changes
_IGNORED = frozenset({"exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"})
_WORKLOADS = frozenset(
    {
        "ReplicationController",
        "PodTemplate",
        "ReplicaSet.apps",
        "Deployment.apps",
        "StatefulSet.apps",
        "DaemonSet.apps",
        "Job.batch",
        "CronJob.batch",
    }
)


class Standard(NamedTuple):
    """A level of a release; `minor` is None for the latest."""

    level: str = "privileged"
    minor: int | None = None

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor is None else f'v1.{self.minor}'}"

    def broken_by(self, metadata: dict[str, Any], spec: dict[str, Any]) -> list[Violation]:
        """Returns the violations of a pod."""
        minor = _LATEST if self.minor is None else min(self.minor, _LATEST)
        return violations(self.level, minor, metadata, spec)


class Policy(NamedTuple):
    """The policy of a namespace: the standards that are enforced and warned of."""

    enforce: Standard = Standard()
    warn: Standard = Standard()
    mistakes: tuple[FieldError, ...] = ()


class PodSecurity(Plugin):
    """Refuses pods, and warns about workloads, that violate the standards in their namespace's labels."""

    name = "PodSecurity"

    def validate(self, attributes: Attributes) -> None:
        """Checks pods, workloads, and namespaces whose labels change."""
        group_kind, operation = attributes.kind.group_kind, attributes.operation
        if operation not in ("CREATE", "UPDATE"):
            return
        if group_kind == "Namespace" and not attributes.subresource:
            self._validate_namespace(attributes)
        elif group_kind == "Pod" and attributes.subresource not in _IGNORED:
            self._validate_pod(attributes)
        elif group_kind in _WORKLOADS and not attributes.subresource:
            self._validate_workload(attributes)

    def _validate_pod(self, attributes: Attributes) -> None:
        policy, pod = _policy_of(self.store, attributes.namespace), attributes.document
        if attributes.old is not None and not _changes_containers(pod["spec"], attributes.old["spec"]):
            return
        broken = policy.enforce.broken_by(pod["metadata"], pod["spec"])
        if broken:
            raise attributes.refused(f"violates PodSecurity {quote(str(policy.enforce))}: {_listed(broken)}")
        self._warn(attributes, policy.warn, pod["metadata"], pod["spec"])

    def _validate_workload(self, attributes: Attributes) -> None:
        template = _template(attributes.document)
        if template is not None:
            policy = _policy_of(self.store, attributes.namespace)
            self._warn(attributes, policy.warn, template.get("metadata") or {}, template.get("spec") or {})

    def _warn(self, attributes: Attributes, standard: Standard, metadata: Any, spec: Any) -> None:
        broken = standard.broken_by(metadata, spec)
        if broken:
            attributes.warnings.append(f"would violate PodSecurity {quote(str(standard))}: {_listed(broken)}")

    def _validate_namespace(self, attributes: Attributes) -> None:
        new = _parse(attributes.document["metadata"].get("labels") or {})
        old = _parse(attributes.old["metadata"].get("labels") or {}) if attributes.old is not None else None
        if new.mistakes and (old is None or new.mistakes != old.mistakes):
            raise invalid_object(attributes.kind.group_kind, attributes.name, new.mistakes)
        if old is not None and _is_stricter(new.enforce, old.enforce):
            attributes.warnings += self._warnings_about_pods(attributes.name, new.enforce)

    def _warnings_about_pods(self, namespace: str, standard: Standard) -> list[str]:
        pods = sorted((pod for pod in self.store.list(POD) if pod.namespace == namespace), key=lambda pod: pod.name)
        found: dict[str, list[str]] = {}
        for pod in pods[:_MOST_PODS]:
            document = pod.render()
            broken = standard.broken_by(document["metadata"], document["spec"])
            if broken:
                found.setdefault(", ".join(each.reason for each in broken), []).append(pod.name)
        if not found:
            return []
        head = f"existing pods in namespace {quote(namespace)} violate the new PodSecurity enforce level"
        return [f"{head} {quote(str(standard))}", *sorted(_about(names, why) for why, names in found.items())]


def _policy_of(store: Store, namespace: str) -> Policy:
    found = store.find(NAMESPACE, "", namespace)
    return _parse(found.labels) if found is not None else Policy()


def _parse(labels: Mapping[str, str]) -> Policy:
    """Reads the labels of a namespace; the enforced standard is also warned of, unless another one is stated."""
    if not any(label.startswith(_PREFIX) for label in labels):
        return Policy()
    mistakes: list[FieldError] = []
    enforce = _standard(labels, "enforce", mistakes, "restricted")
    _standard(labels, "audit", mistakes, "privileged")
    warn = _standard(labels, "warn", mistakes, "privileged")
    if f"{_PREFIX}warn" not in labels and labels.get(f"{_PREFIX}enforce") in _LEVELS:
        minor = warn.minor if f"{_PREFIX}warn-version" in labels else enforce.minor
        warn = Standard(enforce.level, minor)
    return Policy(enforce, warn, tuple(mistakes))


def _standard(labels: Mapping[str, str], mode: str, mistakes: list[FieldError], fallback: str) -> Standard:
    level, version = labels.get(_PREFIX + mode, "privileged"), labels.get(f"{_PREFIX}{mode}-version", "latest")
    if level not in _LEVELS:
        mistakes.append(_mistake(mode, level, f"must be one of {', '.join(_LEVELS)}"))
        level = fallback
    found = re.fullmatch(r"v1\.(0|[1-9][0-9]*)", version)
    if version != "latest" and not found:
        mistakes.append(_mistake(f"{mode}-version", version, 'must be "latest" or "v1.x"'))
    return Standard(level, int(found[1]) if found else None)


def _mistake(label: str, value: str, why: str) -> FieldError:
    return invalid(f"metadata.labels[{_PREFIX}{label}]", value, why)


def _is_stricter(new: Standard, old: Standard) -> bool:
    if new == old or new.level == "privileged":
        return False
    return new.minor != old.minor or _LEVELS.index(new.level) > _LEVELS.index(old.level)


def _changes_containers(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Says whether an update changes containers or images, which is all that it can change."""
    for field in ("containers", "initContainers"):
        images = [[each.get("image") for each in spec.get(field) or ()] for spec in (new, old)]
        if images[0] != images[1]:
            return True
    known = {each["name"]: each.get("image") for each in old.get("ephemeralContainers") or ()}
    added = new.get("ephemeralContainers") or ()
    return any(each["name"] not in known or known[each["name"]] != each.get("image") for each in added)


def _template(document: dict[str, Any]) -> dict[str, Any] | None:
    spec = document.get("spec") or {}
    job = ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template")
    template: dict[str, Any] | None = document.get("template") or spec.get("template") or job
    return template


def _listed(broken: list[Violation]) -> str:
    return ", ".join(str(each) for each in broken)


def _about(names: list[str], why: str) -> str:
    others = len(names) - 1
    if not others:
        return f"{names[0]}: {why}"
    return f"{names[0]} (and {others} other pod{'s' if others > 1 else ''}): {why}"
