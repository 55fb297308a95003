"""The loop of disruption, and the commands that it has begun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from wavetank.cluster.store.store import Store
from wavetank.controllers.karpenter.disruption.consolidation import Command
from wavetank.controllers.karpenter.disruption.methods import Method
from wavetank.controllers.karpenter.nodeclaims import NodeClaims
from wavetank.controllers.karpenter.provisioner import Provisioner
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.controllers.karpenter.termination import taint
from wavetank.kernel.clock import SCHEDULERS
from wavetank.kernel.durations import SECOND, Nanoseconds

_POLL: Nanoseconds = 10 * SECOND
_VALIDATION: Nanoseconds = 15 * SECOND
_RETRY: Nanoseconds = SECOND
_GIVE_UP: Nanoseconds = 600 * SECOND  # a command whose replacement is not there by then


@dataclass(frozen=True, slots=True)
class _Begun:
    """A command that waits for its replacement."""

    command: Command
    replacement: ManagedNode | None
    since: Nanoseconds


class DisruptionController:
    """Tries one method after the other; after a command has begun, at once again, otherwise every ten seconds.

    Each command is computed again 15 seconds later and only carried out if it still holds. After one with a replacement
    the next try is a second later: Karpenter's state is not in sync until the new instance has an id.
    """

    def __init__(
        self,
        store: Store,
        state: ClusterState,
        claims: NodeClaims,
        provisioner: Provisioner,
        methods: Sequence[Method],
    ) -> None:
        self._store = store
        self._clock = store.clock
        self._state = state
        self._claims = claims
        self._provisioner = provisioner
        self._methods = methods
        self._steps = self._loop()
        self._step()

    def _step(self) -> None:
        self._clock.after(next(self._steps), self._next_step, background=True)

    def _next_step(self) -> None:
        self._clock.at(self._clock.now, self._step, SCHEDULERS, background=True)

    def _loop(self) -> Iterator[Nanoseconds]:
        """Yields the times between its steps."""
        while True:
            pause = _POLL
            for method in self._methods:
                command = method.plan()
                if command is None:
                    continue
                yield _VALIDATION
                command = method.validate(command)
                if command is not None:
                    self._begin(command)
                    pause = 0 if command.replacement is None else _RETRY
                    break
            yield pause

    # commands

    def _begin(self, command: Command) -> None:
        """Taints the nodes, launches the replacement, and deletes the nodes when that is initialized."""
        for each in command.candidates:
            taint(self._store, self._state, each.name)
            self._claims.set_condition(each.node, "DisruptionReason", "True", command.reason)
        replacement = self._claims.create(command.replacement) if command.replacement is not None else None
        for each in command.candidates:
            each.node.marked = True
            self._provisioner.follow_node(each.name)
        self._state.mark_changed()
        if command.packed is not None:
            self._provisioner.nominate(command.packed)
        self._continue(_Begun(command, replacement, self._clock.now))

    def _continue(self, begun: _Begun) -> None:
        """Deletes the nodes, or waits on; without its replacement a command is given up."""
        new, now = begun.replacement, self._clock.now
        if new is not None and new.initialized is None:
            lost = new.name not in self._state.managed or new.deleting
            if lost or now - begun.since > _GIVE_UP:
                self._give_up(begun.command)
            else:
                self._clock.after(_RETRY, partial(self._look_again, begun), background=True)
            return
        for each in begun.command.candidates:
            self._claims.delete(each.name)

    def _look_again(self, begun: _Begun) -> None:
        """Continues after all else at this instant: looks take some time, so that they fall behind whole seconds."""
        self._clock.at(self._clock.now, partial(self._continue, begun), SCHEDULERS, background=True)

    def _give_up(self, command: Command) -> None:
        for each in command.candidates:
            each.node.marked = False
            taint(self._store, self._state, each.name, wanted=False)
            self._claims.set_condition(each.node, "DisruptionReason", "False", command.reason)
        self._state.mark_changed()
