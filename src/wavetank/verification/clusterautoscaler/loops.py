"""Compares what one loop found and decided with the recorded loop. Which of equal nodes is meant is left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from wavetank.controllers.clusterautoscaler.report import LoopReport, ScaleDownReport
from wavetank.kernel.durations import SECOND

Json = dict[str, Any]
Pair = tuple[Any, Any]  # recorded, ours

_MOST_LOGGED = 20  # nodes whose use the real program logs in a loop
_QUOTA = "exceeded quota"  # for which the recordings have no reason
_OBSTACLES = ("cannot", "not_considered", "kept")
_MILLISECOND = SECOND // 1000


def is_comparable(one: Json, loop: LoopReport) -> bool:
    """Returns whether a loop saw the recorded pods: those of the present instant are a matter of chance."""
    scheduled, unschedulable, _ = one.get("pods") or (loop.scheduled, 0, 0)
    return one["trigger"] != "pod" or (scheduled, unschedulable) == (loop.scheduled, loop.unschedulable)


def scale_up(one: Json, loop: LoopReport) -> Pair:
    """Compares the pods to help, the upcoming nodes, the misfits, the estimate, the choice and the plan."""
    exact = not one.get("unschedulable_more")
    expected = {
        "all new": bool(one.get("all_new")),
        "too young": len(one.get("too_young") or ()),
        "pods to help": sorted(one.get("unschedulable") or ()) if exact else len(loop.to_help),
        "upcoming": one.get("upcoming"),
        "skipped": sorted(one.get("skipped") or ()),
        "misfits": sorted({(group, plugin) for _, group, plugin, _ in one.get("misfits") or ()}),
        "best": one.get("best", ""),
        "estimated": one.get("estimated", 0),
        "plan": sorted(tuple(each) for each in one.get("plan") or ()),
    }
    got = {
        "all new": loop.all_new,
        "too young": loop.too_young,
        "pods to help": sorted(loop.to_help) if exact else len(loop.to_help),
        "upcoming": loop.upcoming,
        "skipped": sorted(_name(group) for group, why in loop.skipped.items() if not why.startswith(_QUOTA)),
        "misfits": sorted({(_name(group), misfit.plugin) for (_, group), misfit in loop.misfits.items()}),
        "best": _name(loop.best),
        "estimated": loop.estimated,
        "plan": sorted((_name(each.group), *each[1:]) for each in loop.plan),
    }
    return _differing(expected, got)


def scale_down(one: Json, loop: LoopReport) -> Pair:
    """Compares the use of nodes, what keeps them, since when they are unneeded, and which begin to be removed."""
    expected: Json = {
        "remove empty": _by_group(one.get("remove_empty") or ()),
        "drain": _by_group(each[0] for each in one.get("remove_drain") or ()),
    }
    got: Json = {"remove empty": _by_group(loop.remove_empty), "drain": _by_group(loop.remove_drain)}
    if loop.down is not None:
        down = one["down"]
        use = _recorded_use(down)
        expected |= {"use": use, **{each: _by_group(down.get(each) or ()) for each in _OBSTACLES}}
        expected["unneeded since ms"] = _times(down.get("unneeded_since_ms") or {})
        expected["cooldown"] = (bool(down.get("forbidden")), bool(down.get("cooldown")))
        got |= _found(loop.down, use)
    return _differing(expected, got)


def _found(down: ScaleDownReport, recorded_use: list[Any]) -> Json:
    use = sorted(_use(down.below, True) + _use(down.above, False))
    if len(recorded_use) == _MOST_LOGGED:  # there may have been more
        use = sorted((Counter(use) & Counter(recorded_use)).elements())
    since = {name: round(time / _MILLISECOND) for name, time in down.unneeded_since.items()}
    return {
        "use": use,
        **{each: _by_group(getattr(down, each)) for each in _OBSTACLES},
        "unneeded since ms": _times(since),
        "cooldown": (down.forbidden, down.cooldown),
    }


def failures(one: Json, loop: LoopReport) -> Pair:
    """Compares machines that are given up, time-outs, groups backed off, and the health of the cluster.

    The number of machines without nodes is left out: how late the real program's informers are decides it.
    """
    expected = {
        "removed": sorted(one.get("remove_unregistered") or ()),
        "timed out": sorted(group for group, _ in one.get("timed_out") or ()),
        "backed off": sorted({each[0] for each in one.get("backoff") or ()}),
        "unhealthy": bool(one.get("unhealthy")),
    }
    got = {
        "removed": sorted(loop.removed_unregistered),
        "timed out": sorted(map(_name, loop.timed_out)),
        "backed off": sorted({_name(group) for group, _ in loop.backoff}),
        "unhealthy": loop.unhealthy,
    }
    return _differing(expected, got)


def compared_aspects(one: Json, loop: LoopReport) -> Iterator[tuple[str, Any, Any]]:
    """Yields each aspect with what differs: recorded and ours, both empty if they are equal."""
    yield "scale-up", *scale_up(one, loop)
    yield "scale-down", *scale_down(one, loop)
    yield "failures", *failures(one, loop)


def _differing(expected: Json, got: Json) -> Pair:
    keys = [key for key in expected if expected[key] != got[key]]
    return {key: expected[key] for key in keys}, {key: got[key] for key in keys}


def _name(group: str) -> str:
    return group.rpartition("/")[2]


def _group_of(node: str) -> str:
    return node.rpartition("-")[0]


def _by_group(nodes: Any) -> dict[str, int]:
    return dict(sorted(Counter(map(_group_of, nodes)).items()))


def _recorded_use(down: Json) -> list[Any]:
    sides = ((down.get("below") or {}, True), (down.get("above") or {}, False))
    return sorted((_group_of(name), below, *_rounded(*used)) for nodes, below in sides for name, used in nodes.items())


def _use(nodes: Json, below: bool) -> list[Any]:
    # the real program logs six digits of the percentage
    return [(_group_of(name), below, *_rounded(used[0], float(f"{used[1] * 100:.6g}"))) for name, used in nodes.items()]


def _rounded(resource: str, percentage: float) -> tuple[str, float]:
    return resource, round(percentage, 2)


def _times(since: Json) -> list[tuple[str, int]]:
    return sorted((_group_of(name), time) for name, time in since.items())
