"""Where MiSim's behaviour and the intended one differ: one field per difference, and the two presets."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from wavetank.kernel.durations import SECOND, Nanoseconds

MICROSECOND: Nanoseconds = 1000

PresetName = Literal["correct", "misim"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a preset; the defaults are those of `correct`. docs/services.md gives the reason of each."""

    truncates_to_microseconds: bool = False
    arrival_after_stop: bool = False
    parallel_loops: bool = False
    ignores_network_latency: bool = False
    deviation_below_first: bool = False
    last_injection_replaces: bool = False
    loses_retried_requests: bool = False
    refusals_count_as_failures: bool = False
    sends_above_limit: bool = False
    even_keeps_dead_instances: bool = False
    mlfq_skips_middle: bool = False
    start_counts_twice: bool = False
    prefix_means_qualified: bool = False
    drops_unreadable_scenarios: bool = False
    stops_at_bad_injection: bool = False
    refuses_load_zero: bool = False
    draining_refuses_answers: bool = False
    work_on_next_instance: bool = False
    even_never_counts: bool = False
    dead_pods_keep_cpu: bool = False
    hash_ordered_pods: bool = False
    dead_containers_fail_pods: bool = False
    searches_event_list: bool = False
    sums_up_gaps: bool = False

    def span(self, seconds: float) -> Nanoseconds:
        """Returns a time in nanoseconds, with the resolution of the preset."""
        if self.truncates_to_microseconds:
            return int(seconds * 1e6) * MICROSECOND
        return round(seconds * SECOND)


_DEFECTS = [each.name for each in fields(Rules) if each.name != "sums_up_gaps"]

CORRECT = Rules()
MISIM = Rules(**dict.fromkeys(_DEFECTS, True))
# misim-orchestration uses an older MiSim, which adds up gaps before it truncates them
MISIM_ORCHESTRATION = replace(MISIM, sums_up_gaps=True)
PRESETS: dict[PresetName, Rules] = {"correct": CORRECT, "misim": MISIM}
