"""The expanders least-waste and random, compared as in figure 5 of Kubernetes-in-the-Loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from wavetank.studies.clusterscaling.picture import figure
from wavetank.studies.clusterscaling.runs import MOST, Run, make_run
from wavetank.studies.study import Claim, Findings, Picture, Study, StudyContext, Table, check

TIMES = (300, 600, 900, 1200, 1800, 2400, 3000, 3600, 5400, 7200)  # in seconds
SEEDS, SMALL_SEEDS = range(1, 11), range(1, 4)  # of the random expander; table and figure show the first
GROWTH = 1400  # seconds: with least-waste the small set is full then
PEAK = 3630  # seconds: when the number of pods is highest
FIGURE = "section 5.2, figure 5"


def run(context: StudyContext) -> Findings:
    """Runs least-waste once and random with several seeds."""
    plans = [("least-waste", 1), *(("random", seed) for seed in (SMALL_SEEDS if context.small else SEEDS))]
    runs = [make_run(*plan, context.runs) for plan in context.track(plans, lambda plan: f"{plan[0]}, seed {plan[1]}")]
    shown = {"least-waste": runs[0], "random": runs[1]}
    return Findings(
        claims=_claims(runs[0], runs[1:]),
        tables=[_sizes(shown)],
        pictures=[
            Picture("figure5", "Sizes of the node sets and the CPUs that they provide (figure 5)", figure(shown))
        ],
        facts=["2 node sets of 1 to 10 nodes", "242 pods", f"random with {len(runs) - 1} seeds"],
    )


def _claims(least_waste: Run, randoms: Sequence[Run]) -> list[Claim]:
    runs = (least_waste, *randoms)
    return [*_growth(least_waste, randoms), *_ends(runs)]


def _growth(least_waste: Run, randoms: Sequence[Run]) -> list[Claim]:
    runs = (least_waste, *randoms)
    full, first = least_waste.reaches("small", MOST), least_waste.reaches("large", 2)
    grown = [max(each.reaches("small", 2), each.reaches("large", 2)) for each in randoms]
    cores = [each.mean_cores(GROWTH) for each in runs]
    orders = [sum(0 < time <= GROWTH for time in each.orders) for each in runs]
    return [
        check(
            "small-first",
            "least-waste first scales the set of small machines to its maximum",
            FIGURE,
            published="10 small machines, then large ones",
            measured=f"10 small machines after {full:.0f} s, the second large one after {first:.0f} s",
            holds=full < first,
            otherwise="the large set grew before the small one was full",
        ),
        check(
            "random-both",
            "random: both sets grow early",
            FIGURE,
            published="",
            measured=f"each set has its second machine after {median(grown):.0f} s in the median run "
            f"({_range(grown, '.0f')} s), with least-waste after {first:.0f} s",
            holds=median(grown) < first,
            otherwise="the second set grew no earlier than with least-waste",
        ),
        check(
            "slow-cores",
            "least-waste: the CPUs increase slowly at first",
            FIGURE,
            published="",
            measured=f"on average {cores[0]:.1f} CPUs in the first {GROWTH} s, with random {_range(cores[1:], '.1f')}",
            holds=cores[0] < min(cores[1:]),
            otherwise="a run with random had fewer CPUs",
        ),
        check(
            "many-decisions",
            "least-waste: many upscaling decisions at first",
            FIGURE,
            published="",
            measured=f"{orders[0]} machines ordered in the first {GROWTH} s, with random {_range(orders[1:], 'd')}",
            holds=orders[0] > max(orders[1:]),
            otherwise="a run with random ordered as many machines",
        ),
    ]


def _ends(runs: Sequence[Run]) -> list[Claim]:
    tops = {(each.size("small", 3700), each.size("large", 3700)) for each in runs}
    ends = {(each.size("small", 8400), each.size("large", 8400)) for each in runs}
    costs = [each.cost for each in runs]
    hours = [each.mean_cores(PEAK) * PEAK / 3600 for each in runs]
    return [
        check(
            "both-stop",
            "both policies stop when the sets have their maximum size",
            FIGURE,
            published="10 + 10 machines",
            measured=f"{_pairs(tops)} machines after 62 min",
            holds=tops == {(MOST, MOST)},
            otherwise="a run ended with other sizes",
        ),
        check(
            "cheaper",
            "least-waste is the cost-optimized policy",
            "section 5.2",
            published="",
            measured=f"cost {costs[0]:.3f} over the whole run, with random {_range(costs[1:], '.3f')}",
            holds=costs[0] < min(costs[1:]),
            otherwise="a CPU costs the same in both sets, and all 20 machines run in the end: what least-waste saves "
            "while the small set grows, it pays while only the large one can grow. Up to the peak it uses "
            f"{hours[0]:.1f} CPU-hours, random {_range(hours[1:], '.1f')}",
        ),
        check(
            "shrink",
            "with fewer pods both sets shrink again",
            "not in the paper",
            published="",
            measured=f"{_pairs(ends)} machines after 140 min",
            holds=ends == {(1, 1)},
            otherwise="a set kept more than its minimum",
        ),
    ]


def _sizes(runs: dict[str, Run]) -> Table:
    columns = ["time [s]", *(f"{name}: {group}" for name in runs for group in ("small", "large"))]
    rows = [
        [time, *(each.size(group, time) for each in runs.values() for group in ("small", "large"))] for time in TIMES
    ]
    return Table("Nodes of both sets", columns, rows, "Random: the run with seed 1.")


def _range(values: Sequence[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}"


def _pairs(sizes: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{small} + {large}" for small, large in sorted(sizes))


STUDY = Study(
    name="cluster-scaling",
    title="Expansion policies of the cluster autoscaler",
    source="Straesser et al., Kubernetes-in-the-Loop: Enriching Microservice Simulation Through Authentic Container "
    "Orchestration, section 5.2",
    summary="Two sets of machines with 4 and 8 CPUs grow while a pod of 0.5 CPU is added every 15 s. The built-in "
    "cluster autoscaler chooses the set with the expander least-waste or random; after an hour the pods leave again.",
    run=run,
)
