from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from wavetank.cluster.context import ActorContext
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, Connect, SchedulerOptions, TieBreaking
from wavetank.scheduling.config import Configuration
from wavetank.scheduling.forecast import Forecast
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.extenders.extenders import Extender, Extenders
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.queue.queue import QueueRules
from wavetank.scheduling.framework.selection import ExactTies, RandomTies, Ties
from wavetank.scheduling.policy import OwnPlugin, build_policy, policy_framework, with_plugins
from wavetank.scheduling.registry import Handle, build_frameworks, not_simulated
from wavetank.scheduling.scheduler.scheduler import Scheduler


@dataclass(frozen=True)
class SchedulerDefinition:
    """A scheduler that can be attached to any cluster: a configuration, with or without a user's policy in it.

    `own_ties` makes the rule for ties of a scheduler that has one of its own, whatever is wanted of others. With
    `in_order` a pod that does not fit blocks those behind it.
    """

    name: str
    description: str
    configuration: Configuration
    policy: type | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    own_ties: Callable[[], Ties] | None = None
    forecast: Forecast | None = None
    in_order: bool = False
    plugins: tuple[OwnPlugin, ...] = ()  # beside those of the configuration, in every profile

    @property
    def expects(self) -> bool:
        """Returns whether its policy reads a `forecast`."""
        return hasattr(self.policy, "expect")

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""
        return tuple(profile.scheduler_name for profile in self.configuration.profiles)

    def renamed(self, scheduler_name: str) -> Self:
        """Returns the same for pods of another schedulerName; InputError if it has several profiles."""
        profiles = self.configuration.profiles
        if len(profiles) != 1:
            raise InputError("a configuration with several profiles has names of its own")
        profile = replace(profiles[0], scheduler_name=scheduler_name)
        return replace(self, configuration=replace(self.configuration, profiles=(profile,)))

    def notes(self) -> list[str]:
        """Returns a line for each enabled plugin that is not simulated."""
        return [f"the plugin {plugin} is not simulated: it was ignored" for plugin in not_simulated(self.configuration)]

    def is_portable(self) -> bool:
        """Returns whether it can be sent to another process: a class defined in a notebook cannot."""
        classes = (self.policy, *(own.policy for own in self.plugins))
        return all(each is None or each.__module__ != "__main__" for each in classes)

    def frameworks(self, handle: Handle, streams: Streams) -> list[Framework]:
        """Makes its profiles for one run."""
        if self.policy is None:
            made = build_frameworks(self.configuration, handle)
            own = [(each, self._built(each.policy, each.args, each.name, handle, streams)) for each in self.plugins]
            return [with_plugins(framework, own) for framework in made] if own else made
        policy = self._built(self.policy, self.args, self.name, handle, streams)
        if hasattr(policy, "plugins"):
            policy.seed = streams.seed
        if self.forecast is not None:
            policy.expect(self.forecast)
        return [policy_framework(policy, self.name, self.configuration, handle)]

    def _built(self, cls: type, args: Mapping[str, Any], name: str, handle: Handle, streams: Streams) -> Any:
        policy = build_policy(cls, args)
        policy.random = streams.stream(f"policy/{name}")
        policy.now = handle.now
        policy.power = handle.power
        return policy

    def _extenders(self, streams: Streams, connect: Connect | None) -> Extenders:
        configs = self.configuration.extenders
        if configs and connect is None:
            raise InputError(f"scheduler {self.name}: extenders cannot be called here", path="extenders")
        extenders = [Extender(config, connect(config)) for config in configs] if connect else []
        return Extenders(extenders, streams.stream(f"scheduler/{self.name}/extenders") if extenders else None)

    def _ties(self, wanted: TieBreaking, streams: Streams, version: Version) -> Ties:
        if self.own_ties is not None:
            return self.own_ties()
        exact = wanted == "exact" and version >= (1, 35)  # before, the release itself draws among the best
        return ExactTies() if exact else RandomTies(streams.stream(f"scheduler/{self.name}/ties"))

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> Scheduler:
        """Starts it on a cluster."""
        configuration, clock, streams, version = self.configuration, context.clock, context.streams, context.version
        rules = QueueRules(
            initial_backoff=configuration.pod_initial_backoff_s * SECOND,
            max_backoff=configuration.pod_max_backoff_s * SECOND,
            pop_from_backoff=version >= (1, 33),
            in_order=self.in_order,
            max_unschedulable=(300 if version >= (1, 24) else 60) * SECOND,
            updates_end_backoff=version <= (1, 20),
        )
        draws = streams.stream(f"scheduler/{self.name}/preemption")
        handle = Handle(
            version,
            Listers(),
            draws,
            self._extenders(streams, options.connect),
            now=lambda: clock.now,
            power=options.power,
        )
        return Scheduler(
            context.store,
            clock,
            self.frameworks(handle, streams),
            handle.listers,
            ties=self._ties(options.ties, streams, version),
            random=streams.stream(f"scheduler/{self.name}/latency"),
            rules=rules,
            latency=options.latency,
            takes_all=options.takes_all and len(configuration.profiles) == 1,
            explain=options.explain,
            beside=options.beside,
        )
