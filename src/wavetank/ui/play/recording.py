"""One finished run by columns, as the page plays it (assets/js/run.js)."""

from __future__ import annotations

from typing import Any

import numpy as np

from wavetank.results import layout
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import Floats
from wavetank.results.read.columns import Columns
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import NODE_STATES, NODE_TIMELINE, NODES, PODS

_TIMES = ("submitted", "scheduled", "started", "finished")
_TEXTS = ("namespace", "name", "job", "node", "phase", "reason", "message")
_NUMBERS = ("cpu_milli", "memory_bytes", "priority")


def read_recording(run: RunFolder) -> dict[str, Any]:
    """Returns the nodes and pods of a run by columns; times in s, null if something never happened.

    Columns with repeated texts have `values` and `codes`. A file that is missing or malformed is an InputError.
    """
    return {
        "scheduler": run.scheduler,
        "seed": run.seed,
        "nodes": _nodes(run),
        "pods": _pods(run),
        "states": _states(run),
    }


def _pods(run: RunFolder) -> dict[str, Any]:
    columns = Columns(run.path, PODS, (*_TIMES, *_TEXTS, *_NUMBERS))
    texts = {name: _coded(columns.texts(name)) for name in _TEXTS}
    numbers = {name: np.nan_to_num(columns.numbers(name)).astype(np.int64).tolist() for name in _NUMBERS}
    return {**texts, **numbers, **{name: _times(columns.numbers(name)) for name in _TIMES}}


def _nodes(run: RunFolder) -> dict[str, Any]:
    """Returns the nodes, with their groups and when they came and went if the run has recorded it."""
    columns = Columns(run.path, NODES, ("name", "cpu_milli", "memory_bytes", "pods"))
    names = columns.texts("name").each(str).tolist()
    amounts = {
        name: np.nan_to_num(columns.numbers(name)).astype(np.int64).tolist()
        for name in ("cpu_milli", "memory_bytes", "pods")
    }
    lives = _lives(run) if (run.path / layout.NODE_TIMELINE).is_file() else {}
    groups, came, notice, gone = (
        zip(*(lives.get(name, ("", None, None, None)) for name in names), strict=True) if names else ((), (), (), ())
    )
    return {"name": names, **amounts, "group": groups, "came": came, "notice": notice, "gone": gone}


def _states(run: RunFolder) -> dict[str, list[Any]]:
    """Returns when nodes fail, recover, are cordoned or uncordoned; nothing if the run has recorded none of it."""
    if not (run.path / layout.NODE_STATES).is_file():
        return {"time": [], "name": [], "ready": [], "cordoned": []}
    columns = Columns(run.path, NODE_STATES, ("time_s", "name", "ready", "schedulable"))
    names, ready, free = (columns.texts(name).each(str).tolist() for name in ("name", "ready", "schedulable"))
    times = _times(columns.numbers("time_s"))
    return {"time": times, "name": names, "ready": [each == "yes" for each in ready]} | {
        "cordoned": [each != "yes" for each in free]
    }


def _lives(run: RunFolder) -> dict[str, tuple[str, float | None, float | None, float | None]]:
    columns = Columns(run.path, NODE_TIMELINE, ("name", "group", "node_s", "notice_s", "gone_s"))
    names, groups = (columns.texts(name).each(str).tolist() for name in ("name", "group"))
    times = [_times(columns.numbers(name)) for name in ("node_s", "notice_s", "gone_s")]
    return dict(zip(names, zip(groups, *times, strict=True), strict=True))


def _coded(column: Coded[str]) -> dict[str, Any]:
    return {"values": column.values, "codes": column.codes.tolist()}


def _times(seconds: Floats) -> list[float | None]:
    return [None if time != time else time for time in seconds.tolist()]
