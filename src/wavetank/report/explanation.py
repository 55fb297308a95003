"""Explained attempts for the terminal, and as plain data for JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.kernel.durations import SECOND, format_seconds
from wavetank.results.attempts.explanation import Explanation, Refusal

MOST_NODES = 10  # with their scores; the other feasible nodes are counted
_MOST_NAMES = 5  # of nodes in one line
_HEAD_WIDTH = 12

_UNTRIED = {
    "gated": "not tried: it has scheduling gates",
    "ignored": "not tried: no profile has its schedulerName",
    "not_enqueued": "not tried: a PreEnqueue plugin holds it back",
    "prebound": "not tried: it names its node itself",
}


# JSON


def explanation_data(explanations: Sequence[Explanation]) -> dict[str, Any]:
    """Returns everything as plain data; docs/explain.md describes it."""
    return {"pods": [_attempt_data(told) for told in explanations]}


def _attempt_data(told: Explanation) -> dict[str, Any]:
    return {
        "pod": told.pod,
        "attempt": told.attempt,
        "time_s": None if told.time is None else told.time / SECOND,
        "outcome": told.outcome,
        "nodes": told.nodes,
        "evaluated": told.evaluated,
        "feasible_count": told.feasible_count,
        "feasible": told.feasible,
        "filtered": {node: _refusal_data(refusal) for node, refusal in told.filtered.items()},
        "refusals": [{**_refusal_data(refusal), "nodes": count} for refusal, count in told.refusals.items()],
        "rejected": None if told.rejected is None else _refusal_data(told.rejected),
        "scores": told.scores,
        "totals": told.totals,
        "candidate_count": told.candidate_count,
        "candidates": told.candidates,
        "chosen": told.chosen,
        "diverged": told.diverged,
        "message": told.message or None,
        "nominated": told.nominated,
        "victims": told.victims,
    }


def _refusal_data(refusal: Refusal) -> dict[str, Any]:
    return {"plugin": refusal.plugin, "reasons": refusal.reasons}


# tables


def explanation_view(told: Explanation, most: int = MOST_NODES) -> Iterator[Text | Table]:
    """Yields one attempt in lines and tables to print, with the scores of the best `most` nodes."""
    yield Text.assemble((f"{told.pod}: ", "bold"), *_heading(told))
    if told.attempt:
        yield Text(f"  {_counts(told)}")
    if told.message:
        yield Text(f"  message: {told.message}")
    if told.nominated:
        yield Text(f"  nominated: {told.nominated}, victims: {_list(told.victims, len(told.victims)) or 'none'}")
    if told.refusals:
        yield _refusal_table(told)
    if told.totals:
        best = sorted(told.totals, key=lambda node: (-told.totals[node], node != told.chosen, node))
        yield _score_table(told, best[:most])
        yield Text(f"  * chosen, = tied{_rest(told, best[most:])}")
    if told.candidate_count > 1:
        yield Text(f"  {told.candidate_count} nodes tie: {_list(told.candidates, told.candidate_count)}")
    yield Text()


def _heading(told: Explanation) -> Iterator[str | tuple[str, str]]:
    if not told.attempt:
        yield _UNTRIED[told.outcome]
        return
    yield told.outcome + (f" to {told.chosen}" if told.chosen and told.outcome == "bound" else "")
    if told.diverged:
        yield (
            f", diverged: given {told.chosen}, not among {_list(told.candidates, told.candidate_count) or 'any'}",
            "red",
        )
    if told.attempt > 1 or told.time is not None:
        yield f" (attempt {told.attempt}{'' if told.time is None else f' at {format_seconds(told.time)} s'})"


def _counts(told: Explanation) -> str:
    refused = sum(told.refusals.values())
    skipped = told.nodes - told.feasible_count - refused
    if told.rejected is not None:
        return f"{told.nodes} nodes: the pod was rejected by {told.rejected.plugin} before any was looked at"
    left = f", {skipped} not considered" if skipped else ""
    return f"{told.nodes} nodes: {told.feasible_count} feasible, {refused} filtered out{left}"


def _refusal_table(told: Explanation) -> Table:
    table = _table("Filtered out by", "Reason")
    table.add_column("Nodes", justify="right")
    if told.filtered:
        table.add_column("Which", overflow="fold")
    for refusal, count in told.refusals.items():
        names = [node for node, given in told.filtered.items() if given == refusal]
        which = [_list(names, count)] if told.filtered else []
        table.add_row(*map(Text, (refusal.plugin, ", ".join(refusal.reasons), str(count), *which)))
    return table


def _score_table(told: Explanation, nodes: Sequence[str]) -> Table:
    table = _table("Node")
    for plugin in (*told.scores, "Total"):
        table.add_column(Text(_folded(plugin)), justify="right", overflow="fold")
    for node in nodes:
        numbers = (*(scores[node] for scores in told.scores.values()), told.totals[node])
        style = "bold" if node == told.chosen else ""
        table.add_row(Text(_marked(node, told)), *(Text(f"{number:g}") for number in numbers), style=style)
    return table


def _rest(told: Explanation, others: Sequence[str]) -> str:
    if not others:
        return ""
    shown = len(told.totals) - len(others)
    return f"; {told.feasible_count - shown} more feasible nodes, the lowest total is {told.totals[others[-1]]:g}"


def _marked(node: str, told: Explanation) -> str:
    if node == told.chosen:
        return f"{node} *"
    return f"{node} =" if told.candidate_count > 1 and node in told.candidates else node


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    return table


def _folded(plugin: str) -> str:
    """Breaks a long name between its words, so that a column is no wider than it must be."""
    lines = [""]
    for word in re.findall(r"[A-Z]?[^A-Z]+|[A-Z]+", plugin):
        if lines[-1] and len(lines[-1]) + len(word) > _HEAD_WIDTH:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def _list(names: Sequence[str], count: int) -> str:
    more = count - min(len(names), _MOST_NAMES)
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more and names else "")
