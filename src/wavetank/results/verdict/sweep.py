"""The verdict of a sweep: which scheduler is best in how many scenarios."""

from __future__ import annotations

from collections import Counter
from math import fsum

from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import JOB_LATENCY
from wavetank.results.verdict.phrases import duration, listed
from wavetank.results.verdict.ranking import rank
from wavetank.results.verdict.verdict import Finding, Verdict

_MOST_NAMED = 3  # schedulers after the best one
_CLOSE = 1.05  # worst ÷ best, up to which the choice of a scheduler hardly matters


def sweep_verdict(folder: SweepFolder) -> Verdict:
    """Returns the verdict of a sweep by mean job latency; schedulers that left pods unscheduled do not count."""
    rankings = {scenario.name: ranking(folder, scenario.name) for scenario in folder.facts.scenarios}
    finished = {scenario: means for scenario, means in rankings.items() if means}
    if not finished:
        return Verdict((Finding("No scheduler finished all pods in any scenario."),))
    alone = len(folder.schedulers) == 1
    found = _between_scenarios(folder, finished) if alone else (_wins(folder, finished), *_widest(finished))
    return Verdict((*found, *_unfinished(rankings)))


def ranking(folder: SweepFolder, scenario: str) -> list[tuple[str, float]]:
    """Returns the schedulers that finished everything, with their mean job latency (seconds), the best first."""
    return [(each.scheduler, each.mean_job_latency_s) for each in rank(folder, scenario)]


def _wins(folder: SweepFolder, rankings: dict[str, list[tuple[str, float]]]) -> Finding:
    wins = Counter(means[0][0] for means in rankings.values() if len(means) == 1 or means[0][1] < means[1][1])
    shown, total = wins.most_common(1 + _MOST_NAMED), len(rankings)
    if not shown:
        return Finding("The best schedulers have equal mean job latencies in every scenario.", JOB_LATENCY)
    best, count = shown[0]
    text = f"{best} has the lowest mean job latency in {count} of {total} scenario{'s' if total > 1 else ''}"
    alone = [_is_alone(folder, scenario) for scenario, means in rankings.items() if means[0][0] == best]
    tested = [each for each in alone if each is not None]
    text += f" (significantly in {sum(tested)})" if tested else " (with one seed, significance is unknown)"
    others = [f"{name} in {number}" for name, number in shown[1:]]
    significant = all(tested) if tested else None
    return Finding(f"{text}{', ' + listed(others) if others else ''}.", JOB_LATENCY, best, significant=significant)


def _is_alone(folder: SweepFolder, scenario: str) -> bool | None:
    """Whether the best differs significantly from all others; None if that was not tested."""
    others = rank(folder, scenario)[1:]
    seeds = {each.name: len(each.seeds) for each in folder.facts.scenarios}[scenario]
    return None if seeds < 2 or not others else all(each.verdict == "worse" for each in others)


def _between_scenarios(folder: SweepFolder, rankings: dict[str, list[tuple[str, float]]]) -> list[Finding]:
    """Tells which scenarios are cheapest and dearest, and in which the jobs of the only scheduler take least and most.

    Pods that fail end early, and would make latencies look short: if any does, the makespan is told instead.
    """
    costs, failed = _means(folder, "cost"), _means(folder, "failed_pods")
    found = [_cheapest(costs)] if len(set(costs.values())) > 1 else []
    if any(failed.values()):
        return [*found, *_extremes(_means(folder, "makespan_s"), "The run takes {}.", "makespan_s")]
    latencies = {scenario: means[0][1] for scenario, means in rankings.items()}
    return [*found, *_extremes(latencies, "Jobs take {}.", JOB_LATENCY)]


def _means(folder: SweepFolder, metric: str) -> dict[str, float]:
    """Returns the mean of a metric by scenario, of those that have it with every seed."""
    values: dict[str, list[float | None]] = {}
    for row in folder.rows:
        values.setdefault(row["scenario"], []).append(row.get(metric))
    known = {name: [value for value in of if value is not None] for name, of in values.items()}
    return {name: fsum(of) / len(of) for name, of in known.items() if of and len(of) == len(values[name])}


def _cheapest(costs: dict[str, float]) -> Finding:
    (cheapest, least), (dearest, most) = _ends(costs)
    verb = "costs" if len(cheapest) == 1 else "cost"
    times = f", {most / least:.1f} × as much" if least else ""
    text = f"{listed(cheapest)} {verb} the least ({least:.3g}), {listed(dearest)} the most ({most:.3g}{times})."
    return Finding(text, "cost")


def _extremes(times: dict[str, float], sentence: str, metric: str) -> list[Finding]:
    if not times:
        return []
    (shortest, least), (longest, most) = _ends(times)
    text = f"{duration(least)} on average in {listed(shortest)}"
    text += f" (the least) and {duration(most)} in {listed(longest)} (the most)" if least != most else ""
    return [Finding(sentence.format(text), metric)]


def _ends(values: dict[str, float]) -> list[tuple[list[str], float]]:
    """Returns the least and the greatest value, each with the scenarios that have it."""
    ends = (min(values.values()), max(values.values()))
    return [([name for name, value in values.items() if value == end], end) for end in ends]


def _widest(rankings: dict[str, list[tuple[str, float]]]) -> list[Finding]:
    """Tells where the choice of a scheduler matters most."""
    rates = {
        scenario: means[-1][1] / means[0][1] for scenario, means in rankings.items() if len(means) > 1 and means[0][1]
    }
    if not rates:
        return []
    scenario = max(rates, key=lambda name: rates[name])
    best, worst, rate = rankings[scenario][0][0], rankings[scenario][-1][0], rates[scenario]
    if rate < _CLOSE:
        text = f"In no scenario is the worst scheduler more than {100 * (rate - 1):.1f} % behind the best."
        return [Finding(text, JOB_LATENCY)]
    text = f"The choice matters most in {scenario}: with {worst} jobs take {rate:.2f} × as long as with {best}."
    return [Finding(text, JOB_LATENCY, best, worst)]


def _unfinished(rankings: dict[str, list[tuple[str, float]]]) -> list[Finding]:
    none = [scenario for scenario, means in rankings.items() if not means]
    return [Finding(f"No scheduler finished all pods in {listed(none)}.")] if none else []
