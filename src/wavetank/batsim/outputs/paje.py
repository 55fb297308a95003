"""The schedule as a Pajé trace: which job each machine computes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wavetank.batsim.jobs.job import Job, JobState
from wavetank.batsim.platform.machine import Machine
from wavetank.kernel.durations import SECOND, Nanoseconds

_EVENTS = {
    "PajeDefineContainerType": ("Type string", "Alias string", "Name string"),
    "PajeCreateContainer": ("Time date", "Type string", "Alias string", "Name string", "Container string"),
    "PajeDestroyContainer": ("Time date", "Name string", "Type string"),
    "PajeDefineStateType": ("Alias string", "Type string", "Name string"),
    "PajeDefineEntityValue": ("Alias string", "Type string", "Name string", "Color color"),
    "PajeSetState": ("Time date", "Type string", "Container string", "Value string"),
    "PajeDefineEventType": ("Type string", "Alias string", "Name string"),
    "PajeNewEvent": ("Time date", "Type string", "Container string", "Value string"),
}
_NUMBER = {name: i for i, name in enumerate(_EVENTS, 1)}
_COLORS = [(h * 0.618034) % 1 for h in range(64)]


class PajeTrace:
    """Collects the lines of a trace."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self._lines: list[str] = []
        self._known: set[str] = set()
        self._names = [machine.name for machine in machines]

    def started(self, now: Nanoseconds, job: Job) -> None:
        """The machines of a job show it."""
        value = f"j{job.identifier}"
        if value not in self._known:
            color = _color(_COLORS[len(self._known) % len(_COLORS)])
            self._known.add(value)
            self._line("PajeDefineEntityValue", value, "MS", f'"{job.identifier}"', color)
        self._show(now, job.allocation, value)

    def ended(self, now: Nanoseconds, job: Job, machines: Sequence[Machine]) -> None:
        """Its machines show another of their jobs, or none."""
        if job.state in (JobState.WALLTIME, JobState.KILLED):
            for number in job.allocation:
                self._line("PajeNewEvent", _time(now), "KM", f"m{number}", f'"{job.identifier}"')
        for number in job.allocation:
            others = machines[number].jobs
            self._show(now, (number,), f"j{min(others)}" if others else "w")

    def write(self, path: Path, now: Nanoseconds) -> None:
        """Writes the whole trace, which ends now."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in (*self._head(), *self._lines))
            for number in range(len(self._names)):
                file.write(f"{_NUMBER['PajeDestroyContainer']} {_time(now)} m{number} M\n")
            file.write(f"{_NUMBER['PajeDestroyContainer']} {_time(now)} r R\n")

    def _head(self) -> list[str]:
        lines: list[str] = []
        for name, parts in _EVENTS.items():
            lines += [f"%EventDef {name} {_NUMBER[name]}", *(f"% {part}" for part in parts), "%EndEventDef"]
        define, create = _NUMBER["PajeDefineContainerType"], _NUMBER["PajeCreateContainer"]
        lines += [f'{define} 0 R "Machines"', f'{define} R M "Machine"']
        lines += [f'{_NUMBER["PajeDefineEventType"]} M KM "Job kill"']
        lines += [f'{create} {_time(0)} R r "Machines" 0']
        lines += [f'{create} {_time(0)} M m{number} "{name}" r' for number, name in enumerate(self._names)]
        lines += [f'{_NUMBER["PajeDefineStateType"]} MS M "Machine state"']
        lines += [f'{_NUMBER["PajeDefineEntityValue"]} w MS "Waiting" "0.0 0.0 0.0"']
        return lines + [f"{_NUMBER['PajeSetState']} {_time(0)} MS m{number} w" for number in range(len(self._names))]

    def _show(self, now: Nanoseconds, machines: Sequence[int], value: str) -> None:
        for number in machines:
            self._line("PajeSetState", _time(now), "MS", f"m{number}", value)

    def _line(self, kind: str, *parts: str) -> None:
        self._lines.append(" ".join((str(_NUMBER[kind]), *parts)))


def _time(now: Nanoseconds) -> str:
    return f"{now / SECOND:.6f}"


def _color(hue: float) -> str:
    """Returns a bright colour as Pajé writes it: three numbers from 0 to 1."""
    parts = (abs((hue * 6 + shift) % 6 - 3) - 1 for shift in (0, 4, 2))
    return '"' + " ".join(f"{min(1.0, max(0.0, part)):.2f}" for part in parts) + '"'
