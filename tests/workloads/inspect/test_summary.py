from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.support.paths import shared_data
from tests.workloads.inputs import a_manifest
from wavetank.cli.main import cli
from wavetank.errors import InputError
from wavetank.workloads.inspect.summary import ClusterSummary, Spread, WorkloadSummary, summarize

PODS = (
    "name,arrival_s,duration_s,cpu_milli,memory_bytes,pods\na,0,10,1000,,1\nb,30,20,2000,1073741824,3\nc,60,,500,,1\n"
)
NODES = "name,cpu_milli,memory_bytes\nn0,1000,1024\nn1,1000,1024\nn2,2000,1024\n"


def written(folder: Path, text: str, name: str = "in.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_a_workload_in_numbers(tmp_path: Path) -> None:
    summary = summarize(written(tmp_path, PODS))
    assert isinstance(summary, WorkloadSummary)
    assert (summary.format, summary.jobs, summary.pods, summary.endless) == ("csv", 3, 5, 1)
    assert (summary.first_arrival, summary.last_arrival) == (0, 60)
    assert summary.durations == Spread(10, 20, 17.5, 20, 20)
    assert summary.sizes == Spread(1, 1, 5 / 3, 3, 3)
    assert summary.requests["cpu"] == Spread(0.5, 2, 1.5, 2, 2)
    assert summary.requests["memory"] == Spread(*[2.0**30] * 5)
    assert summary.requesting == {"cpu": 5, "memory": 3}
    assert (summary.arrivals[0], summary.arrivals[30], summary.arrivals[59], sum(summary.arrivals)) == (1, 3, 1, 5)


def test_a_cluster_in_numbers(tmp_path: Path) -> None:
    summary = summarize(written(tmp_path, NODES))
    assert isinstance(summary, ClusterSummary)
    assert (summary.nodes, [group.nodes for group in summary.groups]) == (3, [2, 1])
    assert summary.total == {"pods": 330, "cpu": 4000, "memory": 3072}


def test_objects_of_a_cluster_without_nodes(tmp_path: Path) -> None:
    priority = a_manifest("PriorityClass", "high", value=3, apiVersion="scheduling.k8s.io/v1")
    summary = summarize(written(tmp_path, json.dumps(priority), "p.json"))
    assert isinstance(summary, ClusterSummary)
    assert (summary.nodes, summary.objects) == (0, {"PriorityClass": 1})


def test_a_file_that_is_neither_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "name,cpu_milli,memory_gb\n")
    with pytest.raises(InputError) as caught:
        summarize(path)
    assert "neither a workload (" in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_inspect_prints_a_page(tmp_path: Path) -> None:
    page = run("inspect", written(tmp_path, PODS)).output
    assert "in.csv: csv workload of 3 jobs, 5 pods" in page
    assert "from 0 s to 60 s" in page
    assert "█" in page
    assert "1 pods run forever" in page
    assert "3      cpu 4, memory 3Ki" in run("inspect", written(tmp_path, NODES)).output.replace("pods 330, ", "")


def test_inspect_prints_json(tmp_path: Path) -> None:
    printed = json.loads(run("inspect", written(tmp_path, PODS), "--json").output)
    assert (printed["jobs"], printed["pods"], printed["durations"]["most"]) == (3, 5, 20)


def test_inspect_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "arrivals.svg"
    assert run("inspect", written(tmp_path, PODS), "--plot", picture).exit_code == 0
    root = ElementTree.fromstring(picture.read_text())
    assert len(root.findall("{http://www.w3.org/2000/svg}rect")) == 60


@pytest.mark.parametrize(
    ("text", "picture", "message"),
    [
        pytest.param(PODS, "out.png", "ends in .svg", id="another kind of picture"),
        pytest.param(NODES, "out.svg", "this is a cluster", id="a cluster"),
    ],
)
def test_what_cannot_be_drawn_is_said(tmp_path: Path, text: str, picture: str, message: str) -> None:
    result = run("inspect", written(tmp_path, text), "--plot", tmp_path / picture)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
    assert not (tmp_path / picture).exists()


def test_convert_writes_another_format(tmp_path: Path) -> None:
    result = run("convert", written(tmp_path, PODS), tmp_path / "out.json", "--trim", "15s", "--normalize-cpu", "3")
    assert "out.json: 3 entries (batsim)" in result.output.replace("\n", "")
    summary = summarize(tmp_path / "out.json")
    assert isinstance(summary, WorkloadSummary)
    assert (summary.pods, summary.durations and summary.durations.most) == (3, 15)
    assert summary.requests["cpu"].most == 3


def test_convert_cuts_a_period_out_as_batkube_did(tmp_path: Path) -> None:
    trace = shared_data("swf/KTH-SP2-1996-2.1-cln.swf")
    shape = ["--trim", "1h", "--normalize-cpu", "5.9", "--period", "10h", "--utilization", "0.8"]
    result = run("convert", trace, tmp_path / "kth.json", *shape)
    assert "80.0% of the machine in use" in result.output
    summary = summarize(tmp_path / "kth.json")
    assert isinstance(summary, WorkloadSummary)
    assert summary.jobs == summary.pods > 20
    assert summary.durations is not None
    assert (summary.durations.most, summary.requests["cpu"].most) == (3600, 5.9)
    assert summary.last_arrival < 36_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--utilization", "0.5"], "--utilization needs --period", id="no period"),
        pytest.param(["--trim", "x"], "--trim: expected a duration", id="no duration"),
        pytest.param(["--normalize-cpu", "x"], "--normalize-cpu.cpu: 'x' is not a quantity", id="no quantity"),
    ],
)
def test_a_bad_option_is_named(tmp_path: Path, options: list[str], message: str) -> None:
    result = run("convert", written(tmp_path, PODS), tmp_path / "out.json", *options)
    assert result.exit_code
    assert message in result.output + str(result.exception)
    assert not (tmp_path / "out.json").exists()
