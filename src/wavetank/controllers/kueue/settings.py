from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.controllers.kueue.scheduler.fairpreemption import DEFAULT_STRATEGIES, STRATEGIES
from wavetank.errors import InputError

CONFIGURATION = "Configuration.config.kueue.x-k8s.io"

# Fields of Kueue's Configuration that change nothing of what is modelled.
_WITHOUT_EFFECT = frozenset(
    {
        "apiVersion",
        "kind",
        "metadata",
        "namespace",
        "health",
        "metrics",
        "webhook",
        "leaderElection",
        "controller",
        "internalCertManagement",
        "clientConnection",
        "integrations",
        "featureGates",
        "managedJobsNamespaceSelector",
        "tls",
        "fairSharing",
    }
)


@dataclass(frozen=True)
class Settings:
    """Kueue's configuration, as far as it is modelled: whether it shares fairly, and how it preempts then."""

    fair_sharing: bool = False
    strategies: tuple[str, ...] = DEFAULT_STRATEGIES


def read_settings(configuration: Mapping[str, Any]) -> Settings:
    """Reads Kueue's Configuration; InputError for a field that is not modelled."""
    for field, value in configuration.items():
        if field not in _WITHOUT_EFFECT and value not in (None, {}, [], False):
            raise InputError("the built-in Kueue does not model this", path=field)
    for gate in configuration.get("featureGates") or ():
        if gate.startswith("TAS") or gate == "TopologyAwareScheduling":
            raise InputError("the built-in Kueue places pods by the defaults", path=f"featureGates.{gate}")
    sharing = configuration.get("fairSharing")
    if sharing is None or sharing.get("enable") is False:
        return Settings()
    strategies = tuple(sharing.get("preemptionStrategies") or DEFAULT_STRATEGIES)
    if any(each not in STRATEGIES for each in strategies) or not 1 <= len(strategies) <= 2:
        expected = "expected one or both of " + ", ".join(STRATEGIES)
        raise InputError(f"{expected}, got {list(strategies)}", path="fairSharing.preemptionStrategies")
    return Settings(True, strategies)
