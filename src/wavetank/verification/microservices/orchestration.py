"""Cases of misim-orchestration: placements and pods exactly, response times by their means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.misim.architecture import read_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.model.rules import MISIM
from wavetank.microservices.orchestration.config import OrchestrationConfig, read_config
from wavetank.microservices.orchestration.plane import PlaneReport
from wavetank.microservices.orchestration.pods import Pod
from wavetank.microservices.orchestration.run import run_orchestration
from wavetank.verification.microservices.findings import Findings
from wavetank.verification.microservices.playing import Inputs, play
from wavetank.verification.microservices.recorder import SeriesRecorder
from wavetank.verification.microservices.recording import Json, ServiceRecording

_TOTALS = "orchestration/scheduling/scheduling_results.csv"
_NODES = "orchestration/scheduling/nodes_and_pods/"
_SCALING = "orchestration/scaling/"
_MOST_ORDERS = 60
_SHORT = 0.020  # seconds below which a plain run is compared less strictly


def compare_orchestration(case: ServiceRecording, findings: Findings) -> None:
    """Plays a case on misim-orchestration's cluster, or without one if it was recorded so.

    Some things are by the order of a hash set, different in each JVM. Which of several idle pods a scaler removes:
    ours removes the one that the recording shows, if it is among them. Which pods round robin gives work to, and so
    which are idle: the nodes of pods agree if one of several drawn orders gives them, and all else must agree in any
    order. Which pod gets all requests with `even`: everything depends on that, and must agree in one order.
    """
    files = _Files(case)
    inputs = files.inputs()
    seed = int(case.result.get("seed", 1))
    if "inputs" in case.result and "placement" not in case.result:
        _compare_means(case.result, play(inputs, seed).recorder, findings)
        return
    config = read_config(files.config, lenient=True)
    trials = (_trial(case, inputs, config, seed + i) for i in range(_MOST_ORDERS))
    if any(service.balancer == "even" for service in inputs.architecture.services):
        findings.join(_best(trials))
    else:
        first = next(trials)
        nodes = _best(chain([first], trials), "placements").take("placements")
        first.take("placements")
        findings.join(first)
        findings.add_pairs("placements", nodes)


def _best(trials: Iterator[Findings], *aspects: str) -> Findings:
    """Returns the first trial that agrees in some aspects (by default in all), else one with the fewest differences."""
    best: Findings | None = None
    for trial in trials:
        if best is None or trial.differing_in(aspects) < best.differing_in(aspects):
            best = trial
        if not best.differing_in(aspects):
            break
    assert best is not None
    return best


def _trial(case: ServiceRecording, inputs: Inputs, config: OrchestrationConfig, seed: int) -> Findings:
    """Compares one run."""
    findings, recorder = Findings(), SeriesRecorder()
    pick = _RecordedRemovals(case).pick
    placement = case.result.get("placement")
    reports = run_orchestration(inputs.architecture, inputs.experiment, config, recorder, seed, placement, pick=pick)
    _compare_reports(case, inputs.experiment.duration or 0, config, reports, findings)
    _compare_means(case.result, recorder, findings)
    return findings


class _RecordedRemovals:
    """Finds the node that loses a pod of a deployment in the recording."""

    def __init__(self, case: ServiceRecording) -> None:
        self._losses: Counter[tuple[str, str, int]] = Counter()
        for name, lines in case.series.items():
            if name.startswith(_NODES):
                self._read(_node_name(name), [line[0].split(",") for line in lines])

    def _read(self, node: str, rows: list[list[str]]) -> None:
        deployments = rows[0][1:]
        for before, after in pairwise(rows[1:]):
            for i, deployment in enumerate(deployments, start=1):
                if int(after[i]) < int(before[i]):
                    self._losses[node, deployment, int(before[0])] += int(before[i]) - int(after[i])

    def pick(self, pods: list[Pod], now: Nanoseconds) -> Pod:
        """Returns the pod whose node loses one within this second or the one before; else the first."""
        second = now // SECOND
        for pod in pods:
            for at in (second, second - 1):
                loss = (pod.node, pod.deployment.name, at)
                if self._losses[loss]:
                    self._losses[loss] -= 1
                    return pod
        return pods[0]


def _node_name(series: str) -> str:
    return series.removeprefix(_NODES).removesuffix("_results.csv")


class _Files:
    def __init__(self, case: ServiceRecording) -> None:
        given = case.result.get("inputs")
        self.folder = case.folder if given is None else case.folder.parent.parent / str(given)
        self.config = self.folder / ("config.yaml" if given is None else "paper_orchestration_config.yaml")
        self._architecture = self._first("architecture.json", "paper_architecture_model.json")
        self._experiment = self._first("experiment.json", "paper_example_model.json")

    def _first(self, *names: str) -> Path:
        return next((self.folder / name for name in names if (self.folder / name).is_file()), self.folder / names[0])

    def inputs(self) -> Inputs:
        """Reads the architecture and the experiment."""
        architecture = read_architecture(self._architecture, MISIM, lenient=True)
        folders = (self.folder, *(path for path in self.folder.iterdir() if path.is_dir()))
        reader = ExperimentReader(architecture, MISIM, folders, lenient=True)
        return Inputs(architecture, reader.read(self._experiment))


def _compare_means(result: Json, recorder: SeriesRecorder, findings: Findings) -> None:
    is_plain = result.get("simulator", "").startswith("MiSim ")
    for operation, stats in result["response_times"].items():
        values = [value for _, value in recorder.responses[operation]]
        mean = sum(values) / len(values) / 1e6 if values else 0.0
        share = 0.05 if is_plain and stats["mean"] < _SHORT else 0.02
        findings.add_close("means", operation, stats["mean"], mean, share * stats["mean"])
        findings.add_close("counts", operation, stats["n"], len(values), max(2, 0.005 * stats["n"]))
    if "failed" in result:
        findings.add("counts", "failed", int(result["failed"]), recorder.failed_users)


def _compare_reports(
    case: ServiceRecording, end: float, config: OrchestrationConfig, reports: list[PlaneReport], findings: Findings
) -> None:
    """Compares the reports of each second.

    Whether a report comes before or after a change at the same instant varies in MiSim, and so does the last one.
    """
    by_second = {report.second: report for report in reports}
    for name, lines in case.series.items():
        if not name.startswith("orchestration/") or name.endswith("_events.csv"):
            continue
        rows = [line[0].split(",") for line in lines]
        rows[1:] = [row for row in rows[1:] if int(row[0]) < end and (row[0] == "0" or int(row[0]) % config.interval)]
        if name == _TOTALS:
            expected = [(int(row[0]), float(row[2]), int(row[3]), int(row[4])) for row in rows[1:]]
            got = [(r.second, r.reserved, r.placed, r.waiting) for s, _, _, _ in expected if (r := by_second.get(s))]
            findings.add_lines("pods", "all nodes", [*expected], [*got])
        elif name.startswith(_NODES) and config.scheduler != "random":
            _compare_node(_node_name(name), rows, by_second, findings)
        elif name.startswith(_SCALING):
            deployment = name.removeprefix(_SCALING).removesuffix(".csv")
            numbers = [(int(row[0]), int(row[2])) for row in rows[1:]]
            ours = [(second, by_second[second].running.get(deployment)) for second, _ in numbers if second in by_second]
            findings.add_lines("decisions", deployment, [*numbers], [*ours])


def _compare_node(node: str, rows: list[list[str]], reports: dict[int, PlaneReport], findings: Findings) -> None:
    names = rows[0][1:]
    expected = [(int(row[0]), *(int(value) for value in row[1:])) for row in rows[1:]]
    got = [
        (second, *(reports[second].on_nodes.get(node, {}).get(name, 0) for name in names))
        for second, *_ in expected
        if second in reports
    ]
    findings.add_lines("placements", node, [*expected], [*got])
