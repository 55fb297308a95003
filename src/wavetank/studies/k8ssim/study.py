"""K8sSim's comparison of 24 algorithms in 20 scenarios, on its own model of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from wavetank.studies.charts import Axis, bar_chart
from wavetank.studies.k8ssim.claims import all_claims
from wavetank.studies.k8ssim.figures import by_node_order, spread
from wavetank.studies.k8ssim.published import Published, published
from wavetank.studies.k8ssim.runs import COMPAT, VERSION, Runs, run_scenarios
from wavetank.studies.k8ssim.scenarios import SCENARIOS
from wavetank.studies.k8ssim.tables import (
    close_rate_tables,
    parameter_table,
    running_tables,
    scenario_table,
    sensitivity_table,
)
from wavetank.studies.k8ssim.workloads import CHOSEN, Choices
from wavetank.studies.study import Findings, Picture, Study, StudyContext, Table
from wavetank.words import counted

SEEDS, SMALL_SEEDS = range(1, 6), range(1, 2)
SMALL = replace(CHOSEN, generic_jobs=3, ai_jobs=2)
SMALL_SCENARIOS = (1, 12, 15)
PROBED = (1, 12, 15)  # by the variants

# Other readings of the paper, and other values of what was chosen.
VARIANTS = {
    "run times do not depend on CPUs": replace(CHOSEN, shared_cpu=False),
    "the number of nodes changes": replace(CHOSEN, changed="number"),
    "the small nodes have the images": replace(CHOSEN, imaged="small"),
    "minAvailable is all tasks": replace(CHOSEN, available=1.0),
    "twice the jobs": replace(CHOSEN, generic_jobs=16, ai_jobs=12),
    "four times the window": replace(CHOSEN, window=1200),
    "work varies within a kind (log-normal, 1)": replace(CHOSEN, tail=1.0),
}


def run(context: StudyContext) -> Findings:
    """Runs all scenarios and variants; in the small form three scenarios with few jobs."""
    chosen, seeds = (SMALL, SMALL_SEEDS) if context.small else (CHOSEN, SEEDS)
    scenarios = [each for each in SCENARIOS if not context.small or each.number in SMALL_SCENARIOS]
    runs, paper = run_scenarios(context, scenarios, seeds, chosen), published()
    return Findings(
        claims=all_claims(runs, paper),
        tables=[
            scenario_table(runs, paper),
            *([] if context.small else [_sensitivity(context, runs)]),
            parameter_table(chosen, seeds),
            *close_rate_tables(runs),
            *running_tables(runs),
        ],
        pictures=[_spreads(runs, paper), _node_orders(runs, paper)],
        facts=[f"{len(runs.all):,} runs", counted(len(seeds), "seed"), f"Kubernetes {VERSION}", "execution: k8ssim"],
    )


def _sensitivity(context: StudyContext, runs: Runs) -> Table:
    found = {"as chosen": runs}
    for number, (name, chosen) in enumerate(VARIANTS.items()):
        found[name] = _variant(context, f"variant-{number}", PROBED, chosen)
    found["K8sSim's queue and scores of Kubernetes 1.14"] = _variant(context, "variant-compat", (1,), CHOSEN, COMPAT)
    return sensitivity_table(found)


def _variant(context: StudyContext, folder: str, numbers: Sequence[int], chosen: Choices, suffix: str = "") -> Runs:
    probed = [SCENARIOS[number - 1] for number in numbers]
    return run_scenarios(replace(context, runs=context.runs / folder), probed, SEEDS, chosen, suffix)


def _spreads(runs: Runs, paper: Published) -> Picture:
    title = "Longest ÷ shortest makespan, by scenario"
    groups = {
        str(number): {"wavetank": mean(runs.spreads(number)), "paper, real cluster": spread(paper.real_s[number])}
        for number in runs.scenarios
    }
    least = {(str(n), "wavetank"): (max(runs.spreads(n)) - min(runs.spreads(n))) / 2 for n in runs.scenarios}
    drawing = bar_chart(title, Axis("times", 1.0), groups, least)
    return Picture("spreads", title, drawing, "The mean of single workloads, and the range of the seeds.")


def _node_orders(runs: Runs, paper: Published) -> Picture:
    title = "Jobs: makespan by order of nodes ÷ the shortest"
    groups: dict[str, dict[str, float]] = {}
    for number in (each for each in (12, 13, 11, 14, 15) if each in runs.scenarios):
        change = f"{SCENARIOS[number - 1].change:+d} %"
        for group, values in ((change, runs.makespans(number)), (f"paper {change}", paper.real_s[number])):
            orders = by_node_order(values)
            groups[group] = {name: value / min(orders.values()) for name, value in orders.items()}
    drawing = bar_chart(title, Axis("times", 1.0), groups)
    return Picture(
        "node-orders", title, drawing, "By day. MRP packs nodes, LRP spreads; the paper's are real running times."
    )


STUDY = Study(
    name="k8ssim",
    title="K8sSim: eleven algorithms of Kubernetes and thirteen of Volcano",
    source="Wen et al., K8sSim: A Simulation Tool for Kubernetes Schedulers and Its Applications in Scheduling "
    "Algorithm Optimization, Micromachines 2023, 14, 651",
    summary="Tasks and jobs with the properties of two traces of Alibaba run on eight nodes, by day and by night, with "
    "half to one and a half times the resources. The study runs all algorithms on K8sSim's model of nodes and compares "
    "makespans, job latencies and running times with the paper's tables. The authors' selection of the traces is not "
    "published: the parameters that had to be chosen are listed, and varied.",
    run=run,
)
