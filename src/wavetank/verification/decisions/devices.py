"""Compares the devices that the resource claims of a pod get."""

from __future__ import annotations

from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.plugins.dynamicresources.plugin import DynamicResources
from wavetank.verification.decisions.recording import Attempt, Result


def compared_devices(result: Result, attempt: Attempt, cycle: Cycle) -> tuple[object, object] | None:
    """Returns (recorded, ours): the allocations on the chosen node, by claim; None if there are none."""
    plugin = next((plugin for plugin in cycle.framework.filter if isinstance(plugin, DynamicResources)), None)
    if plugin is None or attempt.chosen is None:
        return None
    ours = plugin.allocations(cycle, attempt.chosen)
    return (result.allocations, ours) if result.allocations or ours else None
