"""KubeSchedulerConfigurations in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def a_document(**fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        **fields,
    }


def a_document_with_plugins(**sets: Any) -> dict[str, Any]:
    return a_document(profiles=[{"plugins": sets}])


def a_document_with_args(plugin: str, args: object) -> dict[str, Any]:
    return a_document(profiles=[{"pluginConfig": [{"name": plugin, "args": args}]}])


def a_set(enabled: str = "", disabled: str = "") -> dict[str, Any]:
    """Makes a plugin set of words such as `ImageLocality=5`."""
    return {
        "enabled": [_plugin(word) for word in enabled.split()],
        "disabled": [_plugin(word) for word in disabled.split()],
    }


def _plugin(word: str) -> Mapping[str, Any]:
    name, _, weight = word.partition("=")
    return {"name": name, "weight": int(weight)} if weight else {"name": name}
