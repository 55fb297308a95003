from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from tests.workloads.inputs import arrivals_of, names_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.formats import parquet as columnar
from wavetank.workloads.open import open_workload

pl = pytest.importorskip("polars")


def written(folder: Path, **columns: list[Any]) -> Path:
    path = folder / "pods.parquet"
    pl.DataFrame(columns).write_parquet(path)
    return path


def test_columns_are_those_of_csv(tmp_path: Path) -> None:
    columns = {"name": ["a", "b"], "arrival_s": [0.5, 2.0], "duration_s": [60, None], "cpu_milli": [500, None]}
    first, second = arrivals_of(open_workload(written(tmp_path, **columns)))
    assert (first.time, second.time) == (SECOND // 2, 2 * SECOND)
    assert [arrival.pod.behavior.duration for arrival in (first, second) if arrival.pod.behavior] == [60 * SECOND, None]
    assert [dict(arrival.pod.requests) for arrival in (first, second)] == [{"cpu": 500}, {}]


def test_a_long_table_is_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columnar, "BATCH", 7)
    path = written(tmp_path, name=[f"p{i}" for i in range(50)], arrival_ns=list(range(50)))
    assert names_of(open_workload(path)) == [f"p{i}" for i in range(50)]


def test_numbers_will_do_as_names(tmp_path: Path) -> None:
    assert names_of(open_workload(written(tmp_path, name=[7, 8], arrival_s=[0, 0]))) == ["7", "8"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param({"name": ["a"], "arrival_s": [-1.0]}, "line 1: arrival_s: expected a time", id="a bad cell"),
        pytest.param({"name": ["a"], "arrival_s": ["x"]}, "line 1: arrival_s: expected a time", id="a text"),
        pytest.param({"name": [None], "arrival_s": [0]}, "line 1: name: expected a name", id="no name"),
        pytest.param({"arrival_s": [0], "cpus": [1]}, "unknown column 'cpus'", id="an unknown column"),
        pytest.param({"arrival_s": [[1]]}, "column 'arrival_s': expected numbers or texts", id="a list"),
        pytest.param({"name": ["a"]}, "needs the column arrival_s", id="no arrivals"),
    ],
)
def test_a_bad_table_is_named(tmp_path: Path, columns: dict[str, list[Any]], message: str) -> None:
    path = written(tmp_path, **columns)
    with pytest.raises(InputError) as caught:
        open_workload(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize("keep", [4, 20, 200, -1])
def test_a_broken_file_is_named(tmp_path: Path, keep: int) -> None:
    path = written(tmp_path, name=["a"] * 9, arrival_s=[0] * 9)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="not a valid Parquet file"):
        open_workload(path)


def test_without_polars_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, arrival_s=[0])
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "polars":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install 'wavetank\[data\]'"):
        open_workload(path)
