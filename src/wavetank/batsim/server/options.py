from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerOptions:
    """Batsim's options that a scheduler is told of; `scheduler_config` is passed on as it is."""

    compute_sharing: bool = False
    storage_sharing: bool = True
    dynamic_jobs: bool = False
    acknowledge_dynamic_jobs: bool = False
    profile_reuse: bool = False
    forward_profiles: bool = False
    forward_unknown_events: bool = False
    scheduler_config: str = ""

    def config(self) -> dict[str, object]:
        """Returns the `config` of SIMULATION_BEGINS."""
        return {
            "redis-enabled": False,
            "redis-hostname": "127.0.0.1",
            "redis-port": 6379,
            "redis-prefix": "default",
            "profiles-forwarded-on-submission": self.forward_profiles,
            "dynamic-jobs-enabled": self.dynamic_jobs,
            "dynamic-jobs-acknowledged": self.acknowledge_dynamic_jobs,
            "profile-reuse-enabled": self.profile_reuse,
            "sched-config": self.scheduler_config,
            "forward-unknown-events": self.forward_unknown_events,
        }


DEFAULT_OPTIONS = ServerOptions()
