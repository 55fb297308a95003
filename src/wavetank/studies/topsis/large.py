"""The large cluster of the study: how much memory its nodes need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wavetank.studies.charts import Cell
from wavetank.studies.study import Claim, Table, check
from wavetank.studies.topsis.runs import LOAD, POD_GIB

Curves = Mapping[str, Sequence[float]]  # by scheduler: percent of the memory of each node, the highest first


def overload_claim(curves: Curves) -> Claim:
    """Returns whether the schedulers that read the load overload at most one node in a hundred."""
    over = {name: _overloaded(curve) for name, curve in curves.items()}
    few = len(curves["default"]) / 100
    return check(
        "overload",
        "on a large cluster a scheduler that reads the load overloads hardly any node",
        "section 7, future work: 2,000 to 3,000 pods",
        published="",
        measured=f"of {len(curves['default'])} nodes above 100 %: "
        + ", ".join(f"{name} {count}" for name, count in over.items()),
        holds=over["default"] > few >= over["topsis"] >= over["topsis-memory"],
        otherwise="topsis overloads more than one node in a hundred",
    )


def pressure_table(curves: Curves) -> Table:
    """Returns the fullest node and the number of overloaded ones, by scheduler."""
    rows: list[list[Cell]] = [[name, round(curve[0]), _overloaded(curve)] for name, curve in curves.items()]
    columns = ["scheduler", "fullest node [%]", "nodes that need more memory than they have"]
    title = f"{len(curves['default'])} nodes, half of them with {LOAD} % of their memory in use, pods of {POD_GIB} GiB"
    return Table(title, columns, rows)


def _overloaded(curve: Sequence[float]) -> int:
    return sum(value > 100 for value in curve)
