"""The tables of the study's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from wavetank.studies.charts import Cell
from wavetank.studies.k8ssim.figures import best, by_node_order, close_rates, same_order, spread, text_of_order, worst
from wavetank.studies.k8ssim.published import Published
from wavetank.studies.k8ssim.runs import Runs
from wavetank.studies.k8ssim.scenarios import KUBERNETES, SCENARIOS, VOLCANO
from wavetank.studies.k8ssim.workloads import Choices
from wavetank.studies.study import Table

# Name, algorithms and scenarios of each scheduler.
_KINDS = (("Kubernetes", KUBERNETES, range(1, 11)), ("Volcano", VOLCANO, range(11, 21)))
_STATED, _FILES, _CHOSEN = "paper, section 4.1", "K8sSim's published files", "chosen here"


def scenario_table(runs: Runs, paper: Published) -> Table:
    """Returns a row for each scenario, with the paper's real running times beside our makespans."""
    columns = [
        *("scenario", "mean [s]", "paper [s]", "shortest", "paper's", "longest", "paper's"),
        *("longest ÷ shortest", "single workloads", "paper's", "pairs in the paper's order"),
    ]
    rows = [_scenario(runs, paper, number) for number in runs.scenarios]
    note = "Makespans, the means over the seeds; the paper's are the real running times of tables 2 and 3."
    return Table("Scenarios", columns, rows, note)


def _scenario(runs: Runs, paper: Published, number: int) -> list[Cell]:
    ours, theirs, single = runs.makespans(number), paper.real_s[number], runs.spreads(number)
    same, pairs = same_order(ours, theirs)
    return [
        SCENARIOS[number - 1].label,
        round(mean(ours.values())),
        round(mean(theirs.values())),
        best(ours),
        best(theirs),
        worst(ours),
        worst(theirs),
        round(spread(ours), 2),
        f"{min(single):.2f} to {max(single):.2f}",
        round(spread(theirs), 2),
        f"{same} of {pairs}",
    ]


def running_tables(runs: Runs) -> list[Table]:
    """Returns tables 2 to 5 as they are here: makespan, wall time and their quotient, by scenario and algorithm."""
    return [
        Table(
            f"Makespan [s] / wall time [s]: acceleration, {name}",
            ["scenario", *algorithms],
            [[str(n), *(_running(runs, n, each) for each in algorithms)] for n in numbers if n in runs.scenarios],
            f"Like tables {'2 and 4' if name == 'Kubernetes' else '3 and 5'}; means over the seeds.",
        )
        for name, algorithms, numbers in _KINDS
    ]


def _running(runs: Runs, number: int, algorithm: str) -> str:
    found = runs.of(number, algorithm)
    makespan, wall = mean(run.makespan for run in found), mean(run.wall for run in found)
    return f"{makespan:,.0f} / {wall:.2f}: {makespan / wall:,.0f}×"


def close_rate_tables(runs: Runs) -> list[Table]:
    """Returns the CloseRate of each algorithm by scenario: its mean job latency ÷ the least."""
    tables = []
    for name, algorithms, numbers in _KINDS:
        rates = {number: close_rates(runs.latencies(number)) for number in numbers if number in runs.scenarios}
        rows: list[Sequence[Cell]] = [[str(n), *(round(rates[n][each], 2) for each in algorithms)] for n in rates]
        tables.append(Table(f"CloseRate, {name}", ["scenario", *algorithms], rows, "1 is the best of the scenario."))
    return tables


def sensitivity_table(variants: Mapping[str, Runs]) -> Table:
    """Returns what other choices would change."""
    columns = ["choice", "scenario 1", "shortest, longest", "scenario 12", "scenario 15"]
    rows = [_variant(name, runs) for name, runs in variants.items()]
    note = (
        "Longest ÷ shortest makespan of single workloads in scenario 1; mean makespans by order of nodes in 12 and 15."
    )
    return Table("Sensitivity to what the paper leaves open", columns, rows, note)


def _variant(name: str, runs: Runs) -> list[Cell]:
    single, times = runs.spreads(1), runs.makespans(1)
    orders = [text_of_order(by_node_order(runs.makespans(n))) if n in runs.scenarios else "–" for n in (12, 15)]
    return [name, f"{min(single):.2f} to {max(single):.2f}", f"{best(times)}, {worst(times)}", *orders]


def parameter_table(chosen: Choices, seeds: Sequence[int]) -> Table:
    """Returns every parameter of the workloads, with where it is from."""
    rows = [
        ["nodes", "2 of 2 cores and 4 GiB, 4 of 4 and 8, 2 of 8 and 16", _STATED],
        ["jobs by night ÷ by day, in equal times", "4.35 (tasks), 2.80 (jobs)", _STATED],
        ["tasks by night ÷ by day, in equal times", "3.03 (tasks), 2.80 (jobs)", _STATED],
        ["tasks of a job", "7.13 (jobs)", _STATED],
        ["requests below limits, GPU jobs, waiting times, minAvailable", "as below", "paper, sections 1, 3.4, 4.1"],
        ["requests, limits, work and GPUs of tasks", "6 kinds of generic tasks, 17 jobs", _FILES],
        ["change of resources", f"the {chosen.changed} of the nodes", _FILES],
        ["GPUs; creation of containers", "2 for each core; 6 s, 2.5 s, 2 s", _FILES],
        ["arrivals", f"uniform in {chosen.window} s", _CHOSEN],
        ["jobs by day", f"{chosen.generic_jobs} (tasks), {chosen.ai_jobs} (jobs)", _CHOSEN],
        ["tasks of a job by day", f"{chosen.generic_tasks} (tasks)", _CHOSEN],
        ["work of tasks", f"{chosen.generic_length} and {chosen.ai_length} times the published", _CHOSEN],
        ["minAvailable", f"{chosen.available:.0%} of a job's tasks", _CHOSEN],
        ["sla-waiting-time", ", ".join(chosen.waiting_times), _CHOSEN],
        ["preferences for fast nodes or nodes of the job", f"{chosen.affine:.0%} of the generic tasks", _CHOSEN],
        ["images; soft taint", "on the two large nodes; on one node of 4 cores", _CHOSEN],
        ["seeds", ", ".join(map(str, seeds)), _CHOSEN],
    ]
    return Table("Parameters", ["parameter", "value", "from"], rows)
