"""The paper's claims, each with its figures and ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean

from wavetank.studies.k8ssim.figures import (
    Values,
    best,
    by_node_order,
    close_rates,
    same_order,
    spread,
    text_of_order,
    worst,
)
from wavetank.studies.k8ssim.published import Published
from wavetank.studies.k8ssim.runs import Runs
from wavetank.studies.k8ssim.scenarios import SCENARIOS
from wavetank.studies.study import Claim, check, unchecked

_FULL = "only the full form has this scenario"
_TWENTY_MINUTES = 1200
_MANY_TASKS = (
    "the ratio falls with the number of tasks, since the last ones determine it: 1.3 with 12 tasks, 1.1 to 1.2 with "
    "32, 1.0 to 1.1 with 144; the paper does not state its number"
)
_FEW_JOBS = (
    "the longest of the published jobs takes at least 1,008 s, most of the makespan by day, and its work is not more "
    "by night; the paper does not state the number of its jobs"
)


def all_claims(runs: Runs, paper: Published) -> list[Claim]:
    """Returns all claims; those about scenarios that were not run cannot be checked."""
    return [
        *_finishing(runs),
        *_scenario_1(runs, paper),
        *_spreads(runs, paper),
        *_orders(runs, paper),
        *_loads(runs, paper),
        *_acceleration(runs, paper),
        *_beyond(),
    ]


def _has(runs: Runs, *numbers: int) -> bool:
    return set(numbers) <= set(runs.scenarios)


def _finishing(runs: Runs) -> Iterator[Claim]:
    left = sorted({f"{run.algorithm} in scenario {run.scenario}" for run in runs.all if run.left})
    yield check(
        "all-finish",
        "every algorithm finishes every scenario",
        "tables 2 and 3",
        published="240 of 240 runs",
        measured=f"{sum(not run.left for run in runs.all):,} of {len(runs.all):,} runs",
        holds=not left,
        otherwise=f"pods are left by {', '.join(left[:5])}",
        remark="gang needs the tasks that have ended: with pods removed as they end, seven algorithms did not finish",
    )


def _scenario_1(runs: Runs, paper: Published) -> Iterator[Claim]:
    rates, times = close_rates(runs.latencies(1)), runs.makespans(1)
    place = "section 4.2, figure 12a"
    yield check(
        "scenario-1-best",
        "in scenario 1 MRP has the least average job latency",
        place,
        published="MRP, CloseRate 1.0",
        measured=f"{best(rates)} 1.00, MRP {rates['MRP']:.2f}",
        holds=best(rates) == "MRP",
        otherwise="which algorithm is first differs from workload to workload, by a few percent; MRP is first where "
        "resources are short (fewer-tasks)",
    )
    yield check(
        "scenario-1-worst",
        "in scenario 1 ILP has the greatest average job latency",
        place,
        published="ILP",
        measured=f"{worst(rates)} {max(rates.values()):.2f}, ILP {rates['ILP']:.2f}",
        holds=worst(rates) == "ILP",
        otherwise="ILP depends only on which nodes have which images, which the paper does not state: here the large "
        "ones; if the small ones have them, it is the best (five workloads)",
    )
    real = paper.real_s[1]
    yield check(
        "scenario-1-makespan",
        "in scenario 1 MRP has the shortest makespan, ILP the longest",
        "table 2",
        published=f"MRP {real['MRP']:,.0f} s, ILP {real['ILP']:,.0f} s, {spread(real):.2f} times",
        measured=f"{best(times)} {min(times.values()):,.0f} s, {worst(times)} {max(times.values()):,.0f} s, "
        f"{spread(times):.2f} times; MRP {times['MRP']:,.0f} s, ILP {times['ILP']:,.0f} s",
        holds=(best(times), worst(times)) == ("MRP", "ILP"),
        otherwise="which algorithm is first differs from workload to workload; the paper ran one workload",
    )


def _spreads(runs: Runs, paper: Published) -> Iterator[Claim]:
    numbers = runs.scenarios
    single = [runs.spreads(number) for number in numbers]
    published = [spread(paper.real_s[number]) for number in numbers]
    yield check(
        "choice-matters",
        "the choice of the algorithm has considerable impact on performance",
        "abstract, tables 2 and 3",
        published=f"longest ÷ shortest makespan {_range(published)}, mean {mean(published):.2f}",
        measured=f"{_range([value for each in single for value in each])} for single workloads, "
        f"mean {mean(value for each in single for value in each):.2f}",
        holds=mean(value for each in single for value in each) >= 1.05,
        otherwise="the makespans differ by less than 5 %",
    )
    for number in (1, 5, 12):
        key, statement = f"spread-{number}", f"longest ÷ shortest makespan in scenario {SCENARIOS[number - 1].label}"
        theirs = spread(paper.real_s[number])
        if not _has(runs, number):
            yield unchecked(key, statement, _table(number), published=f"{theirs:.2f}", reason=_FULL)
            continue
        ours = runs.spreads(number)
        yield check(
            key,
            statement,
            _table(number),
            published=f"{theirs:.2f}",
            measured=f"{_range(ours)} for single workloads, {spread(runs.makespans(number)):.2f} for the means",
            holds=min(ours) - 0.05 <= theirs <= max(ours) + 0.05,
            otherwise=_MANY_TASKS if number < 10 else _FEW_JOBS,
        )


def _orders(runs: Runs, paper: Published) -> Iterator[Claim]:
    yield _mrp_first(runs, paper)
    yield _scarce_tasks(runs, paper)
    yield _node_orders(
        runs,
        paper,
        "fewer-jobs",
        "with fewer resources Volcano's MRP finishes before LRP",
        (12, 13, 17),
        ("MRP", "LRP"),
    )
    yield _node_orders(
        runs,
        paper,
        "more-jobs",
        "with more resources Volcano's LRP finishes before MRP",
        (14, 15, 19, 20),
        ("LRP", "MRP"),
    )
    yield _same_order(runs, paper, "tasks", range(1, 11))
    yield _same_order(runs, paper, "jobs", range(11, 21))


def _same_order(runs: Runs, paper: Published, queue: str, numbers: Sequence[int]) -> Claim:
    found = [same_order(runs.makespans(n), paper.real_s[n]) for n in numbers if n in runs.scenarios]
    agreed, judged = (sum(values) for values in zip(*found, strict=True))
    return check(
        f"same-order-{queue}",
        f"if algorithm A finishes {queue} before B in the simulator, it does so in the real cluster, in most scenarios",
        "section 4.2",
        published="most",
        measured=f"{agreed:,} of {judged:,} pairs ({agreed / judged:.0%}) in the order of the real running times",
        holds=agreed / judged >= 0.6,
        otherwise="the algorithms differ by a few percent, less than one workload from another",
        remark="ours against the paper's real cluster, on other workloads",
    )


def _mrp_first(runs: Runs, paper: Published) -> Claim:
    published = [number for number in range(1, 11) if best(paper.real_s[number]) == "MRP"]
    known = [number for number in range(1, 11) if number in runs.scenarios]
    ours = [number for number in known if best(runs.makespans(number)) == "MRP"]
    statement = "MRP finishes the tasks first in most scenarios"
    text = f"{len(published)} of 10: {_list(published)}"
    if len(known) < 10:
        return unchecked("mrp-first", statement, "table 2", published=text, reason=_FULL)
    return check(
        "mrp-first",
        statement,
        "table 2",
        published=text,
        measured=f"{len(ours)} of {len(known)}: {_list(ours)}",
        holds=2 * len(ours) > len(known),
        otherwise="it does with fewer resources, where it keeps large nodes free for large tasks; with enough of them "
        "the algorithms differ by a few percent",
    )


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _scarce_tasks(runs: Runs, paper: Published) -> Claim:
    known = [number for number in (2, 3, 7, 8) if number in runs.scenarios]
    statement = "with fewer resources MRP finishes tasks before LRP"
    published = "; ".join(f"{number}: {_order(paper.real_s[number], ('MRP', 'LRP'))}" for number in (2, 3, 7, 8))
    if not known:
        return unchecked("fewer-tasks", statement, "table 2", published=published, reason=_FULL)
    times = {number: runs.makespans(number) for number in known}
    return check(
        "fewer-tasks",
        statement,
        "table 2",
        published=published,
        measured="; ".join(f"{number}: {_order(times[number], ('MRP', 'LRP'))}" for number in known),
        holds=all(values["MRP"] < values["LRP"] for values in times.values()),
        otherwise="not in all of these scenarios",
        remark="MRP keeps large nodes free for large tasks",
    )


def _order(values: Values, names: tuple[str, ...]) -> str:
    return text_of_order({name: values[name] for name in names})


def _node_orders(
    runs: Runs, paper: Published, key: str, statement: str, numbers: Sequence[int], names: tuple[str, str]
) -> Claim:
    published = "; ".join(f"{number}: {text_of_order(by_node_order(paper.real_s[number]))}" for number in numbers)
    known = [number for number in numbers if number in runs.scenarios]
    if not known:
        return unchecked(key, statement, "table 3", published=published, reason=_FULL)
    ours = {number: by_node_order(runs.makespans(number)) for number in known}
    true = [number for number in known if ours[number][names[0]] < ours[number][names[1]]]
    return check(
        key,
        statement,
        "table 3",
        published=published,
        measured="; ".join(f"{number}: {text_of_order(ours[number])}" for number in known),
        holds=2 * len(true) > len(known),
        otherwise=f"only in {len(true)} of {len(known)} scenarios",
        remark="" if len(true) == len(known) else f"in {len(true)} of {len(known)} scenarios",
    )


def _loads(runs: Runs, paper: Published) -> Iterator[Claim]:
    for queue, first in (("tasks", 1), ("jobs", 11)):
        yield _night(runs, paper, queue, first)
        yield _resources(runs, paper, queue, first)


def _night(runs: Runs, paper: Published, queue: str, day: int) -> Claim:
    night = day + 5
    key, statement = f"night-{queue}", f"the makespan of {queue} by night is about 2.5 times that by day"
    published = f"{_mean(paper.real_s[night]) / _mean(paper.real_s[day]):.2f} times (scenarios {night} and {day})"
    if not _has(runs, day, night):
        return unchecked(key, statement, _table(day), published=published, reason=_FULL)
    ratio = _mean(runs.makespans(night)) / _mean(runs.makespans(day))
    return check(
        key,
        statement,
        _table(day),
        published=published,
        measured=f"{ratio:.2f} times",
        holds=2 <= ratio <= 3.2,
        otherwise=_FEW_JOBS,
        remark="the number of tasks follows from the paper's counts of the traces: 3.0 (tasks), 2.8 times (jobs)",
    )


def _resources(runs: Runs, paper: Published, queue: str, first: int) -> Claim:
    numbers = [first + 1, first + 2, first, first + 3, first + 4]  # from the fewest to the most resources
    statement = f"the fewer resources, the longer the makespan of {queue}"
    theirs = ", ".join(f"{_mean(paper.real_s[n]) / _mean(paper.real_s[first]):.2f}" for n in numbers)
    known = [number for number in numbers if number in runs.scenarios]
    if len(known) < 2:
        return unchecked(f"resources-{queue}", statement, _table(first), published=theirs, reason=_FULL)
    base = _mean(runs.makespans(first)) if first in known else _mean(runs.makespans(known[0]))
    ours = [_mean(runs.makespans(number)) / base for number in known]
    return check(
        f"resources-{queue}",
        statement,
        _table(first),
        published=f"{theirs} of the original for -50, -25, 0, +25, +50 %",
        measured=", ".join(f"{value:.2f}" for value in ours) + f" (scenarios {', '.join(map(str, known))})",
        holds=all(a >= b - 0.02 for a, b in pairwise(ours)),
        otherwise="more resources do not always help",
    )


def _acceleration(runs: Runs, paper: Published) -> Iterator[Claim]:
    theirs = [value for row in paper.reductions.values() for value in row.values()]
    ours = [run.makespan / run.wall for run in runs.all]
    quotients = [
        abs(paper.real_s[n][a] / paper.simulated_s[n][a] - value) < 0.02
        for n, row in paper.reductions.items()
        for a, value in row.items()
    ]
    yield check(
        "reductions",
        "tables 4 and 5 are the quotients of tables 2 and 3",
        "tables 2 to 5",
        published=f"{len(quotients)} quotients",
        measured=f"{sum(quotients)} are right",
        holds=all(quotients),
        otherwise="some are not",
        remark="but the simulation times of scenarios 2 to 5 are those of scenario 1 times 1.21, 1.10, 0.95 and 0.90 "
        "for every algorithm, and so on for the other groups of five: they do not tell algorithms apart",
    )
    yield check(
        "acceleration",
        "the simulator is faster than real time by 38.56 times on average, and up to 72.80 times",
        "abstract, tables 4 and 5",
        published=f"mean {mean(theirs):.2f}, {min(theirs):.2f} to {max(theirs):.2f} times",
        measured=f"mean {mean(ours):,.0f}, {min(ours):,.0f} to {max(ours):,.0f} times",
        holds=mean(ours) >= mean(theirs),
        otherwise="this machine is slower",
        remark="simulated time ÷ the time of the run on the machine at hand; wall times are in the results",
    )
    shortest = min((value, number) for number, row in paper.real_s.items() for value in row.values())
    yield check(
        "twenty-minutes",
        "in all scenarios the real running time is more than 20 min",
        "section 4.3",
        published=f"least {shortest[0]:,.0f} s, in scenario {shortest[1]}",
        measured=f"makespans from {min(run.makespan for run in runs.all):,.0f} s",
        holds=shortest[0] > _TWENTY_MINUTES and min(run.makespan for run in runs.all) > _TWENTY_MINUTES,
        otherwise="not in the paper's own table 2: MRP takes 1,167 s in scenario 5. Ours depends on the number of jobs",
    )


def _beyond() -> Iterator[Claim]:
    yield unchecked(
        "close-rates",
        "CloseRate in the simulator is similar to that in the real cluster",
        "figures 8 to 12",
        reason="the figures have no numbers, and the workloads and job latencies of the real cluster are not published",
    )
    yield unchecked(
        "real-longer",
        "job latency in the real cluster may be longer than in the simulator",
        "section 4.2",
        reason="there is no real cluster here; the job latencies of the paper's are not published",
    )
    yield unchecked(
        "running-times",
        "the real running times in seconds",
        "tables 2 and 3",
        published="1,167 s to 10,385 s",
        measured="see the table of scenarios",
        reason="the jobs that the authors took from the traces are not published; ours have the stated properties",
    )


def _mean(values: Values) -> float:
    return mean(values.values())


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def _table(number: int) -> str:
    return "table 2" if number <= 10 else "table 3"
