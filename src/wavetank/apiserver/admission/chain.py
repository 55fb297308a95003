from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from wavetank.apiserver.admission.accounts import ServiceAccount
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.certificates import (
    CertificateApproval,
    CertificateSigning,
    CertificateSubjectRestriction,
    MaySign,
    SignerPlugin,
)
from wavetank.apiserver.admission.limits import LimitRanger
from wavetank.apiserver.admission.namespaces import NamespaceLifecycle
from wavetank.apiserver.admission.nodes import DefaultIngressClass, TaintNodesByCondition
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.admission.pods import DefaultTolerationSeconds, PodTopologyLabels, Priority, RuntimeClass
from wavetank.apiserver.admission.podsecurity import PodSecurity
from wavetank.apiserver.admission.policies.admission import PolicyAdmission
from wavetank.apiserver.admission.quotas import ResourceQuota
from wavetank.apiserver.admission.storage import (
    DefaultStorageClass,
    PersistentVolumeClaimResize,
    StorageObjectInUseProtection,
)
from wavetank.apiserver.admission.webhooks.admission import WebhookAdmission
from wavetank.apiserver.requests.request import User
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
    CertificateSubjectRestriction,
    DefaultIngressClass,
    PodTopologyLabels,
    ResourceQuota,
)
_SIGNER_PLUGINS: tuple[type[SignerPlugin], ...] = (CertificateApproval, CertificateSigning)
MUTATING, VALIDATING = "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"
POLICY = "ValidatingAdmissionPolicy"
_LAST = ResourceQuota.name  # charges what all others have allowed
ALL_PLUGINS = frozenset({*(plugin.name for plugin in (*_PLUGINS, *_SIGNER_PLUGINS)), MUTATING, POLICY, VALIDATING})
# Without controllers no service accounts are created and no new nodes are untainted.
DEFAULT_PLUGINS = ALL_PLUGINS - {"ServiceAccount", "TaintNodesByCondition"}


def _all_may(user: User, verb: str, signer: str) -> bool:
    return True


class AdmissionChain:
    """The enabled admission plugins in order, and `more` after them: all mutate the object, then all validate it.

    Webhooks are called after all built-in plugins but quotas. If one has changed the object, all plugins mutate it once
    more, and those webhooks that want to be called again. `may_sign` tells which users may approve and sign
    certificates. `check` refuses what is otherwise ready for validation.
    """

    def __init__(
        self,
        store: Store,
        plugins: Collection[str] = DEFAULT_PLUGINS,
        webhooks: WebhookAdmission | None = None,
        more: Sequence[Plugin] = (),
        policies: PolicyAdmission | None = None,
        may_sign: MaySign = _all_may,
        check: Callable[[Attributes], None] | None = None,
    ) -> None:
        self._check = check
        made: list[Plugin] = [plugin(store) for plugin in _PLUGINS if plugin.name in plugins]
        made += [plugin(store, may_sign) for plugin in _SIGNER_PLUGINS if plugin.name in plugins]
        self._plugins = [*(plugin for plugin in made if plugin.name != _LAST), *more]
        self._last = [plugin for plugin in made if plugin.name == _LAST]
        self._mutating = webhooks if MUTATING in plugins else None
        self._validating = webhooks if VALIDATING in plugins else None
        self._policies = policies if POLICY in plugins else None

    @property
    def may_wait(self) -> bool:
        """Tells whether others may be served during admission: a webhook is called, or a costly policy evaluated."""
        if self._validating is not None and not self._validating.table.is_empty:
            return True
        return self._policies is not None and self._policies.table.is_costly

    def mutate(self, attributes: Attributes) -> None:
        """Runs mutating admission, before validation; a StatusError refuses the object."""
        if self._mutate(attributes) and attributes.reinvocation is not None:
            attributes.reinvocation.is_second = True
            self._mutate(attributes)
        if self._check is not None:
            self._check(attributes)

    def _mutate(self, attributes: Attributes) -> bool:
        """Runs all plugins; returns whether a webhook has changed the object."""
        for plugin in self._plugins:
            plugin.mutate(attributes)
        changed = self._mutating is not None and self._mutating.mutate(attributes)
        for plugin in self._last:
            plugin.mutate(attributes)
        return changed

    def validate(self, attributes: Attributes) -> None:
        """Runs validating admission, of an object that is otherwise valid; a StatusError refuses it."""
        for plugin in self._plugins:
            plugin.validate(attributes)
        self.validate_outside(attributes)
        for plugin in self._last:
            plugin.validate(attributes)

    def validate_outside(self, attributes: Attributes) -> None:
        """Runs policies and webhooks that check an object; a deletion is first shown to those that change objects."""
        if attributes.operation == "DELETE" and self._mutating is not None:
            self._mutating.mutate(attributes)
        if self._policies is not None:
            self._policies.validate(attributes)
        if self._validating is not None:
            self._validating.validate(attributes)
