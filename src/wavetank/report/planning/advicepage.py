"""The page of an answer of `wavetank explain`: why a pod is pending, or on its node, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from wavetank.explanation.advice.advice import Advice
from wavetank.explanation.advice.refusednodes import RefusedNode, Shortage
from wavetank.explanation.podquestion import PodAnswer
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import SCRIPTS, STYLES, items, rows_table, section
from wavetank.report.planning.adviceview import NOTHING, by_group, refusals_text, shortage_text
from wavetank.results.attempts.explanation import Explanation
from wavetank.words import counted

_MOST_ROWS = 200
_MOST_BARS = 8


def write_advice_page(answer: PodAnswer, path: Path) -> Path:
    """Writes the page of an answer and returns its path; the same answer gives the same bytes."""
    last = answer.explanations[-1]
    where = f"on {last.chosen}" if last.chosen else "pending"
    tried = [] if answer.advice is None else [counted(answer.advice.tried, "trial")]
    slots = {
        "facts": items([answer.source, counted(last.nodes, "node"), *tried]),
        "warnings": warnings_block(answer.notes),
        "body": "".join(_sections(answer)),
    }
    title = f"Why {last.pod} is {where}"
    return write_page(
        path, fill_page("planning/template.html", title, STYLES, SCRIPTS, {"tables": _tables(answer)}, slots)
    )


def _sections(answer: PodAnswer) -> Iterator[str]:
    yield from (_why(i, each) for i, each in enumerate(answer.explanations))
    if answer.advice is not None:
        yield _offers(answer.advice)
        if answer.advice.nodes:
            yield _bars(answer.advice.nodes)
            yield _nodes(answer.advice.nodes)


def _why(number: int, entry: Explanation) -> str:
    refusals = [(refusal.plugin, ", ".join(refusal.reasons), f"{count:,}") for refusal, count in entry.refusals.items()]
    parts = [rows_table(("Filtered out by", "Reason", "Nodes"), refusals, 2)] if refusals else []
    if entry.totals:
        parts.append(_scores(entry))
    title = f"Attempt {entry.attempt}: {entry.outcome}" if entry.attempt else f"Not tried: {entry.outcome}"
    lead = entry.message or f"{entry.feasible_count:,} of {counted(entry.nodes, 'node')} feasible."
    return section(f"attempt-{number}", title, lead, "".join(parts))


def _scores(entry: Explanation) -> str:
    best = sorted(entry.totals, key=lambda node: (-entry.totals[node], node != entry.chosen, node))[:_MOST_ROWS]
    rows = [
        (node, *(f"{scores[node]:g}" for scores in entry.scores.values()), f"{entry.totals[node]:g}") for node in best
    ]
    return rows_table(("Node", *entry.scores, "Total"), rows)


def _offers(advice: Advice) -> str:
    rows = [
        ("" if i else group, offer.text, offer.node)
        for group, offers in by_group(advice.offers)
        for i, offer in enumerate(offers)
    ]
    lead = "Changes that let the pod in, each tried with the scheduler's own filters, and the node that it would get."
    if not rows:
        return section("help", "What would help", NOTHING, "")
    return section("help", "What would help", lead, rows_table(("Change of", "What to do", "Node"), rows, 3))


def _bars(nodes: Sequence[RefusedNode]) -> str:
    short = _short(nodes)
    if not short:
        return ""
    rows = "".join(_bar(node.name, shortage) for node in short for shortage in node.shortages)
    lead = "What is requested already, what the pod requests, and what of it a node does not have."
    return section("short", "How much is missing", lead, f'<ol class="shortages" id="shortages">{rows}</ol>{_KEY}')


def _short(nodes: Sequence[RefusedNode]) -> list[RefusedNode]:
    """Returns the nodes whose bars are drawn."""
    return [node for node in nodes if node.shortages][:_MOST_BARS]


def _tables(answer: PodAnswer) -> dict[str, list[list[str | float]]]:
    """Returns the rows of the bars by the id of their element, in the units in which the scheduler counts."""
    short = [] if answer.advice is None else _short(answer.advice.nodes)
    heading: list[str | float] = ["node", "resource", "requested", "free", "allocatable", "missing"]
    rows: list[list[str | float]] = [
        [node.name, each.resource, each.requested, each.free, each.allocatable, each.missing]
        for node in short
        for each in node.shortages
    ]
    return {"shortages": [heading, *rows]} if rows else {}


def _bar(node: str, shortage: Shortage) -> str:
    used = max(shortage.allocatable - shortage.free, 0)
    whole = max(used + shortage.requested, shortage.allocatable, 1)
    fits = max(min(shortage.free, shortage.requested), 0)
    widths = (("used", used), ("fits", fits), ("missing", shortage.requested - fits))
    parts = "".join(f'<i class="{name}" style="--share:{100 * part / whole:.2f}%"></i>' for name, part in widths)
    return f"<li><span>{escape(node)}</span><div>{parts}</div><b>short of {escape(shortage_text(shortage))}</b></li>"


def _nodes(nodes: Sequence[RefusedNode]) -> str:
    rows = [(node.name, refusals_text(node)) for node in nodes[:_MOST_ROWS]]
    shown = f" The nearest {_MOST_ROWS} are shown; --json has all." if len(nodes) > _MOST_ROWS else ""
    lead = f"{counted(len(nodes), 'node')} with everything that keeps the pod off, the nearest first.{shown}"
    return section("nodes", "All nodes", lead, rows_table(("Node", "Rejected by"), rows, 2))


_KEY = (
    '<p class="key"><span class="sample used"></span> requested by others <span class="sample fits"></span> fits'
    ' <span class="sample missing"></span> missing</p>'
)
