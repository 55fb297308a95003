"""Explained attempts for the terminal, and as plain data for JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.kernel.durations import SECOND, format_seconds
from wavetank.results.attempts.explanation import Explanation, Refusal
from wavetank.scheduling.framework.plugin import ScoreStep
from wavetank.words import plural

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
    return {"pods": [_attempt_data(entry) for entry in explanations]}


def _attempt_data(entry: Explanation) -> dict[str, Any]:
    return {
        "pod": entry.pod,
        "attempt": entry.attempt,
        "time_s": None if entry.time is None else entry.time / SECOND,
        "outcome": entry.outcome,
        "nodes": entry.nodes,
        "evaluated": entry.evaluated,
        "feasible_count": entry.feasible_count,
        "feasible": entry.feasible,
        "filtered": {node: _refusal_data(refusal) for node, refusal in entry.filtered.items()},
        "refusals": [{**_refusal_data(refusal), "nodes": count} for refusal, count in entry.refusals.items()],
        "rejected": None if entry.rejected is None else _refusal_data(entry.rejected),
        "scores": entry.scores,
        "totals": entry.totals,
        "steps": [{"plugin": plugin, **asdict(step)} for plugin, steps in entry.steps.items() for step in steps],
        "candidate_count": entry.candidate_count,
        "candidates": entry.candidates,
        "chosen": entry.chosen,
        "diverged": entry.diverged,
        "message": entry.message or None,
        "nominated": entry.nominated,
        "victims": entry.victims,
    }


def _refusal_data(refusal: Refusal) -> dict[str, Any]:
    return {"plugin": refusal.plugin, "reasons": refusal.reasons}


# tables


def explanation_view(entry: Explanation, most: int = MOST_NODES) -> Iterator[Text | Table]:
    """Yields one attempt in lines and tables to print, with the scores of the best `most` nodes."""
    yield Text.assemble((f"{entry.pod}: ", "bold"), *_heading(entry))
    if entry.attempt:
        yield Text(f"  {_counts(entry)}")
    if entry.message:
        yield Text(f"  message: {entry.message}")
    if entry.nominated:
        yield Text(f"  nominated: {entry.nominated}, victims: {_list(entry.victims, len(entry.victims)) or 'none'}")
    if entry.refusals:
        yield _refusal_table(entry)
    if entry.totals:
        best = sorted(entry.totals, key=lambda node: (-entry.totals[node], node != entry.chosen, node))
        for plugin, steps in entry.steps.items():
            yield from _step_tables(plugin, steps, best, most)
        yield _score_table(entry, best[:most])
        yield Text(f"  * chosen, = tied{_rest(entry, best[most:])}")
    if entry.candidate_count > 1:
        yield Text(f"  {entry.candidate_count} nodes tie: {_list(entry.candidates, entry.candidate_count)}")
    yield Text()


def _heading(entry: Explanation) -> Iterator[str | tuple[str, str]]:
    if not entry.attempt:
        yield _UNTRIED[entry.outcome]
        return
    yield entry.outcome + (f" to {entry.chosen}" if entry.chosen and entry.outcome == "bound" else "")
    if entry.diverged:
        yield (
            f", diverged: given {entry.chosen}, not among {_list(entry.candidates, entry.candidate_count) or 'any'}",
            "red",
        )
    if entry.attempt > 1 or entry.time is not None:
        yield f" (attempt {entry.attempt}{'' if entry.time is None else f' at {format_seconds(entry.time)} s'})"


def _counts(entry: Explanation) -> str:
    refused = sum(entry.refusals.values())
    skipped = entry.nodes - entry.feasible_count - refused
    nodes = f"{entry.nodes} {plural(entry.nodes, 'node')}"
    if entry.rejected is not None:
        return f"{nodes}: the pod was rejected by {entry.rejected.plugin} before any was looked at"
    left = f", {skipped} not considered" if skipped else ""
    return f"{nodes}: {entry.feasible_count} feasible, {refused} filtered out{left}"


def _refusal_table(entry: Explanation) -> Table:
    table = _table("Filtered out by", "Reason")
    table.add_column("Nodes", justify="right")
    if entry.filtered:
        table.add_column("Which", overflow="fold")
    for refusal, count in entry.refusals.items():
        names = [node for node, given in entry.filtered.items() if given == refusal]
        which = [_list(names, count)] if entry.filtered else []
        table.add_row(*map(Text, (refusal.plugin, ", ".join(refusal.reasons), str(count), *which)))
    return table


def _score_table(entry: Explanation, nodes: Sequence[str]) -> Table:
    table = _table("Node")
    for plugin in (*entry.scores, "Total"):
        table.add_column(Text(_folded(plugin)), justify="right", overflow="fold")
    for node in nodes:
        numbers = (*(scores[node] for scores in entry.scores.values()), entry.totals[node])
        style = "bold" if node == entry.chosen else ""
        table.add_row(Text(_marked(node, entry)), *(Text(f"{number:g}") for number in numbers), style=style)
    return table


def _step_tables(plugin: str, steps: Sequence[ScoreStep], best: Sequence[str], most: int) -> Iterator[Text | Table]:
    """Yields the steps of a plugin as tables, with the best nodes in the order of their totals."""
    left_out = set(best[most:])
    for number, step in enumerate(steps, 1):
        yield Text(f"  {plugin}, step {number}: {step.title}")
        table = _table("")
        for column in step.columns:
            table.add_column(Text(column), justify="right", overflow="fold")
        order = [name for name in best if name in step.rows] or list(step.rows)
        for name in order:
            if name not in left_out:
                table.add_row(Text(name), *(Text(f"{value:.6g}") for value in step.rows[name]))
        yield table


def _rest(entry: Explanation, others: Sequence[str]) -> str:
    if not others:
        return ""
    shown = len(entry.totals) - len(others)
    more = entry.feasible_count - shown
    return f"; {more} more feasible {plural(more, 'node')}, the lowest total is {entry.totals[others[-1]]:g}"


def _marked(node: str, entry: Explanation) -> str:
    if node == entry.chosen:
        return f"{node} *"
    return f"{node} =" if entry.candidate_count > 1 and node in entry.candidates else node


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
