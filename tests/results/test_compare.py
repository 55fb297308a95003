from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from wavetank.errors import InputError
from wavetank.results.compare.compare import KINDS, MetricPair, RunDifference, compare_results

COLUMNS = "namespace,name,scheduled,started,finished,node,phase\n"
FARED = ("0", "1", "9", "n1", "Succeeded")


def a_run(folder: Path, pods: Iterable[tuple[str, ...]]) -> Path:
    """Writes the pods of a run: a name each, and what differs from FARED."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = (",".join(["default", pod[0], *pod[1:], *FARED[len(pod) - 1 :]]) for pod in pods)
    (folder / "pods.csv").write_text(COLUMNS + "\n".join(rows) + "\n")
    return folder


def results(folder: Path, runs: dict[str, float], pods: Iterable[tuple[str, ...]] = (("p",),)) -> Path:
    """Writes results with a makespan for each run, named scheduler/seed-1."""
    pods = list(pods)
    lines = ["scheduler,seed,pods,makespan_s"]
    for name, makespan in runs.items():
        a_run(folder / name, pods)
        scheduler, _, seed = name.partition("/seed-")
        lines.append(f"{scheduler},{seed},{len(pods)},{makespan}")
    (folder / "summary.csv").write_text("\n".join(lines) + "\n")
    return folder


def compared(tmp_path: Path, a: list[tuple[str, ...]], b: list[tuple[str, ...]]) -> RunDifference:
    (run,) = compare_results(a_run(tmp_path / "a", a), a_run(tmp_path / "b", b)).runs
    return run


@pytest.mark.parametrize(
    ("a", "b", "kinds"),
    [
        pytest.param(FARED, ("0", "1", "9", "n2"), {"other_node"}, id="another node"),
        pytest.param(FARED, ("0", "2", "9"), {"other_start"}, id="another start"),
        pytest.param(FARED, ("0.5", "1", "9"), {"other_start"}, id="bound at another time"),
        pytest.param(FARED, ("0", "1", "9.000000001"), {"other_finish"}, id="a nanosecond later"),
        pytest.param(FARED, ("0", "1", "9", "n1", "Failed"), {"other_phase"}, id="another end"),
        pytest.param(FARED, ("", "", "", "", "Pending"), set(KINDS[2:]), id="never scheduled"),
    ],
)
def test_in_what_a_pod_differs(tmp_path: Path, a: tuple[str, ...], b: tuple[str, ...], kinds: set[str]) -> None:
    run = compared(tmp_path, [("p", *a), ("q",)], [("p", *b), ("q",)])
    assert (run.same, run.differing) == (1, 1)
    assert set(run.pods[0].kinds) == kinds
    assert {kind for kind, count in run.counts.items() if count} == kinds
    assert run.differs


def test_equal_runs(tmp_path: Path) -> None:
    run = compared(tmp_path, [("p",), ("q",)], [("p",), ("q",)])
    assert (run.same, run.differing, run.pods, run.differs) == (2, 0, (), False)


def test_the_order_of_the_rows_does_not_matter(tmp_path: Path) -> None:
    names = [(f"p{i}",) for i in range(20)]
    run = compared(tmp_path, names, [*reversed(names)])
    assert (run.same, run.differing) == (20, 0)


def test_pods_of_one_run_only(tmp_path: Path) -> None:
    run = compared(tmp_path, [("a",), ("p",), ("q",)], [("p",), ("b",), ("q",), ("c",)])
    assert run.same == 2
    assert (run.counts["only_a"], run.counts["only_b"]) == (1, 2)
    assert [(pod.pod, pod.kinds) for pod in run.pods] == [
        ("default/a", ("only_a",)),
        ("default/b", ("only_b",)),
        ("default/c", ("only_b",)),
    ]


def test_the_nth_pod_of_a_name_belongs_to_the_nth(tmp_path: Path) -> None:
    early, late = ("p", "0", "1"), ("p", "5", "6")
    run = compared(tmp_path, [early, ("q",), late], [("q",), early, late])
    assert (run.same, run.differing) == (3, 0)


def test_only_so_many_pods_are_kept(tmp_path: Path) -> None:
    a = a_run(tmp_path / "a", [(f"p{i}",) for i in range(9)])
    b = a_run(tmp_path / "b", [(f"p{i}", "3") for i in range(9)])
    (run,) = compare_results(a, b, most=2).runs
    assert [pod.pod for pod in run.pods] == ["default/p0", "default/p1"]
    assert run.differing == 9


def labels(difference: object) -> list[tuple[str, str]]:
    return [(run.a.label, run.b.label) for run in difference.runs]  # type: ignore[attr-defined]


def test_runs_of_one_scheduler_and_seed_belong_together(tmp_path: Path) -> None:
    a = results(tmp_path / "a", {"x/seed-1": 1, "x/seed-2": 1, "y/seed-1": 1})
    b = results(tmp_path / "b", {"y/seed-1": 1, "x/seed-2": 1, "z/seed-1": 1})
    difference = compare_results(a, b)
    assert labels(difference) == [("x/seed-2", "x/seed-2"), ("y/seed-1", "y/seed-1")]
    assert [run.label for run in difference.only_a] == ["x/seed-1"]
    assert [run.label for run in difference.only_b] == ["z/seed-1"]
    assert difference.differs


def test_two_schedulers_are_compared_seed_by_seed(tmp_path: Path) -> None:
    out = results(tmp_path / "a", {"x/seed-1": 1, "x/seed-2": 1, "y/seed-2": 2, "y/seed-1": 1})
    difference = compare_results(out, out, scheduler_a="x", scheduler_b="y")
    assert labels(difference) == [("x/seed-1", "y/seed-1"), ("x/seed-2", "y/seed-2")]
    assert [run.differs for run in difference.runs] == [False, True]


def test_two_single_runs_are_compared_whatever_they_are_called(tmp_path: Path) -> None:
    a, b = results(tmp_path / "a", {"x/seed-1": 1}), results(tmp_path / "b", {"y/seed-7": 1})
    assert labels(compare_results(a, b)) == [("x/seed-1", "y/seed-7")]


def test_the_folder_of_a_run_finds_its_metrics(tmp_path: Path) -> None:
    out = results(tmp_path / "out", {"x/seed-1": 10, "x/seed-2": 12.5})
    (run,) = compare_results(out / "x" / "seed-1", out / "x" / "seed-2").runs
    assert run.metrics["makespan_s"] == MetricPair(10, 12.5)
    assert run.metrics["makespan_s"].difference == 2.5
    (run,) = compare_results(out / "x" / "seed-1", out).runs
    assert (run.b.scheduler, run.b.seed) == ("x", 1)


def test_a_metric_without_a_value_has_no_difference() -> None:
    assert MetricPair(None, 1).difference is None


@pytest.mark.parametrize(
    ("summary", "pods", "message"),
    [
        ("scheduler,seed\nx,1\n", "a,b\n", "pods.csv: expected a column 'namespace', got a, b"),
        ("scheduler,seed\nx,1\n", "", "pods.csv: expected a column 'namespace', got nothing"),
        ("scheduler,seed\nx,1\n", COLUMNS + "default,p\n", "pods.csv: expected as many cells in every row"),
        ("scheduler,seed\nx,one\n", COLUMNS, "summary.csv: row 2: seed: expected a number, got 'one'"),
        ("seed\n1\n", COLUMNS, "summary.csv: expected a column 'scheduler', got seed"),
        ("scheduler,seed\nx,\n", COLUMNS, "summary.csv: row 2: seed: expected a whole number"),
        ("scheduler,seed,pods\nx,1\n", COLUMNS, "summary.csv: row 2: expected 3 cells"),
        ("scheduler,seed\ny,1\n", COLUMNS, "pods.csv: cannot be read: No such file or directory"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, summary: str, pods: str, message: str) -> None:
    (tmp_path / "x" / "seed-1").mkdir(parents=True)
    (tmp_path / "x" / "seed-1" / "pods.csv").write_text(pods)
    (tmp_path / "summary.csv").write_text(summary)
    with pytest.raises(InputError, match=message):
        compare_results(tmp_path, tmp_path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "pods.csv").write_bytes(COLUMNS.encode() + b"\xff\xfe")
    with pytest.raises(InputError, match="expected CSV in UTF-8"):
        compare_results(tmp_path, tmp_path)


def test_nothing_to_compare(tmp_path: Path) -> None:
    a = results(tmp_path / "a", {"x/seed-1": 1, "y/seed-1": 1})
    b = results(tmp_path / "b", {"z/seed-1": 1, "z/seed-2": 1})
    with pytest.raises(InputError, match=r"none of its runs \(x/seed-1, y/seed-1\) has a counterpart in .*\(z/seed-1"):
        compare_results(a, b)
    with pytest.raises(InputError, match="no results here"):
        compare_results(tmp_path, b)


def test_of_large_runs_only_some_pods_are_kept(tmp_path: Path) -> None:
    a = a_run(tmp_path / "a", ((f"p{i}",) for i in range(20_000)))
    b = a_run(tmp_path / "b", ((f"p{i + i % 2}", "7") for i in range(20_000)))
    (run,) = compare_results(a, b, most=10).runs
    assert (len(run.pods), run.counts["only_a"]) == (10, 10_000)
