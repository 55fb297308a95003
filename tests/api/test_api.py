"""wavetank from Python, as a script or a notebook uses it."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import wavetank
from tests.experiments.trials import BURST, NODES, a_batsim_workload, a_document
from wavetank.results.read import frames

SCRIPT = """
import wavetank

class Mine:
    "Prefers the last name."
    def score(self, pod, node):
        return int(node.name.rpartition("-")[2])

{run}
print(results.summary("rows")[-1]["scheduler"], len(results.summary("rows")))
"""


class LastNode(wavetank.Policy):
    """Prefers the node with the greatest number."""

    def __init__(self, step: int = 1) -> None:
        self.step = step

    def score(self, pod: Any, node: Any) -> int:
        return self.step * int(node.name.rpartition("-")[2])


def ran(**arguments: Any) -> wavetank.Results:
    return wavetank.run(cluster={"nodes": NODES}, workload={"generator": BURST}, **arguments)


@pytest.mark.parametrize(
    ("schedulers", "names"),
    [
        pytest.param("random-fit", ["random-fit"], id="a name"),
        pytest.param(["default", "best-fit"], ["default", "best-fit"], id="names"),
        pytest.param(LastNode, ["LastNode"], id="a class"),
        pytest.param([LastNode, "random-fit"], ["LastNode", "random-fit"], id="a class and a name"),
        pytest.param({"name": "mine", "python": LastNode, "args": {"step": 2}}, ["mine"], id="an entry"),
        pytest.param([{"name": "bins", "policy": "best-fit"}], ["bins"], id="entries"),
        pytest.param("tests.api.test_api:LastNode", ["LastNode"], id="a reference"),
        pytest.param(None, ["default"], id="nothing"),
    ],
)
def test_schedulers(schedulers: Any, names: list[str]) -> None:
    assert list(ran(schedulers=schedulers).summary().scheduler) == names


def test_a_configuration_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "my config.yaml"
    path.write_text("{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}")
    assert list(ran(schedulers=[path]).summary().scheduler) == ["my-config"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"schedulers": [LastNode()]}, "schedulers: expected a name, a file, module:Class, a class or a mapping"),
        ({"schedulers": 7}, "schedulers: expected"),
        ({"schedulers": []}, r"spec.schedulers: expected a list"),
        ({"seeds": [1, 1]}, "the seed 1 stands twice"),
        ({"horizon": -1}, "spec.horizon: a duration cannot be -1"),
    ],
)
def test_arguments_that_cannot_be_used(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(wavetank.InputError, match=message):
        ran(**arguments)


@pytest.mark.parametrize("cluster", [7, [{"cpu": 1}]])
def test_no_cluster(cluster: Any) -> None:
    with pytest.raises(wavetank.InputError, match="cluster: expected files, or a mapping"):
        wavetank.run(cluster=cluster, workload={"generator": BURST})


def test_files_of_a_cluster_and_a_workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = "{apiVersion: v1, kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: 4, memory: 4Gi, pods: 9}}}"
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(node % name)
    a_batsim_workload(tmp_path / "jobs.json", {"id": "j"})
    monkeypatch.chdir(tmp_path)
    results = wavetank.run(cluster=["a.yaml", tmp_path / "b.yaml"], workload="jobs.json")
    assert list(results.jobs("default", 1).job_id) == ["j"]


def test_a_document_with_changes() -> None:
    results = wavetank.run(a_document(seeds=[1, 2]), seeds=range(5, 8), out=None)
    assert list(results.summary().seed) == [5, 6, 7]


def test_results_stay_where_they_were_asked_for(tmp_path: Path) -> None:
    ran(out=tmp_path / "out")
    opened = wavetank.open_results(str(tmp_path / "out"))
    assert opened.report == tmp_path / "out" / "report.html"
    assert opened.report.is_file()
    assert repr(opened) == f"<Results {tmp_path / 'out'}>"


def test_temporary_results_go_with_their_object() -> None:
    results = ran()
    folder = results.folder
    assert folder.is_dir()
    del results
    gc.collect()
    assert not folder.parent.exists()


def test_a_failed_run_leaves_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def score(self, pod: object, node: object) -> int:
            raise ValueError("no")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(wavetank.SchedulerError, match="policy Broken failed on pod default/burst-0: ValueError: no"):
        ran(schedulers=Broken)
    assert not list(tmp_path.iterdir())


def test_no_results(tmp_path: Path) -> None:
    with pytest.raises(wavetank.InputError, match="no results here"):
        wavetank.open_results(tmp_path)
    with pytest.raises(wavetank.InputError, match="there is no run of 'default' with seed 9"):
        ran().pods("default", 9)


# tables


@pytest.mark.parametrize(
    ("installed", "kind"),
    [({"pandas", "polars"}, pandas.DataFrame), ({"polars"}, polars.DataFrame), (set(), list)],
)
def test_tables_come_as_what_is_installed(monkeypatch: pytest.MonkeyPatch, installed: set[str], kind: type) -> None:
    monkeypatch.setattr(frames, "find_spec", lambda name: name in installed or None)
    results = ran()
    tables = (
        results.summary(),
        results.pods("default", 1),
        results.utilization("default", 1),
        results.jobs("default", 1),
    )
    assert all(isinstance(table, kind) for table in tables)
    assert isinstance(wavetank.compare(results, results).counts(), kind)


def test_a_column_has_one_type_whatever_its_cells_look_like(tmp_path: Path) -> None:
    workload = a_batsim_workload(tmp_path / "jobs.json", {"id": "007"}, {"id": "null", "cpu": 99})
    results = wavetank.run(cluster={"nodes": NODES}, workload=tmp_path / workload["file"])
    rows = results.pods("default", 1, "rows")
    assert [row["name"] for row in rows] == ["007", "null"]
    assert (rows[0]["started"], rows[1]["started"], rows[1]["node"]) == (0.0, None, "")
    assert isinstance(rows[0]["started"], float)
    assert isinstance(rows[0]["cpu_milli"], int)
    panda = results.pods("default", 1, "pandas")
    assert list(panda.name) == ["007", "null"]
    assert list(panda.node)[1] == ""
    assert panda.started.isna().tolist() == [False, True]
    polar = results.pods("default", 1, "polars")
    assert polar.to_dicts() == rows


# what one looks at


def test_printed_results_are_the_summary() -> None:
    text = str(ran(schedulers=["default", "best-fit"]))
    for word in ("Makespan", "default", "best-fit"):
        assert word in text


def test_a_notebook_shows_results() -> None:
    fragment = ran()._repr_html_()
    assert fragment.startswith('<div class="wavetank">')
    assert "<polyline" in fragment


def test_compared_results() -> None:
    one = ran(schedulers="default", ties="exact")
    other = ran(schedulers=LastNode)
    compared = wavetank.compare(one, other.folder)
    assert compared.differs
    assert not wavetank.compare(one, one).differs
    assert "default → LastNode: metrics" in str(compared)
    assert "<td>node-0 → node-1</td>" in compared._repr_html_()
    metrics = compared.metrics("rows")
    assert metrics[0] == {
        "run_a": "default/seed-1",
        "run_b": "LastNode/seed-1",
        "metric": "pods",
        "a": 3.0,
        "b": 3.0,
        "difference": 0.0,
    }
    (counts,) = compared.counts("rows")
    assert counts["other_node"] + counts["same"] == 3
    pods = compared.pods("polars")
    assert pods.columns[:3] == ["run_a", "run_b", "pod"]
    assert set(pods["node_b"]) <= {"node-0", "node-1"}
    assert pods["finished_a"].dtype == polars.Float64


# scripts


@pytest.mark.parametrize(
    ("schedulers", "printed"),
    [
        pytest.param("[Mine]", "Mine 2", id="a class of the script"),
        pytest.param("['default', 'random-fit']", "random-fit 4", id="names, in several processes"),
    ],
)
def test_a_script_needs_no_main_guard(tmp_path: Path, schedulers: str, printed: str) -> None:
    a_batsim_workload(tmp_path / "jobs.json", {"id": "j"})
    run = f"results = wavetank.run(cluster={{'nodes': {NODES}}}, workload='jobs.json', schedulers={schedulers}"
    (tmp_path / "script.py").write_text(SCRIPT.format(run=f"{run}, seeds='1-2', jobs=2)"))
    ended = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert (ended.stdout.strip(), ended.stderr) == (printed, "")


def test_all_names_of_the_package_are_listed_and_found() -> None:
    for name in wavetank.__all__:
        assert getattr(wavetank, name) is not None
    assert set(wavetank.__all__) <= set(dir(wavetank))
    with pytest.raises(AttributeError, match="has no attribute 'walk'"):
        wavetank.walk  # noqa: B018
