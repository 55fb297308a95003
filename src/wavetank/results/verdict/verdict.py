"""The verdict of an experiment: its findings in sentences, no stronger than the statistics allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.comparison import Comparison, compare
from wavetank.results.verdict.groups import longest_waiting
from wavetank.results.verdict.phrases import difference_phrase, duration, listed, mean_of, noun, seeds_note

# The metrics of a verdict, the most important first; those that follow from another one are left out.
TOLD = (
    "unscheduled_pods",
    "failed_requests",
    "p99_response_time_s",
    "makespan_s",
    "mean_waiting_time_s",
    "mean_admission_wait_s",
    "hpa_time_above_target_s",
    "hpa_pod_hours",
    "gpu_allocation",
    "cost",
    "energy_kwh",
    "interrupted_pods",
    "failed_pods",
)
MOST_DIFFERENCES = 4
ONE_SEED = "There is one seed only: whether the differences are significant is unknown."

_ALONE = {
    "makespan_s": "{} finishes in {} {}.",
    "mean_waiting_time_s": "With {}, pods wait {} {} on average.",
    "mean_admission_wait_s": "With {}, workloads wait {} {} on average to be admitted.",
    "p99_response_time_s": "With {}, 99 % of the requests are answered within {} {}.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence, and the metric that it is about (a column of summary.csv; "" for another subject).

    Of a difference, `best` has the better mean and `other` is what it is compared with; `significant` is None where
    no test is possible: with a single seed, or if the seed changes nothing.
    """

    text: str
    metric: str = ""
    best: str = ""
    other: str = ""
    significant: bool | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings of an experiment or a sweep, the most important first; printed, it is their sentences."""

    findings: tuple[Finding, ...]

    @property
    def sentences(self) -> list[str]:
        """Returns the sentences."""
        return [finding.text for finding in self.findings]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def experiment_verdict(folder: ResultsFolder, comparisons: Sequence[Comparison] | None = None) -> Verdict:
    """Returns the verdict of an experiment; `comparisons` are its metrics if they are known already.

    The first scheduler is the reference: the best is compared with it, or with the next one if it is the best itself.
    """
    known = {each.metric.name: each for each in comparisons or compare(folder)}
    told = [known[name] for name in TOLD if name in known and known[name].has_values]
    schedulers = folder.scheduler_names()
    differences = _alone(known, schedulers[0]) if len(schedulers) == 1 else _between(told, known)
    found = (*differences, *_waits(folder, schedulers[0]))
    claims = any(finding.other for finding in found)
    return Verdict((*found, *([Finding(ONE_SEED)] if claims and len(folder.experiment.seeds) == 1 else [])))


def _alone(known: dict[str, Comparison], scheduler: str) -> list[Finding]:
    """Tells makespan, mean waits and response times of the only scheduler."""
    found = []
    for name, template in _ALONE.items():
        comparison = known.get(name)
        if comparison and comparison.has_values and mean_of(comparison, scheduler):
            text = template.format(scheduler, comparison.text(comparison.cells[0]), comparison.unit)
            found.append(Finding(text, name, best=scheduler))
    return found


def _between(told: Sequence[Comparison], known: dict[str, Comparison]) -> list[Finding]:
    differences = [finding for each in told if (finding := _difference(each, known.get("unscheduled_pods")))]
    alike = [each for each in told if _tied(each) and not each.uneventful]
    found = differences[:MOST_DIFFERENCES]
    if alike:
        seeds = max(cell.interval.n for each in alike for cell in each.cells if cell.interval)
        nouns = listed([noun(each.metric) for each in alike])
        found.append(Finding(f"The schedulers cannot be told apart in {nouns} ({seeds} seeds)."))
    if not found and told:
        found.append(Finding(f"The schedulers are equal in {listed([noun(each.metric) for each in told])}."))
    return found


def _difference(comparison: Comparison, unscheduled: Comparison | None) -> Finding | None:
    """Returns how far the best scheduler is ahead; None if no other is told apart from it."""
    best, tied, worse = _ranked(comparison)
    if not worse:
        return None
    other = comparison.cells[0].scheduler
    other = other if other in worse else worse[0]
    significant = None if comparison.is_exact else comparison.tells_apart(best, other)
    seeds = min(cell.interval.n for cell in comparison.cells if cell.interval and cell.scheduler in (best, other))
    note = seeds_note(comparison.tells_apart(best, other), seeds, comparison.is_exact)
    text = difference_phrase(comparison, best, other)
    text += _but_unscheduled(unscheduled, best, other) if comparison is not unscheduled else ""
    return Finding(f"{text}{note}{_ties(comparison, best, tied)}.", comparison.metric.name, best, other, significant)


def _ranked(comparison: Comparison) -> tuple[str, list[str], list[str]]:
    """Returns the best scheduler, those not told apart from it, and the others, each the best first."""
    means = {cell.scheduler: cell.interval.mean for cell in comparison.cells if cell.interval}
    sign = -1 if comparison.metric.better == "higher" else 1
    best, *others = sorted(means, key=lambda name: sign * means[name])
    tied = [name for name in others if means[name] == means[best] or comparison.tells_apart(best, name) is False]
    return best, tied, [name for name in others if name not in tied]


def _ties(comparison: Comparison, best: str, tied: Sequence[str]) -> str:
    """Tells which schedulers are as good as the best."""
    if not tied:
        return ""
    if all(mean_of(comparison, name) == mean_of(comparison, best) for name in tied):
        return f"; {listed(tied)} {'are' if len(tied) > 1 else 'is'} as good"
    return f"; {listed(tied)} cannot be told apart from it"


def _tied(comparison: Comparison) -> bool:
    return not _ranked(comparison)[2]


def _but_unscheduled(unscheduled: Comparison | None, best: str, other: str) -> str:
    """Returns a warning if the better one is better with fewer pods: those it left unscheduled count nowhere."""
    if unscheduled is None:
        return ""
    more = mean_of(unscheduled, best) - mean_of(unscheduled, other)
    return f", but leaves {unscheduled.number(more)} more pods unscheduled" if more > 0 else ""


def _waits(folder: ResultsFolder, scheduler: str) -> list[Finding]:
    longest = longest_waiting(folder, scheduler)
    if longest is None or longest.significant is False:
        return []
    note = seeds_note(longest.significant, longest.seeds)
    text = f"Pods of {longest.group} wait longest: {duration(longest.mean)} on average with {scheduler},"
    text += f" all others {duration(longest.others)}{note}."
    return [Finding(text, best=longest.group, significant=longest.significant)]
