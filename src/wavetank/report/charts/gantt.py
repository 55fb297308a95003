"""The Gantt chart: which pod ran when on which node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from wavetank.report.charts.ganttheat import Occupancy, heat_map, nodes_per_row
from wavetank.report.charts.series import all_seeds
from wavetank.report.page.packing import NEVER, Words, pack_bytes, pack_texts, pack_words
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import Floats, Integers, seconds_of
from wavetank.results.columns.podcolumns import PodColumns
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.verdict.groups import pod_groups

MOST_BARS = 200_000  # pods of a run, above which only the heat map is carried
FURTHER = 1_500_000  # characters of packed data for all seeds after the first
FURTHER_PODS = 60_000  # of a run, above which seeds after the first are not read again for the chart

_MIB = 1 << 20


def gantt_data(folder: ResultsFolder, budget: int) -> dict[str, Any]:
    """Returns the Gantt charts of all runs, in `budget` characters of packed data.

    The first run of each scheduler comes first, in bars if it can be; further seeds follow as long as they are small.
    """
    names = folder.scheduler_names()
    gantt = Gantt(budget)
    for name in names:
        for run in folder.runs_of(name)[:1]:
            gantt.add(folder, run)
    gantt.limit(FURTHER)
    further = [run for seed in all_seeds(folder)[1:] for run in folder.runs if run.seed == seed]
    for run in further:
        if (run.metrics.get("pods") or 0) > FURTHER_PODS or not gantt.add_bars(folder, run):
            gantt.left += 1
    return gantt.payload(names)


class Gantt:
    """Collects the charts of several runs; tables of pods and nodes that are equal are kept once.

    `budget` is how many characters of packed data the charts may take together.
    """

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._pod_tables: dict[str, dict[str, Any]] = {}
        self._node_tables: dict[str, dict[str, Any]] = {}
        self._runs: list[dict[str, Any]] = []
        self.left = 0  # runs that are not in the page

    def limit(self, budget: int) -> None:
        """Lowers what is left of the budget."""
        self._left = min(self._left, budget)

    def add(self, folder: ResultsFolder, run: RunFolder) -> None:
        """Adds a run: bar by bar if that fits the budget, otherwise as a heat map."""
        few = (run.metrics.get("pods") or 0) <= MOST_BARS
        chart = _Chart(folder, run, named=few)
        entry = self._entry(chart, run)
        if not few or not self._keep_bars(chart, entry):
            entry["heat"] = chart.heat()
            self._left -= len(entry["heat"]["bytes"])
        self._runs.append(entry)

    def add_bars(self, folder: ResultsFolder, run: RunFolder) -> bool:
        """Adds a run bar by bar if that fits the budget; tells whether it does."""
        if self._left <= 0:
            return False
        chart = _Chart(folder, run, named=True)
        entry = self._entry(chart, run)
        if not self._keep_bars(chart, entry):
            return False
        self._runs.append(entry)
        return True

    def payload(self, schedulers: Sequence[str]) -> dict[str, Any]:
        """Returns what the page embeds, the runs by scheduler in this order."""
        pods, nodes = list(self._pod_tables.values()), list(self._node_tables.values())
        runs = sorted(self._runs, key=lambda run: schedulers.index(run["scheduler"]))
        return {"podTables": pods, "nodeTables": nodes, "runs": runs, "left": self.left}

    def _entry(self, chart: _Chart, run: RunFolder) -> dict[str, Any]:
        return {"scheduler": run.scheduler, "seed": run.seed, "end": chart.end, "nodes": self._keep_nodes(chart)}

    def _keep_bars(self, chart: _Chart, entry: dict[str, Any]) -> bool:
        bars, table = chart.bars(), chart.pod_table()
        key = _key(table)
        cost = len(bars["words"]) + (0 if key in self._pod_tables else len(key))
        if cost > self._left:
            return False
        self._left -= cost
        self._pod_tables.setdefault(key, table)
        entry |= {"bars": bars, "pods": list(self._pod_tables).index(key)}
        return True

    def _keep_nodes(self, chart: _Chart) -> int:
        table = chart.node_table()
        key = _key(table)
        if key not in self._node_tables:
            self._node_tables[key] = table
            self._left -= len(key)
        return list(self._node_tables).index(key)


class _Chart:
    """One run in the forms in which a page can carry it; the columns are those that gantt/model.js reads."""

    def __init__(self, folder: ResultsFolder, run: RunFolder, named: bool) -> None:
        self._pods = pods = folder.pods(run, named)
        self._names, self._capacity, self._memory = _all_nodes(pods, *folder.nodes(run))
        index = {name: i for i, name in enumerate(self._names)}
        self._node = pods.node.each(lambda node: index.get(node, NEVER), np.uint32)
        self._submitted, self._scheduled, self._started, self._finished = times = [
            seconds_of(column) for column in (pods.submitted, pods.scheduled, pods.started, pods.finished)
        ]
        self.end = _end([*times, folder.utilization(run)[0]])
        self._tick = tick(self.end)

    def node_table(self) -> dict[str, Any]:
        sizes = [_words(self._capacity), _words(self._memory / _MIB)]
        return {"names": pack_texts(self._names), "words": pack_words(sizes)}

    @cached_property
    def _order(self) -> Integers:
        """Returns the pods by submission, not as in the file, so that several schedulers share one table of pods."""
        return _sorted(self._submitted, self._pods.namespace, self._pods.names)

    def pod_table(self) -> dict[str, Any]:
        """Returns the columns that do not depend on the scheduler."""
        pods, order = self._pods, self._order
        spaces = pods.namespace.each(lambda namespace: f"{namespace}/")
        names = list(map(str.__add__, spaces[order].tolist(), np.array(pods.names, object)[order].tolist()))
        jobs, job = Coded(pods.job_ids).taken(order)
        requests, request = pods.requests.taken(order)
        groups, group = pod_groups(pods.names, pods.namespace).taken(order)
        priorities, priority = pods.priority.taken(order)
        submitted = _ticks(self._submitted[order], self._tick)
        sizes = [pods.cpu[order], -(-pods.memory[order] // _MIB)]
        words = [submitted, *(column.astype(np.uint32) for column in (*sizes, job, request, group, priority))]
        return {
            "names": pack_texts(names),
            "jobs": pack_texts(jobs),
            "requests": pack_texts(requests),
            "groups": groups,
            "priorities": [str(each) for each in priorities],
            "words": pack_words(words),
        }

    def bars(self) -> dict[str, Any]:
        """Returns the columns that depend on the scheduler."""
        order = self._order
        phases, phase = self._pods.phase.paired(self._pods.reason, _outcome).taken(order)
        times = (_ticks(column[order], self._tick) for column in (self._scheduled, self._started, self._finished))
        scheduled, started, finished = times
        submitted = _ticks(self._submitted[order], self._tick)
        # Of a pod that was never bound, the end counts from its submission: until then it was pending.
        lengths = (_since(started, scheduled), _since(finished, np.where(scheduled == NEVER, submitted, scheduled)))
        words = [scheduled, *lengths, self._node[order], phase.astype(np.uint32)]
        return {"tick": self._tick, "phases": phases, "words": pack_words(words)}

    def heat(self) -> dict[str, Any]:
        """Returns the share of CPU requested; a pod holds its request from its binding to its end."""
        placed = ~np.isnan(self._scheduled) & (self._node != NEVER)
        finished = np.where(np.isnan(self._finished), self.end, self._finished)[placed]
        cpu = self._pods.cpu[placed].astype(np.float64)
        held = Occupancy(self._node[placed].astype(np.int64), self._scheduled[placed], finished, cpu)
        heat = heat_map(held, self._capacity, self.end)
        group = nodes_per_row(len(self._capacity))
        return {
            "rows": heat.shape[0],
            "columns": heat.shape[1],
            "nodesPerRow": group,
            "bytes": pack_bytes(heat),
        }


def _key(table: dict[str, Any]) -> str:
    return json.dumps(table)


def _end(times: Sequence[Floats]) -> float:
    """Returns when the run ended (seconds): after its last event and its last interval of time; never 0."""
    *_, intervals = times
    last = float(np.nanmax(np.concatenate(times), initial=0.0))
    if len(intervals) > 1:
        last = max(last, float(2 * intervals[-1] - intervals[-2]))
    return last or 1.0


def _outcome(phase: str, reason: str) -> str:
    return f"{phase} ({reason})" if reason else phase


def tick(end: float) -> float:
    """Returns a tick (seconds) with which times up to `end` fit 32 bits: a micro-, a milli- or a second."""
    if end < 10:
        return 1e-6
    return 1e-3 if end < 4e6 else 1.0


def _all_nodes(pods: PodColumns, names: Sequence[str], cpu: Floats, memory: Floats) -> tuple[list[str], Floats, Floats]:
    """Adds nodes that pods name but the cluster no longer has; their capacity is unknown, thus 0."""
    gone = sorted(set(pods.node.values) - set(names) - {""})
    unknown = np.zeros(len(gone))
    return [*names, *gone], np.concatenate([cpu, unknown]), np.concatenate([memory, unknown])


def _sorted(submitted: Floats, namespace: Coded[str], name: Sequence[str]) -> Integers:
    """Returns the pods by submission, those of one instant by namespace and name."""
    order = np.argsort(submitted, kind="stable")
    edges = np.append(np.flatnonzero(np.diff(submitted[order], prepend=np.nan) != 0), len(order))
    spaces = namespace.each(str).tolist()
    for i in np.flatnonzero(np.diff(edges) > 1).tolist():
        together = slice(edges[i], edges[i + 1])
        order[together] = sorted(order[together].tolist(), key=lambda pod: (spaces[pod], name[pod]))
    return order


def _ticks(seconds: Floats, unit: float) -> Words:
    never = np.isnan(seconds)
    ticks: Words = np.where(never, NEVER, np.rint(np.where(never, 0, seconds) / unit)).astype(np.uint32)
    return ticks


def _since(later: Words, earlier: Words) -> Words:
    """Returns the ticks between two events, NEVER if one did not happen; lengths repeat and so pack well."""
    never = (later == NEVER) | (earlier == NEVER)
    between: Words = np.where(never, NEVER, later - earlier).astype(np.uint32)
    return between


def _words(values: Floats) -> Words:
    return np.nan_to_num(values).astype(np.uint32)
