"""Looks whether pods fit on fewer or cheaper nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wavetank.cluster.objects.karpenter import ON_DEMAND, SPOT
from wavetank.cluster.store.store import Store
from wavetank.controllers.karpenter.disruption.candidates import Candidate
from wavetank.controllers.karpenter.nodepools import Option
from wavetank.controllers.karpenter.packing import Packed, Packer
from wavetank.controllers.karpenter.plannedclaims import PlannedClaim
from wavetank.controllers.karpenter.podrules import DisruptionLimits
from wavetank.controllers.karpenter.provisioner import Provisioner
from wavetank.controllers.karpenter.settings import Settings
from wavetank.controllers.karpenter.state import ClusterState

SPOT_CHOICES = 15  # cheaper types that a spot node must have before it is replaced by another spot node


@dataclass(frozen=True, slots=True)
class Command:
    """Nodes to delete, what takes their place, and where their pods are expected."""

    reason: str
    candidates: tuple[Candidate, ...]
    replacement: PlannedClaim | None = None
    packed: Packed | None = None


class Consolidator:
    """Computes commands by packing the pods of candidates on the rest of the cluster."""

    def __init__(
        self, store: Store, state: ClusterState, packer: Packer, provisioner: Provisioner, settings: Settings
    ) -> None:
        self._store = store
        self._state = state
        self._packer = packer
        self._provisioner = provisioner
        self._settings = settings

    def compute(self, reason: str, candidates: Sequence[Candidate]) -> Command | None:
        """Returns the command that deletes all candidates, with at most one cheaper node in their place."""
        packed = self._simulate(candidates)
        if packed is None or len(packed.claims) > 1:
            return None
        if not packed.claims:
            return Command(reason, tuple(candidates), packed=packed)
        claim = packed.claims[0]
        kept = self._cheaper(claim.options(), candidates)
        if not kept:
            return None
        claim.keep(kept)
        return Command(reason, tuple(candidates), claim, packed)

    def is_sensible(self, command: Command) -> bool:
        """Narrows the replacement of several nodes: if one of them has the same type, keeping that one is better.

        Options must then be cheaper than the cheapest such node. Returns whether any is left.
        """
        claim = command.replacement
        if claim is None:
            return True
        types = {option.type.name for option in claim.options()}
        same = [each.price for each in command.candidates if each.node.option.type.name in types]
        kept = _below(claim.options(), min(same)) if same else claim.options()
        if kept:
            claim.keep(kept)
        return bool(kept)

    def still_holds(self, command: Command, candidates: Sequence[Candidate]) -> bool:
        """Returns whether packing gives the same result again: the same number of new nodes, the types possible."""
        packed = self._simulate(candidates)
        if packed is None or len(packed.claims) != (command.replacement is not None):
            return False
        if command.replacement is None:
            return True
        possible = {option.type.name for option in packed.claims[0].options()}
        return {option.type.name for option in command.replacement.options()} <= possible

    def _simulate(self, candidates: Sequence[Candidate]) -> Packed | None:
        """Packs all pods that need a node without the candidates; None if one that has a node now would have none.

        Nor may pods rely on nodes that are not initialized, except those of nodes that are being deleted anyway.
        """
        limits = DisruptionLimits(self._store, self._store.clock.now)
        moving = [pod for each in candidates for pod in each.pods if limits.currently_reschedulable(pod)]
        displaced = self._provisioner.displaced()
        pods = [*self._provisioner.pending(), *moving, *displaced]
        packed = self._packer.pack(pods, [each.name for each in candidates])
        moved = {pod.uid for pod in moving}
        placed = {pod.uid for pod in (*moving, *displaced)}
        if any(pod.uid in placed for pod in packed.failed):
            return None
        managed = self._state.managed
        early = (name for name in packed.placed if name in managed and managed[name].initialized is None)
        if any(pod.uid in moved for name in early for pod in packed.placed[name]):
            return None
        return packed

    def _cheaper(self, options: list[Option], candidates: Sequence[Candidate]) -> list[Option]:
        """Returns the options that are cheaper than the candidates; spot nodes replace spot nodes only if allowed."""
        price = sum(each.price for each in candidates)
        all_spot = all(each.node.option.offering.capacity_type == SPOT for each in candidates)
        kinds = {option.offering.capacity_type for option in options}
        if all_spot and SPOT in kinds:
            return self._spot_to_spot(options, price, len(candidates) == 1)
        kept = _below(options, price)
        kinds = {option.offering.capacity_type for option in kept}
        if kinds == {SPOT, ON_DEMAND}:  # the price was compared as if it were spot
            kept = _spot(kept)
        return kept

    def _spot_to_spot(self, options: list[Option], price: float, single: bool) -> list[Option]:
        if not self._settings.spot_to_spot:
            return []
        kept = _below(_spot(options), price)
        types = list(dict.fromkeys(option.type.name for option in kept))
        if not single:
            return kept
        if len(types) < SPOT_CHOICES:
            return []
        first = set(types[:SPOT_CHOICES])
        return [option for option in kept if option.type.name in first]


def _spot(options: Sequence[Option]) -> list[Option]:
    return [option for option in options if option.offering.capacity_type == SPOT]


def _below(options: Sequence[Option], price: float) -> list[Option]:
    """Returns the options of types whose worst price is below another one: as spot if they are offered so."""
    worst: dict[str, float] = {}
    for name in dict.fromkeys(option.type.name for option in options):
        same = [option for option in options if option.type.name == name]
        worst[name] = max(option.price for option in _spot(same) or same)
    return [option for option in options if worst[option.type.name] < price]
