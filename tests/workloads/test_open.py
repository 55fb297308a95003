from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import a_manifest, arrivals_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.open import FORMATS, open_cluster, open_workload

BATSIM = {
    "nb_res": 1,
    "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "p"}],
    "profiles": {"p": {"type": "delay", "delay": 1}},
}
PLATFORM = '<platform version="4.1"><zone id="z"><host id="h" speed="1Gf"/></zone></platform>'
POD = a_manifest(spec={"nodeName": "h", "containers": [{"name": "c"}]})


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("content", "description"),
    [
        pytest.param(BATSIM, "1 jobs from in", id="jobs and profiles are Batsim's"),
        pytest.param(POD, "1 pods from in", id="an object with a kind is a manifest"),
        pytest.param([POD], "1 pods from in", id="a list is one of manifests"),
    ],
)
def test_a_workload_is_told_by_its_content(tmp_path: Path, content: object, description: str) -> None:
    assert open_workload(written(tmp_path, "in", content)).description == description


def test_a_workload_may_be_gzipped(tmp_path: Path) -> None:
    path = tmp_path / "w.json.gz"
    path.write_bytes(gzip.compress(json.dumps(BATSIM).encode()))
    assert len(arrivals_of(open_workload(path))) == 1


def test_the_files_of_a_cluster_add_up(tmp_path: Path) -> None:
    cluster = open_cluster([written(tmp_path, "p.xml", PLATFORM), written(tmp_path, "pods.yaml", POD)])
    assert [resource.name for resource in cluster.resources(SpecTable())] == ["h", "a"]
    assert cluster.description == "1 node and 1 other object from p.xml, pods.yaml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(PLATFORM, "a platform file is not a workload: expected parquet or swf", id="a cluster"),
        pytest.param({"a": 1}, "the format is not known: expected one of platform", id="some other JSON"),
        pytest.param("", "in: the file is empty", id="nothing"),
        pytest.param("\ufeff \n\n", "in: the file is empty", id="blank lines"),
        pytest.param("a: [", "not valid YAML", id="broken YAML"),
        pytest.param("[" * 100_000, "in: ", id="a deep hole"),
    ],
)
def test_a_file_that_is_no_workload_is_named(tmp_path: Path, content: object, message: str) -> None:
    path = written(tmp_path, "in", content)
    with pytest.raises(InputError) as caught:
        open_workload(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_a_stated_format_is_taken_at_its_word(tmp_path: Path) -> None:
    path = written(tmp_path, "in", POD)
    with pytest.raises(InputError, match="expected a Batsim workload"):
        open_workload(path, "batsim")
    with pytest.raises(InputError, match="unknown format 'slurm': expected one of platform, parquet, swf"):
        open_workload(path, "slurm")
    with pytest.raises(InputError, match="a batsim file is not a cluster: expected platform or"):
        open_cluster([path], "batsim")


def test_a_format_knows_its_options(tmp_path: Path) -> None:
    path = written(tmp_path, "in", BATSIM)
    with pytest.raises(InputError, match="options: unknown option 'podsPerJob': batsim files have none"):
        open_workload(path, options={"podsPerJob": "one"})


def test_what_is_left_out_is_counted_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, "pods.csv", "name,arrival_s\na,0\nb,-1\nc\n")
    with pytest.raises(InputError, match=r"pods\.csv: line 4: expected 2 cells"):
        open_workload(path)
    workload = open_workload(path, lenient=True)
    assert workload.skipped == {"line with too few or too many cells": 1, "row with a bad arrival_s": 1}
    assert workload.description == "1 pods from pods.csv (2 left out)"
    assert "left out: 1 × row with a bad arrival_s" in workload.notes
    assert [arrival.pod.name for arrival in arrivals_of(workload)] == ["a"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: no such file"):
        open_workload(tmp_path / "gone.json")


def test_every_format_says_what_it_is() -> None:
    assert all(entry.description and (entry.workload or entry.cluster) for entry in FORMATS.values())


def test_a_real_cluster_and_its_deployments() -> None:
    folder = shared_data("misim-orchestration/GlobalSchedulingDefault/orchestration_default")
    cluster = open_cluster(sorted(folder.glob("worker-*.yaml")))
    pods = [arrivals_of(open_workload(path)) for path in sorted(folder.glob("[1-7]-teastore-*.yaml"))]
    assert len(cluster.resources(SpecTable())) == 5
    assert [len(arrivals) for arrivals in pods] == [1] * 7
