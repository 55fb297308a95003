"""The files of a run whose nodes have a power model: energy.csv and node_energy.csv."""

from __future__ import annotations

from pathlib import Path

from wavetank.cluster.fields.power import BOOTING, OFF, ON, SHUTTING_DOWN
from wavetank.kernel.durations import SECOND
from wavetank.results import schema
from wavetank.results.metrics.energy import EnergyFigures
from wavetank.results.recording.energy import NodeEnergy
from wavetank.results.write.csvfiles import write_rows


def write_energy(figures: EnergyFigures, folder: Path) -> None:
    """Writes both tables."""
    columns = (figures.time_s, figures.watts, figures.joules, figures.nodes_on)
    names = ("time_s", "power_w", "energy_j", "nodes_on")
    rows = [dict(zip(names, map(_rounded, row), strict=True)) for row in zip(*columns, strict=True)]
    write_rows(folder, schema.ENERGY, rows)
    write_rows(folder, schema.NODE_ENERGY, [_node(node) for node in figures.recorder.nodes.values()])


def _node(node: NodeEnergy) -> dict[str, object]:
    times = {state: time / SECOND for state, time in node.times.items()}
    return {
        "node": node.name,
        "energy_j": _rounded(node.joules),
        "on_s": _rounded(times.get(ON, 0.0)),
        "off_s": _rounded(times.get(OFF, 0.0)),
        "switching_s": _rounded(times.get(BOOTING, 0.0) + times.get(SHUTTING_DOWN, 0.0)),
        "switches": node.switches,
    }


def _rounded(value: float) -> float:
    return round(float(value), 6)
