"""The experiments of the thesis on TOPSIS, with its own arithmetic and the correct one, and a larger one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wavetank.scheduling.policies.topsis.closeness import closeness
from wavetank.studies.charts import Axis, line_chart
from wavetank.studies.study import Cell, Claim, Findings, Picture, Study, StudyContext, Table, check
from wavetank.studies.topsis.runs import choices, pressure
from wavetank.studies.topsis.thesis import CHOSEN, LOADS, MATRIX, SCORES, WEIGHTS, closeness_of_the_thesis


def run(context: StudyContext) -> Findings:
    """Runs all cases of both scenarios, and the larger cluster."""
    chosen = {
        case: choices(context, case, LOADS[case][0]) for case in context.track(list(LOADS), lambda case: f"case {case}")
    }
    curves = pressure(context)
    title = "Memory that a node needs: requests of pods and load of others"
    points = {name: [(float(i), value) for i, value in enumerate(curve)] for name, curve in curves.items()}
    x, y = Axis("nodes, the fullest first"), Axis("% of the node's memory", 0)
    return Findings(
        claims=[_arithmetic(), *map(_weights, WEIGHTS), *_load_claims(chosen), _overload(curves)],
        tables=[_weight_table(), _load_table(chosen), _pressure_table(curves)],
        pictures=[Picture("pressure", title, line_chart(title, x, y, points))],
        facts=["3 nodes of the thesis", "60 nodes and 560 pods beside them"],
    )


def _arithmetic() -> Claim:
    ours = closeness_of_the_thesis(MATRIX, WEIGHTS[1])
    return check(
        "figure-7",
        "the performance scores of the three nodes with equal weights",
        "figure 7",
        published=" ".join(f"{score:.4f}" for score in SCORES),
        measured=f"{_scores(ours)} with the thesis's arithmetic, {_scores(_topsis(1))} with TOPSIS",
        holds=bool(np.allclose(ours, SCORES, atol=1e-9)),
        otherwise="the arithmetic was not understood",
        remark="its program divides by the norm of the whole matrix instead of the column's, compares row i with the "
        "ideal of column i, and does not reset the sum between rows",
    )


def _weights(case: int) -> Claim:
    weights, chosen = WEIGHTS[case], CHOSEN[case]
    theirs, right = closeness_of_the_thesis(MATRIX, weights), _topsis(case)
    best = 1 + int(np.argmax(right))
    return check(
        f"weights-{case}",
        f"with the weights {' '.join(map(str, weights))} the scheduler chooses node {chosen}",
        f"section 6.2, case {case}",
        published=f"node {chosen}",
        measured=f"node {best} ({_scores(right)})",
        holds=best == chosen,
        otherwise=f"the matrix of figure 7 has node 2 nowhere above node 3, so no weights can put it first; the "
        f"arithmetic of figure 7 chooses node {1 + int(np.argmax(theirs))} too ({_scores(theirs)})",
    )


def _load_claims(chosen: Mapping[int, Mapping[str, int]]) -> list[Claim]:
    claims = []
    for case, (loads, node) in LOADS.items():
        used = " / ".join(f"{load} %" for load in loads)
        for name, who in (("topsis", "the custom scheduler"), ("default", "kube-scheduler")):
            got = chosen[case][name]
            claims.append(
                check(
                    f"load-{case}-{name}",
                    f"other programs use {used} of the memory: {who} chooses node {node}",
                    f"section 6.1, case {case}",
                    published=f"node {node}",
                    measured=f"node {got}",
                    holds=got == node,
                    otherwise="kube-scheduler reads requests of pods and never the memory that other programs use: the "
                    "three nodes are equal to it and it takes one at random (here always the first)",
                )
            )
    return claims


def _overload(curves: Mapping[str, Sequence[float]]) -> Claim:
    over = {name: sum(value > 100 for value in curve) for name, curve in curves.items()}
    return check(
        "overload",
        "a scheduler that reads the load keeps nodes from being overloaded",
        "not in the thesis (its future work: a large cluster)",
        published="",
        measured=", ".join(f"{name}: {count} of 60 nodes above 100 %" for name, count in over.items()),
        holds=over["default"] > 0 == over["topsis"] == over["topsis-memory"],
        otherwise="topsis overloads nodes too",
    )


def _topsis(case: int) -> list[float]:
    found: list[float] = closeness(MATRIX, np.array(WEIGHTS[case], float), np.ones(5, bool)).tolist()
    return found


def _scores(values: Sequence[float]) -> str:
    return " ".join(f"{value:.4f}" for value in values)


def _weight_table() -> Table:
    rows = [
        [
            " ".join(map(str, weights)),
            f"node {CHOSEN[case]}",
            *(f"node {1 + int(np.argmax(values))} ({_scores(values)})" for values in _both(case)),
        ]
        for case, weights in WEIGHTS.items()
    ]
    columns = ["weights of CPU, memory, storage, free storage, frequency", "thesis", "its arithmetic", "TOPSIS"]
    return Table("Scenario 2: weights", columns, rows)


def _both(case: int) -> tuple[list[float], list[float]]:
    return closeness_of_the_thesis(MATRIX, WEIGHTS[case]), _topsis(case)


def _load_table(chosen: Mapping[int, Mapping[str, int]]) -> Table:
    rows = [
        [" ".join(map(str, loads)), f"node {node}", f"node {chosen[case]['default']}", f"node {chosen[case]['topsis']}"]
        for case, (loads, node) in LOADS.items()
    ]
    columns = ["memory in use on nodes 1, 2, 3 [%]", "thesis, both", "kube-scheduler", "topsis"]
    return Table("Scenario 1: equal nodes under load", columns, rows)


def _pressure_table(curves: Mapping[str, Sequence[float]]) -> Table:
    rows: list[list[Cell]] = [
        [name, round(curve[0]), sum(value > 100 for value in curve)] for name, curve in curves.items()
    ]
    columns = ["scheduler", "fullest node [%]", "nodes that need more memory than they have"]
    return Table(
        "Sixty nodes, half of them with 60 % of their memory in use by others, 560 pods of 2 GiB", columns, rows
    )


STUDY = Study(
    name="topsis",
    title="Container scheduling with TOPSIS",
    source="Shriniwar, Container Scheduling Using TOPSIS Algorithm, MSc thesis, National College of Ireland 2020",
    summary="A custom scheduler ranks nodes by weighted criteria. The study repeats both scenarios of the thesis with "
    "the policy topsis and with kube-scheduler, checks its arithmetic, and goes on to sixty nodes of three sizes.",
    run=run,
)
