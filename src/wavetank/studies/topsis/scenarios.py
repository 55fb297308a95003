"""Both scenarios of the thesis: claims and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wavetank.scheduling.policies.topsis.closeness import closeness
from wavetank.studies.study import Claim, Table, check
from wavetank.studies.topsis.thesis import CHOSEN, LOADS, MATRIX, SCORES, WEIGHTS, closeness_of_the_thesis

Chosen = Mapping[int, Mapping[str, int]]  # by case and scheduler: the number of the node

_SAME = (
    "kube-scheduler reads requests of pods and never the memory that other programs use: the three nodes are equal to "
    "it, and it takes any of them (here the first); the thesis's four choices happen by chance in one of 81 series"
)


def load_claims(chosen: Chosen) -> list[Claim]:
    """Returns the claims of scenario 1: both schedulers choose the same, the least loaded node."""
    return [
        check(
            f"load-{case}-{name}",
            f"other programs use {' / '.join(map(str, loads))} % of the memory: {scheduler} chooses node {node}",
            f"section 6.1, case {case}",
            published=f"node {node}",
            measured=f"node {chosen[case][name]}",
            holds=chosen[case][name] == node,
            otherwise=_SAME,
        )
        for case, (loads, node) in LOADS.items()
        for name, scheduler in (("topsis", "the custom scheduler"), ("default", "kube-scheduler"))
    ]


def load_table(chosen: Chosen) -> Table:
    """Returns table 6.1 with ours beside it."""
    rows = [
        [" ".join(map(str, loads)), f"node {node}", f"node {chosen[case]['default']}", f"node {chosen[case]['topsis']}"]
        for case, (loads, node) in LOADS.items()
    ]
    columns = ["memory in use on nodes 1, 2, 3 [%]", "thesis, both", "kube-scheduler", "topsis"]
    return Table("Scenario 1: equal nodes under load", columns, rows)


def arithmetic_claim() -> Claim:
    """Returns whether the thesis's scores can be computed again."""
    ours = closeness_of_the_thesis(MATRIX, WEIGHTS[1])
    return check(
        "figure-7",
        "the performance scores of the three nodes with equal weights",
        "figure 7",
        published=_scores(SCORES),
        measured=f"{_scores(ours)} with the thesis's arithmetic, {_scores(_topsis(1))} with TOPSIS",
        holds=bool(np.allclose(ours, SCORES, atol=1e-9)),
        otherwise="the arithmetic was not understood",
        remark="its program divides by the norm of the whole matrix instead of the column's, compares row i with the "
        "ideal of column i, and does not reset the sum between rows",
    )


def weight_claims() -> list[Claim]:
    """Returns the claims of scenario 2: which node is best by which weights."""
    return [_weight_claim(case) for case in WEIGHTS]


def _weight_claim(case: int) -> Claim:
    weights, chosen = WEIGHTS[case], CHOSEN[case]
    theirs, right = closeness_of_the_thesis(MATRIX, weights), _topsis(case)
    return check(
        f"weights-{case}",
        f"with the weights {' '.join(map(str, weights))} the scheduler chooses node {chosen}",
        f"section 6.2, case {case}",
        published=f"node {chosen}",
        measured=_best(right),
        holds=_first(right) == chosen,
        otherwise="the matrix of figure 7 has node 2 nowhere above node 3, so no weights can put it first; the "
        f"arithmetic of figure 7 chooses {_best(theirs)} too",
    )


def weight_table() -> Table:
    """Returns table 6.2 with its arithmetic and the correct one beside it."""
    rows = [
        [
            " ".join(map(str, weights)),
            f"node {CHOSEN[case]}",
            _best(closeness_of_the_thesis(MATRIX, weights)),
            _best(_topsis(case)),
        ]
        for case, weights in WEIGHTS.items()
    ]
    columns = ["weights of CPU, memory, storage, free storage, frequency", "thesis", "its arithmetic", "TOPSIS"]
    return Table("Scenario 2: weights", columns, rows)


def _topsis(case: int) -> list[float]:
    found: list[float] = closeness(MATRIX, np.array(WEIGHTS[case], float), np.ones(5, bool)).tolist()
    return found


def _first(scores: Sequence[float]) -> int:
    return 1 + int(np.argmax(scores))


def _best(scores: Sequence[float]) -> str:
    return f"node {_first(scores)} ({_scores(scores)})"


def _scores(values: Sequence[float]) -> str:
    return " ".join(f"{value:.4f}" for value in values)
