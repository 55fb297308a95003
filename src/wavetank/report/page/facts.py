"""The header of the page: facts of the experiment."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from wavetank.report.page.parts import items
from wavetank.results.facts import ExperimentFacts
from wavetank.words import counted, plural

OPEN_WARNINGS = 3  # more than these are folded away


def facts_line(experiment: ExperimentFacts) -> str:
    """Returns the facts of an experiment as HTML list items."""
    cluster, workload = experiment.cluster, experiment.workload
    groups = experiment.node_groups if isinstance(experiment.node_groups, list) else []
    facts = [
        f"{counted(cluster.nodes, 'node')}, {_cores(cluster.cpu_milli)}, {_memory(cluster.memory_bytes)}",
        f"node groups {', '.join(groups)}" if groups else "",
        workload.description or f"{workload.pods:,} pods",
        f"Kubernetes {experiment.kubernetes_version}",
        f"latency {experiment.latency}",
        seeds_text(experiment.seeds),
        f"ties {experiment.ties}" if experiment.ties else "",
        f"horizon {experiment.horizon_s:,.6g} s" if experiment.horizon_s is not None else "",
    ]
    return items(fact for fact in facts if fact)


def scheduler_list(experiment: ExperimentFacts) -> str:
    """Returns name and description of each scheduler as a definition list."""
    entries = "".join(
        f"<dt>{escape(each.name)}</dt><dd>{escape(each.description)}</dd>" for each in experiment.schedulers
    )
    return f"<dl>{entries}</dl>"


def warnings_block(warnings: Sequence[str]) -> str:
    """Returns the warnings as HTML, nothing if there are none, folded if there are many."""
    if not warnings:
        return ""
    is_open = " open" if len(warnings) <= OPEN_WARNINGS else ""
    title = f"⚠ {len(warnings)} {plural(len(warnings), 'warning')}"
    return f'<details class="warnings"{is_open}><summary>{title}</summary><ul>{items(warnings)}</ul></details>'


def seeds_text(seeds: Sequence[int]) -> str:
    """Returns `seeds 1–5` for consecutive seeds, their list for a few others, and their number for many."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"seeds {seeds[0]}–{seeds[-1]}"
    return f"seeds {', '.join(map(str, seeds))}" if len(seeds) <= 8 else f"{len(seeds)} seeds"


def _cores(milli: int) -> str:
    return f"{milli / 1000:,.6g} core{'' if milli == 1000 else 's'}"


def _memory(size: float) -> str:
    units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        del units[0]
    return f"{size:,.4g} {units[0]}"
