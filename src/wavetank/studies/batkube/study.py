"""Batkube's comparison with a real k3s cluster, and its study of how a scheduler is synchronized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wavetank.studies.batkube.claims import error, table_claims
from wavetank.studies.batkube.figures import figure_claims
from wavetank.studies.batkube.runs import KINDS, Measured, measure, measure_ideal, spread
from wavetank.studies.batkube.thesis import BATKUBE, REAL, Published
from wavetank.studies.batkube.timesteps import MIN_DELAY, STEP, TIMEOUT, Step, find_program, vary
from wavetank.studies.batkube.workloads import KIT, RELEASE
from wavetank.studies.charts import Axis, Cell, bar_chart, line_chart
from wavetank.studies.study import Findings, Picture, Study, StudyContext, Table

_NEWEST = "1.36"


def run(context: StudyContext) -> Findings:
    """Runs the three workloads, and in the full form those with the real scheduler in time steps."""
    kit = context.folders.get(KIT.name)
    fitted = {kind: measure(context, kind, kit) for kind in context.track(KINDS)}
    newest = {kind: measure(context, kind, kit, _NEWEST) for kind in KINDS}
    ideal = {kind: measure_ideal(context, kind, kit) for kind in KINDS}
    program = None if context.small else find_program()
    steps = [] if program is None else vary(context, program, kit)
    return Findings(
        claims=[*table_claims(fitted, ideal, kit), *figure_claims(steps)],
        tables=[_table(fitted, newest, ideal), *([_step_table(steps)] if steps else [])],
        pictures=[*_bars(fitted), _phases(fitted), *_curves(steps)],
        facts=[
            f"Kubernetes {RELEASE}",
            "latencies k3s",
            "jobs of KIT's log" if kit else "realistic jobs drawn: no KIT_10h_80.json",
            f"{program.name} {program.version} in time steps" if program else "no runs in time steps",
        ],
    )


def _table(fitted: Mapping[str, Measured], newest: Mapping[str, Measured], ideal: Mapping[str, Measured]) -> Table:
    columns = ["workload", "", "makespan [s]", "±", "error", "mean waiting [s]", "±", "error"]
    rows: list[list[Cell]] = []
    for kind in KINDS:
        real = REAL[kind]
        rows.append([kind, "real", *_published(real, real)])
        rows.append([kind, "Batkube", *_published(BATKUBE[kind], real)])
        for name, found in ((RELEASE, fitted), (_NEWEST, newest), (f"{RELEASE} without latencies", ideal)):
            rows.append([kind, f"wavetank, {name}", *_measured(found[kind], real)])
    note = "Errors against the real runs. The real cluster ran the realistic workload once, the others ten times."
    return Table("Table 4.1: real, simulated by Batkube, simulated here", columns, rows, note)


def _published(values: Published, real: Published) -> list[Cell]:
    return [
        f"{values.makespan:.0f}",
        "" if values.makespan_deviation is None else f"{values.makespan_deviation:.3g}",
        "" if values is real else error(values.makespan, real.makespan),
        f"{values.waiting:.4g}",
        "" if values.waiting_deviation is None else f"{values.waiting_deviation:.3g}",
        "" if values is real else error(values.waiting, real.waiting),
    ]


def _measured(found: Measured, real: Published) -> list[Cell]:
    return [
        f"{found.makespan:.0f}",
        f"{spread(found.makespans):.3g}" if len(found.makespans) > 1 else "",
        error(found.makespan, real.makespan),
        f"{found.wait:.4g}",
        f"{spread(found.waits):.3g}" if len(found.waits) > 1 else "",
        error(found.wait, real.waiting),
    ]


def _bars(fitted: Mapping[str, Measured]) -> list[Picture]:
    """Errors against the real runs in percent, for both metrics."""
    groups: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        for metric, of in (("makespan", "makespan"), ("waiting", "wait")):
            real, theirs = getattr(REAL[kind], metric), getattr(BATKUBE[kind], metric)
            ours = getattr(fitted[kind], of)
            groups[f"{kind}, {metric}"] = {
                "Batkube": round(abs(100 * (theirs / real - 1)), 1),
                "wavetank": round(abs(100 * (ours / real - 1)), 1),
            }
    title = "Error against the real cluster"
    return [Picture("errors", title, bar_chart(title, Axis("% of the real value, more or less"), groups))]


def _phases(fitted: Mapping[str, Measured]) -> Picture:
    waits = fitted["realistic"].waits
    apart = 30 / len(waits)
    real, title = REAL["realistic"].waiting, "Mean waiting time of the realistic workload, by the phase of a timer"
    lines = {
        "wavetank, 1.19": [(i * apart, wait) for i, wait in enumerate(waits)],
        "real": [(0.0, real), (30 - apart, real)],
        "Batkube, mean": [(0.0, BATKUBE["realistic"].waiting), (30 - apart, BATKUBE["realistic"].waiting)],
    }
    x = Axis("seconds from a tick of the scheduler's 30 s timer to the first submission")
    note = "Pods that wait are tried again at these ticks; the order in which they get their turn depends on the phase."
    return Picture("phases", title, line_chart(title, x, Axis("s", 0), lines), note)


def _curves(steps: Sequence[Step]) -> list[Picture]:
    """Figures 4.3, 4.5 and 4.6: durations and makespans by parameter, the latter relative to the largest value's."""
    if not steps:
        return []
    return [
        _curve(steps, MIN_DELAY, "duration", "Duration of a simulation by the minimum delay (figure 4.3)"),
        _curve(steps, TIMEOUT, "makespan", "Makespan by the timeout (figure 4.5)"),
        _curve(steps, STEP, "duration", "Duration of a simulation by the maximum time step (figure 4.6)"),
        _curve(steps, STEP, "makespan", "Makespan by the maximum time step (figure 4.6)"),
    ]


def _curve(steps: Sequence[Step], parameter: str, metric: str, title: str) -> Picture:
    lines = {}
    for kind in KINDS:
        runs = [step for step in steps if (step.kind, step.parameter) == (kind, parameter) and not step.crashed]
        last = runs[-1].makespan if runs else 1.0
        lines[kind] = [
            (step.value / 1000 if parameter == STEP else step.value, step.duration_s)
            if metric == "duration"
            else (step.value / 1000 if parameter == STEP else step.value, 100 * step.makespan / last)
            for step in runs
        ]
    x = Axis(f"{parameter} [{'s' if parameter == STEP else 'ms'}]", logarithmic=parameter == STEP)
    y = Axis("s of real time", 0) if metric == "duration" else Axis("% of that with the largest value")
    return Picture(f"{parameter}-{metric}", title, line_chart(title, x, y, lines))


def _step_table(steps: Sequence[Step]) -> Table:
    columns = ["workload", "parameter", "ms", "makespan [s]", "mean waiting [s]", "pods on full nodes", "duration [s]"]
    rows: list[list[Cell]] = [
        [step.kind, step.parameter, step.value, *_results(step), round(step.duration_s, 1)] for step in steps
    ]
    return Table("The real kube-scheduler in time steps (figures 4.2 to 4.6)", columns, rows)


def _results(step: Step) -> list[Cell]:
    return ["crashed", "", ""] if step.crashed else [round(step.makespan, 1), round(step.wait, 1), step.over]


STUDY = Study(
    name="batkube",
    title="Batkube: kube-scheduler on simulated time",
    source="Larue, Development and evaluation of a Kubernetes cluster simulator based on Batsim, MSc thesis, 2020",
    summary="The thesis ran three workloads on a real k3s cluster and in its simulator, and studied how parameters "
    "of the simulator change the results. The study repeats table 4.1 with real, their and our figures side by side, "
    "and figures 4.2 to 4.6 with the real kube-scheduler in time steps.",
    run=run,
    data=[KIT],
)
