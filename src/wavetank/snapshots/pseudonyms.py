"""Names that say nothing, in place of those of a cluster."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from wavetank.cluster.objects.resource import Manifest

_PART = re.compile(r"[^-./_:@]+")
_SHORTEST, _LONGEST = 3, 6  # characters of a pseudonym
# Keys whose values say where a node is or what it is made of, which schedulers and readers need to recognize.
_KEPT_VALUES = frozenset(
    {
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "node.kubernetes.io/instance-type",
        "beta.kubernetes.io/instance-type",
        "kubernetes.io/os",
        "beta.kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/arch",
    }
)
_KEPT_KEYS = frozenset({"pod-template-hash", "controller-revision-hash", "pod-template-generation", "job-name"})
_KEPT_DOMAINS = ("kubernetes.io", "k8s.io", "wavetank.dev")
_KEPT_NAMES = frozenset({"", "default-scheduler", "system-node-critical", "system-cluster-critical"})
# Fields whose text is a name, wherever they stand.
_NAMES = frozenset(
    {
        "name",
        "namespace",
        "nodeName",
        "nominatedNodeName",
        "claimName",
        "storageClassName",
        "volumeName",
        "serviceName",
        "priorityClassName",
        "runtimeClassName",
        "resourceClaimName",
        "resourceClaimTemplateName",
        "deviceClassName",
        "schedulerName",
        "uid",
        "image",
        "volumeHandle",
    }
)
_MAPS = frozenset({"labels", "matchLabels", "selector", "nodeSelector"})  # from keys to values
_KEYED = frozenset({"matchExpressions", "matchFields", "taints", "tolerations", "matchLabelExpressions"})


class Pseudonyms:
    """Replaces names part by part, the same part by the same pseudonym whenever the key is the same.

    Numbers and separators stay, so that pods of a StatefulSet keep their ordinals and names keep their prefixes.
    """

    def __init__(self, key: str) -> None:
        self._key = hashlib.sha256(key.encode()).digest()
        self._part = cache(self._hashed)

    def name(self, name: str) -> str:
        """Returns the pseudonym of a name."""
        return name if name in _KEPT_NAMES else _PART.sub(lambda part: self._part(part[0]), name)

    def label_key(self, key: str) -> str:
        """Returns the key of a label or taint; Kubernetes' own stay."""
        domain = key.rpartition("/")[0]
        return key if key in _KEPT_KEYS or domain.endswith(_KEPT_DOMAINS) else self.name(key)

    def label_value(self, key: str, value: str) -> str:
        """Returns the value of a label or taint."""
        return value if key in _KEPT_VALUES else self.name(value)

    def _hashed(self, part: str) -> str:
        if part.isdecimal():
            return part
        digest = hashlib.blake2b(part.encode(), key=self._key[:32], digest_size=10).digest()
        text = base64.b32encode(digest).decode().lower()
        return text[: min(max(len(part), _SHORTEST), _LONGEST)]


def anonymized(manifest: Manifest, pseudonyms: Pseudonyms) -> dict[str, Any]:
    """Returns an object of a snapshot with pseudonyms for all names that its owner has given."""
    kept = {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"]}
    made = {**_Walk(pseudonyms).mapping(manifest), **kept}
    if manifest["kind"] == "CSIDriver":  # other objects name it as their driver or provisioner
        made["metadata"]["name"] = manifest["metadata"]["name"]
    return made


def _limits(driver: Mapping[str, Any]) -> dict[str, Any]:
    return {key: driver[key] for key in ("allocatable", "topologyKeys") if key in driver}


class _Walk:
    """Goes through an object."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._names = pseudonyms
        self._special: Mapping[str, Callable[[Any], Any]] = {
            **dict.fromkeys(_MAPS, self._map),
            **dict.fromkeys(_KEYED, self._keyed_list),
            "topologyKey": self._names.label_key,
            "images": lambda value: [],  # their names are those of teams and programs
            "drivers": lambda value: [{"name": each.get("name"), "nodeID": ""} | _limits(each) for each in value],
            "parameters": lambda value: {},
            "resources": lambda value: value,
            "allocatable": lambda value: value,
            "capacity": lambda value: value,
            "annotations": self._annotations,
            "conditions": lambda value: [{key: each[key] for key in each if key != "message"} for each in value],
        }

    def mapping(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._value(key, value) for key, value in given.items()}

    def _value(self, key: str, value: Any) -> Any:
        if key in self._special and value is not None:
            return self._special[key](value)
        if isinstance(value, str):
            return self._names.name(value) if key in _NAMES else value
        return self._nested(value)

    def _nested(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.mapping(value)
        if isinstance(value, list):
            return [self._nested(each) for each in value]
        return value

    def _map(self, given: Any) -> Any:
        """Handles labels, and selectors, which may hold further maps."""
        if not isinstance(given, Mapping):
            return given
        if any(not isinstance(value, str) for value in given.values()):
            return self.mapping(given)
        names = self._names
        return {names.label_key(key): names.label_value(key, value) for key, value in given.items()}

    def _keyed_list(self, given: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [self._keyed(each) for each in given]

    def _keyed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Handles a requirement, a taint or a toleration: a key with a value or values."""
        key, names, made = str(given.get("key") or ""), self._names, dict(given)
        if "key" in given and key != "metadata.name":
            made["key"] = names.label_key(key)
        if isinstance(given.get("value"), str):
            made["value"] = names.label_value(key, given["value"])
        if isinstance(given.get("values"), list):
            made["values"] = [names.label_value(key, str(each)) for each in given["values"]]
        return made

    def _annotations(self, given: Mapping[str, str]) -> dict[str, str]:
        return {key: value for key, value in given.items() if key.startswith("wavetank.dev/")}
