"""The page of an answer of `wavetank whatif`."""

from __future__ import annotations

from pathlib import Path

from wavetank.planning.whatif.answer import Answer
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import SCRIPTS, STYLES, items, rows_table, section
from wavetank.report.planning.nodemap import map_rows, node_map
from wavetank.report.planning.whatifview import disrupted, pods_line, rows_before_and_after
from wavetank.report.planning.words import by_reason, seconds, some
from wavetank.words import counted

_MOST_ROWS = 200


def write_whatif_page(answer: Answer, path: Path) -> Path:
    """Writes the page of an answer and returns its path; the same answer gives the same bytes."""
    changes = "; ".join(step.text for step in answer.steps) or "nothing"
    slots = {
        "facts": items((answer.snapshot, f"scheduler {answer.scheduler}", f"latency {answer.latency}")),
        "warnings": warnings_block(answer.notes),
        "body": _body(answer),
    }
    data = {"tables": {"node-map": map_rows(answer.before, answer.after)}}
    return write_page(path, fill_page("planning/template.html", f"What if: {changes}", STYLES, SCRIPTS, data, slots))


def _body(answer: Answer) -> str:
    changes = rows_table(("Change", "Took"), ((step.text, seconds(step.took_s)) for step in answer.steps))
    figures = rows_table(("", "Before", "After"), rows_before_and_after(answer))
    parts = [
        section(
            "answer",
            "Before and after",
            pods_line(answer),
            f'<div class="pair"><div>{figures}</div><div>{changes}</div></div>',
        ),
        section("map", "Nodes", _MAP, node_map(answer.before, answer.after) + _KEY),
        _pending(answer),
        _blocked(answer),
        _disruptions(answer),
        _moves(answer),
    ]
    return "".join(parts)


def _pending(answer: Answer) -> str:
    if not answer.after.pending:
        return ""
    rows = [(reason, some(pods), f"{len(pods):,}") for reason, pods in by_reason(answer.after.pending)]
    lead = f"{counted(len(answer.after.pending), 'pod')} have no node at the end."
    return section("pending", "Pending pods", lead, rows_table(("Reason", "Pods", "Number"), rows, 2))


def _blocked(answer: Answer) -> str:
    if not answer.blocked and not answer.lost:
        return ""
    rows = [(each.pod, each.node, each.reason) for each in answer.blocked]
    rows += [(pod, "", "lost: no controller creates it again") for pod in answer.lost]
    lead = "Pods that a disruption budget did not let go, and bare pods, which are lost with their node."
    return section("blocked", "Blocked and lost", lead, rows_table(("Pod", "Node", "Reason"), rows[:_MOST_ROWS], 3))


def _disruptions(answer: Answer) -> str:
    rows = [
        (each.kind, f"{each.namespace}/{each.name}", f"{each.fewest}", f"{each.wanted}", seconds(each.below_s))
        for each in disrupted(answer)
    ]
    lead = (
        "The fewest ready pods at any time, of those ready before, by workload, disruption budget and service."
        if rows
        else "Every workload, disruption budget and service had as many ready pods as before all the time."
    )
    heading = ("Kind", "Name", "Fewest ready", "Ready before", "Time with fewer")
    return section("disruption", "Disruption", lead, rows_table(heading, rows[:_MOST_ROWS], 2) if rows else "")


def _moves(answer: Answer) -> str:
    if not answer.moves:
        return ""
    rows = [(each.pod, each.source, each.replacement, each.target) for each in answer.moves]
    shown = f" The first {_MOST_ROWS} are shown; --json has all." if len(rows) > _MOST_ROWS else ""
    lead = f"{counted(len(rows), 'pod')} that left a node, and the pods that took their place.{shown}"
    table = rows_table(("Pod", "From", "Replaced by", "On"), rows[:_MOST_ROWS], 4)
    return section("moves", "Moves", lead, f"<details><summary>Show</summary>{table}</details>")


_MAP = "One box per node, in the same place on both sides; its colour is the requested share of its CPU."
_KEY = (
    '<p class="key">0 % <span class="ramp"></span> 100 % of the CPU requested'
    '<span class="sample new"></span> new <span class="sample cordoned"></span> cordoned'
    '<span class="sample down"></span> not ready <span class="sample absent"></span> not there</p>'
)
