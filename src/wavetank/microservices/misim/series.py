"""What MiSim writes into its report: one CSV file for each series."""

from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.cpu import ThreadPool
from wavetank.microservices.measures.recorder import LatencyRecorder

if TYPE_CHECKING:
    from wavetank.microservices.engine.instance import Instance

_VALUE = "Value"
_QUEUE_HEADER = "TotalProcesses;ActiveProcesses"
_SUCCEEDED, _FAILED = "GEN_ALL_SuccessfulRequests", "GEN_ALL_FailedRequests"


class MisimSeries(LatencyRecorder):
    """Keeps the lines of MiSim's series, beside response times and failures. Times are in seconds.

    It has the series of response times, instances, load balancers, CPUs, circuit breakers, retries, autoscalers and
    load; not `UtilizationBinned`, `NL_latency` and the averages (`R_AVG`).
    """

    watches_cpus = True

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, list[str]] = defaultdict(list)
        self._counts: dict[str, int] = {}
        self._choices: dict[str, tuple[Nanoseconds, list[str]]] = {}
        self._sums: dict[str, Counter[int]] = defaultdict(Counter)  # by the second in which something happened

    def _add(self, series: str, now: Nanoseconds, *values: object) -> None:
        self.lines[series].append(";".join((_seconds(now), *map(str, values))))

    def _count(self, series: str, now: Nanoseconds, number: int = 1) -> None:
        self._sums[series][-(-now // SECOND)] += number

    def arrived(self, service: str, operation: str, now: Nanoseconds) -> None:
        """Counts a request of a user."""
        self._count(f"G[LoadGeneratorDescriptionExecutor]_[{service}({operation})]_Load", now)

    def responded(self, service: str, operation: str, now: Nanoseconds, response: Nanoseconds) -> None:
        """Keeps a response time."""
        super().responded(service, operation, now, response)
        for series in (f"R[{operation}]_ResponseTimes", "R[All]ResponseTimes"):
            self._add(series, now, _seconds(response))
        self._count(_SUCCEEDED, now)
        self._count(_FAILED, now, 0)

    def failed(self, service: str, operation: str, now: Nanoseconds, reason: str) -> None:
        """Counts a failure."""
        super().failed(service, operation, now, reason)
        self._count(_FAILED, now)
        self._count(_SUCCEEDED, now, 0)

    def chosen(self, service: str, instance: str, now: Nanoseconds) -> None:
        """Keeps a choice of the load balancer; those of one instant are one line."""
        super().chosen(service, instance, now)
        instant, names = self._choices.setdefault(service, (now, []))
        if instant != now:
            self._end_choices(service)
            self._choices[service] = (now, names := [])
        names.append(instance)

    def _end_choices(self, service: str) -> None:
        instant, names = self._choices[service]
        self._add(f"S[{service}]_Load_Distribution", instant, f"[{','.join(names)}]")

    def retried(self, now: Nanoseconds, wait: float) -> None:
        """Keeps a wait before another try."""
        super().retried(now, wait)
        self._add("RM_RetryTimings", now, java_double(wait))

    def instances(self, service: str, now: Nanoseconds, number: int) -> None:
        """Keeps a number of instances."""
        self._counts[service] = number
        self._add(f"S[{service}]_InstanceCount", now, number)

    def instance_state(self, instance: str, now: Nanoseconds, state: str) -> None:
        """Keeps a state of an instance."""
        self._add(f"I[{instance}]_State", now, state)

    def breaker(self, instance: str, target: str, now: Nanoseconds, state: tuple[str, int, int, float]) -> None:
        """Keeps a state of a circuit breaker."""
        name, succeeded, failed, share = state
        text = f"[{name}, {succeeded}, {failed}, {java_double(share)}]"
        self._add(f"CB[CircuitBreaker of {instance}]_[{target}]", now, text)

    def scaled(self, service: str, now: Nanoseconds, backlog: float, decision: str, change: int) -> None:
        """Keeps a decision of an autoscaler."""
        self._add(f"AS[{service}]_MeasuredUtilization", now, java_double(backlog))
        self._add(f"AS[{service}]_Decision", now, decision)
        self._add(f"AS[{service}]_InstanceChange", now, change)

    def cpu_changed(self, instance: Instance, now: Nanoseconds, is_settled: bool) -> None:
        """Keeps the state of a CPU; its use only once it has settled which processes run."""
        cpu = instance.cpu
        assert isinstance(cpu, ThreadPool)
        name = f"C[{instance.name}_CPU]"
        self._add(f"{name}_QueueState", now, cpu.processes, cpu.active)
        if is_settled:
            self._add(f"{name}_Utilization", now, java_double(cpu.active / cpu.threads))
            self._add(f"{name}_RelativeUtilization", now, java_double(cpu.backlog()))

    def finish(self, end: Nanoseconds) -> None:
        """Adds what MiSim writes at the end of a run."""
        for service in self._choices:
            self._end_choices(service)
        for service, number in self._counts.items():
            self._add(f"S[{service}]_InstanceCount", end, number)
        for series, sums in self._sums.items():
            for second, number in sorted(sums.items()):
                self._add(series, second * SECOND, java_double(float(number)))

    def write(self, folder: Path) -> None:
        """Writes the files into `raw` of a report's folder."""
        raw = folder / "raw"
        raw.mkdir(parents=True, exist_ok=True)
        for series, lines in sorted(self.lines.items()):
            values = _QUEUE_HEADER if series.endswith("_QueueState") else _VALUE
            text = "\n".join([f"SimulationTime;{values}", *lines])
            (raw / f"{series}.csv").write_text(f"{text}\n", encoding="utf-8")


def _seconds(time: Nanoseconds) -> str:
    return java_double(time // 1000 / 1e6)


def java_double(value: float) -> str:
    """Returns a number as Java writes a double: 0.5, 1.0E-4, 1.25E7."""
    text = repr(float(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return text
    sign, digits, exponent = Decimal(text).as_tuple()
    significant = "".join(map(str, digits)).rstrip("0")
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{significant[0]}.{significant[1:] or '0'}E{power}"
