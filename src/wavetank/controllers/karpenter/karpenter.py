"""The provisioner of nodes, put together."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.karpenter.catalog import OptionCatalog
from wavetank.controllers.karpenter.disruption.candidates import CandidateFinder
from wavetank.controllers.karpenter.disruption.consolidation import Consolidator
from wavetank.controllers.karpenter.disruption.controller import DisruptionController
from wavetank.controllers.karpenter.disruption.methods import (
    Emptiness,
    MultiNodeConsolidation,
    SingleNodeConsolidation,
)
from wavetank.controllers.karpenter.nodeclaims import NodeClaims
from wavetank.controllers.karpenter.nodepools import NodePool, by_weight
from wavetank.controllers.karpenter.packing import Packer
from wavetank.controllers.karpenter.provisioner import Provisioner
from wavetank.controllers.karpenter.settings import InstanceProvider, Settings
from wavetank.controllers.karpenter.snapshot import ProvisioningSnapshot
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.controllers.karpenter.termination import Terminator

_METHODS = (Emptiness, MultiNodeConsolidation, SingleNodeConsolidation)


class Karpenter:
    """Launches nodes of pools for pending pods and takes away what is not needed, by Karpenter's rules."""

    def __init__(
        self,
        context: ControllerContext,
        pools: Sequence[NodePool],
        settings: Settings,
        snapshot: ProvisioningSnapshot,
        provider: InstanceProvider,
        evictions: Evictions,
    ) -> None:
        store = context.store
        self.state = ClusterState(store)
        self._claims = NodeClaims(context, self.state, provider, self._deleted)
        self._terminator = Terminator(store, self.state, evictions, provider, self._claims.remove)
        packer = Packer(snapshot, self.state, OptionCatalog(by_weight(pools), store))
        self._provisioner = Provisioner(store, self.state, packer, self._claims, settings)
        consolidator = Consolidator(store, self.state, packer, self._provisioner, settings)
        finder = CandidateFinder(store, self.state)
        methods = [method(context.clock, self.state, finder, consolidator) for method in _METHODS]
        DisruptionController(store, self.state, self._claims, self._provisioner, methods)

    def _deleted(self, managed: ManagedNode) -> None:
        self._terminator.terminate(managed)
        self._provisioner.follow_node(managed.name)
