from __future__ import annotations

from collections.abc import Collection

from wavetank.apiserver.admission.accounts import ServiceAccount
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.limits import LimitRanger
from wavetank.apiserver.admission.namespaces import NamespaceLifecycle
from wavetank.apiserver.admission.nodes import DefaultIngressClass, TaintNodesByCondition
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.admission.pods import DefaultTolerationSeconds, PodTopologyLabels, Priority, RuntimeClass
from wavetank.apiserver.admission.podsecurity import PodSecurity
from wavetank.apiserver.admission.quotas import ResourceQuota
from wavetank.apiserver.admission.storage import (
    DefaultStorageClass,
    PersistentVolumeClaimResize,
    StorageObjectInUseProtection,
)
from wavetank.cluster.store.store import Store

# In the order of the real server.
_PLUGINS: tuple[type[Plugin], ...] = (
    NamespaceLifecycle,
    LimitRanger,
    ServiceAccount,
    TaintNodesByCondition,
    PodSecurity,
    Priority,
    DefaultTolerationSeconds,
    DefaultStorageClass,
    StorageObjectInUseProtection,
    PersistentVolumeClaimResize,
    RuntimeClass,
    DefaultIngressClass,
    PodTopologyLabels,
    ResourceQuota,
)
ALL_PLUGINS = frozenset(plugin.name for plugin in _PLUGINS)
# Without controllers no service accounts are created and no new nodes are untainted.
DEFAULT_PLUGINS = ALL_PLUGINS - {"ServiceAccount", "TaintNodesByCondition"}


class AdmissionChain:
    """The enabled admission plugins in order: all mutate the object, then all validate it."""

    def __init__(self, store: Store, plugins: Collection[str] = DEFAULT_PLUGINS) -> None:
        self._plugins = [plugin(store) for plugin in _PLUGINS if plugin.name in plugins]

    def mutate(self, attributes: Attributes) -> None:
        """Runs mutating admission, before validation; a StatusError refuses the object."""
        for plugin in self._plugins:
            plugin.mutate(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Runs validating admission, of an object that is otherwise valid; a StatusError refuses it."""
        for plugin in self._plugins:
            plugin.validate(attributes)
