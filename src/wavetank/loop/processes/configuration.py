"""A user's KubeSchedulerConfiguration, completed for the loop, and a list of the changes."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.selectors import read_mapping
from wavetank.cluster.releases import NEWEST, Version
from wavetank.errors import InputError

GROUP = "kubescheduler.config.k8s.io"
HEAD = {"apiVersion": f"{GROUP}/v1", "kind": "KubeSchedulerConfiguration"}
DEFAULT_NAME = "default-scheduler"

# What the loop requires: no parallelism, no leader election, no client-side rate limit.
_NEEDED: Mapping[str, Mapping[str, Any]] = {
    "leaderElection": {"leaderElect": False},
    "clientConnection": {
        "contentType": "application/json",
        "acceptContentTypes": "application/json",
        "qps": -1,
        "burst": 0,
    },
}
_DEFAULTS = {
    "leaderElection.leaderElect": True,
    "clientConnection.contentType": "application/vnd.kubernetes.protobuf",
    "clientConnection.acceptContentTypes": "",
    "clientConnection.qps": 50,
    "clientConnection.burst": 100,
    "parallelism": 16,
}


def check_configuration(document: Mapping[str, Any]) -> None:
    """Validates the parts of a configuration that the loop reads; the program validates the rest."""
    for field, expected in HEAD.items():
        if document.get(field) != expected:
            raise InputError(f"expected {expected}, got {document.get(field)!r:.60}", path=field)
    for field in _NEEDED:
        if not isinstance(document.get(field) or {}, Mapping):
            raise InputError(f"expected a mapping, got {document[field]!r:.60}", path=field)
    for field in ("profiles", "extenders"):
        items = document.get(field) or []
        if not isinstance(items, list):
            raise InputError(f"expected a list, got {items!r:.60}", path=field)
        for i, item in enumerate(items):
            try:
                read_mapping(item)
            except InputError as error:
                raise error.inside(path=f"{field}[{i}]") from None


def scheduler_names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the schedulerNames of a configuration's profiles."""
    profiles = document.get("profiles") or [{}]
    return tuple(str(profile.get("schedulerName") or DEFAULT_NAME) for profile in profiles)


def renamed(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Returns a configuration whose only profile has another schedulerName; InputError if it has several."""
    profiles = document.get("profiles") or [{}]
    if len(profiles) != 1:
        raise InputError("a configuration with several profiles has names of its own", path="schedulerName")
    return {**document, "profiles": [{**profiles[0], "schedulerName": name}]}


def complete(
    document: Mapping[str, Any], kubeconfig: str, extenders: list[str], release: Version = NEWEST
) -> dict[str, Any]:
    """Returns the configuration for a program of that release, in the version of the API that it reads.

    `extenders` are the addresses that replace those of its extenders.
    """
    completed = copy.deepcopy(dict(document))
    completed["apiVersion"] = f"{GROUP}/{_config_version(release)}"
    if release >= (1, 20):
        completed["parallelism"] = 1  # a constant 16 before
    for section, needed in _NEEDED.items():
        completed[section] = {**(completed.get(section) or {}), **needed}
    completed["clientConnection"]["kubeconfig"] = kubeconfig
    for extender, address in zip(completed.get("extenders") or [], extenders, strict=True):
        extender["urlPrefix"] = address
        for field in ("enableHTTPS", "tlsConfig"):  # the proxy uses them
            extender.pop(field, None)
    return completed


def _config_version(release: Version) -> str:
    """Returns the newest version of KubeSchedulerConfiguration that a release reads."""
    beta = 3 if release >= (1, 23) else 2 if release >= (1, 22) else 1
    return "v1" if release >= (1, 25) else f"v1beta{beta}"


def changes(document: Mapping[str, Any]) -> list[str]:
    """Describes what `complete` changes, field by field: the given or default value, and the new one."""
    descriptions = [_change("parallelism", document.get("parallelism"), 1)]
    for section, needed in _NEEDED.items():
        given = document.get(section) or {}
        descriptions.extend(_change(f"{section}.{field}", given.get(field), value) for field, value in needed.items())
    if (document.get("clientConnection") or {}).get("kubeconfig"):
        descriptions.append("clientConnection.kubeconfig is wavetank's")
    descriptions.extend(
        f"extenders[{i}].urlPrefix is a proxy for {extender.get('urlPrefix')}"
        for i, extender in enumerate(document.get("extenders") or [])
    )
    return [change for change in descriptions if change]


def _change(field: str, given: object, value: object) -> str:
    before = _DEFAULTS[field] if given is None else given
    return f"{field} {_json(before)} → {_json(value)}" if before != value else ""


def _json(value: object) -> str:
    import json

    return json.dumps(value)
