"""The plugin that sent a pod to another node, by the recorded attempts of two runs."""

from __future__ import annotations

from pathlib import Path

from wavetank.errors import InputError
from wavetank.results.attempts.explanation import Explanation
from wavetank.results.attempts.reading import RecordedAttempts
from wavetank.results.layout import ATTEMPTS


class PluginAttribution:
    """The recorded attempts of two runs, A and B; empty unless both were recorded."""

    def __init__(self, a: Path, b: Path) -> None:
        recorded = all((folder / ATTEMPTS).is_file() for folder in (a, b))
        self._attempts = [RecordedAttempts(folder / ATTEMPTS) for folder in (a, b)] if recorded else []

    def why(self, pod: str, node_a: str, node_b: str) -> str:
        """Returns the cause of the difference between two nodes in a line; "" if it is not known."""
        if not self._attempts or not node_a or not node_b or node_a == node_b:
            return ""
        a, b = (_binding(attempts, pod) for attempts in self._attempts)
        if a is None or b is None:
            return ""
        return _refusal(a, node_b, "A") or _refusal(b, node_a, "B") or _score(a, b, node_a, node_b)


def _binding(attempts: RecordedAttempts, pod: str) -> Explanation | None:
    """Returns the attempt that found a node for a pod."""
    try:
        return next((attempt for attempt in reversed(attempts.of(pod)) if attempt.chosen), None)
    except InputError:
        return None


def _refusal(attempt: Explanation, node: str, run: str) -> str:
    refused = attempt.filtered.get(node)
    return f"{refused.plugin} refuses {node} in {run}" if refused is not None else ""


def _score(a: Explanation, b: Explanation, node_a: str, node_b: str) -> str:
    """Returns the plugin whose lead of A's node over B's changed most from B to A."""
    leads_a, leads_b = _leads(a, node_a, node_b), _leads(b, node_a, node_b)
    if leads_a is None or leads_b is None:
        missing = node_b if leads_a is None else node_a
        return f"{missing} was not among the nodes recorded in {'A' if leads_a is None else 'B'}"
    plugins = dict.fromkeys([*leads_a, *leads_b])
    changes = {plugin: leads_a.get(plugin, 0) - leads_b.get(plugin, 0) for plugin in plugins}
    plugin = max(changes, key=lambda name: changes[name], default="")
    if not plugin or changes[plugin] <= 0:
        return "a tie, drawn otherwise"
    return f"{plugin}: {node_a} leads by {leads_a.get(plugin, 0):g} in A, by {leads_b.get(plugin, 0):g} in B"


def _leads(attempt: Explanation, node: str, other: str) -> dict[str, float] | None:
    """Returns by how much each score prefers a node to another; None if one of them was not scored or not kept."""
    if node not in attempt.totals or other not in attempt.totals:
        return None
    return {plugin: float(scores[node]) - float(scores[other]) for plugin, scores in attempt.scores.items()}
