"""Whatever is wrong: one line that names the place, exit status 2, and nothing written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Wavetank, a_document, an_experiment, names_in, refused

NODES = {"count": 1, "cpu": 1, "memory": "1Gi"}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-0"},
    "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}},
}
BURST = {"kind": "burst", "pods": 1}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"clutser": {}}, "spec: unknown field 'clutser' (did you mean cluster?)"),
        ({"cluster": {}}, "spec.cluster: expected nodes, file or files"),
        ({"cluster": {"nodes": []}}, "spec.cluster.nodes: expected a list with at least one item, got []"),
        ({"cluster": {"nodes": [{**NODES, "count": -1}]}}, "spec.cluster.nodes[0].count: expected a whole number"),
        ({"cluster": {"file": "no.yaml"}}, "spec.cluster: no.yaml: no such file"),
        (
            {"cluster": {"nodes": [NODES], "objects": [NODE]}},
            'spec.cluster: a second Node "node-0": names must be unique',
        ),
        ({"workload": {}}, "spec.workload: expected exactly one of file, files, generator, generators"),
        ({"workload": {"file": "no.json"}}, "spec.workload.file: no.json: no such file"),
        (
            {"workload": {"generator": {**BURST, "duration": -5}}},
            "spec.workload.generator.duration: a duration cannot be -5",
        ),
        ({"workload": {"generators": [BURST, BURST]}}, 'spec.workload.generators[1].name: "burst" is the name of'),
        ({"schedulers": []}, "spec.schedulers: expected a list with at least one item"),
        ({"schedulers": [{"name": "defualt"}]}, "spec.schedulers[0].name: there is no scheduler called 'defualt' (did"),
        ({"schedulers": [{"name": "default"}] * 2}, "spec.schedulers[1].name: a second scheduler called 'default'"),
        ({"schedulers": [{"name": "a/b"}]}, "spec.schedulers[0].name: expected a name of letters"),
        ({"schedulers": [{"name": "summary.csv", "policy": "random-fit"}]}, "schedulers[0].name: 'summary.csv' cannot"),
        (
            {"schedulers": [{"name": "x", "policy": "random-fit"}, {"name": "X", "policy": "random-fit"}]},
            "spec.schedulers[1].name: 'X' cannot",
        ),
        ({"schedulers": [{"name": "x", "policy": "best-fit", "args": {"a": 1}}]}, "spec.schedulers[0].policy: BestFit"),
        ({"schedulers": [{"name": "x", "policy": "best-fit", "args": [1]}]}, "spec.schedulers[0].args: expected a map"),
        ({"schedulers": [{"name": "x", "policy": "default", "args": {"a": 1}}]}, "spec.schedulers[0].args: default"),
        ({"schedulers": [{"name": "default", "args": {}}]}, "spec.schedulers[0].args: args go with policy or python"),
        ({"schedulers": [{"name": "x", "config": "no.yaml"}]}, "spec.schedulers[0].config: no.yaml: no such file"),
        (
            {"schedulers": [{"name": "x", "config": {}, "policy": "random-fit"}]},
            "spec.schedulers[0]: expected only one of",
        ),
        ({"seeds": []}, "spec.seeds: expected a list with at least one item, got []"),
        ({"seeds": -1}, "spec.seeds: expected a whole number, 0 to"),
        ({"seeds": [1, 10**18]}, "spec.seeds[1]: expected a whole number, 0 to"),
        ({"seeds": [1, "x"]}, "spec.seeds[1]: expected a whole number, 0 to"),
        ({"seeds": [3, 1, 3]}, "spec.seeds: the seed 3 stands twice"),
        ({"seeds": "5-1"}, "spec.seeds: expected seeds such as 1-5 or 1,2,7, got '5-1'"),
        ({"seeds": "0-99999,100000"}, "spec.seeds: expected at most 100000 seeds"),
        ({"latency": "none"}, "spec.latency: unknown latency preset 'none'"),
        ({"latency": {"start": -1}}, "spec.latency.start: a duration cannot be -1"),
        ({"kubernetesVersion": "1.2"}, "spec.kubernetesVersion: expected a release from"),
        ({"ties": "fair"}, "spec.ties: expected random or exact, got 'fair'"),
        ({"horizon": "-1s"}, "spec.horizon: a duration cannot be negative"),
        ({"faults": [{"at": 1, "fail": "node-9"}]}, "spec.faults[0].fail: there is no node 'node-9' in the cluster"),
        ({"faults": [{"at": 1, "fail": [["node-0"]]}]}, "spec.faults[0].fail[0]: expected a text"),
        ({"faults": [{"at": -1, "fail": "node-0"}]}, "spec.faults[0].at: a duration cannot be -1"),
        ({"faults": [{"fail": "node-0"}]}, "spec.faults[0].at: this field is required (duration)"),
        ({"faults": [{"at": 1}]}, "spec.faults[0]: expected exactly one of fail, recover, cordon, uncordon, drain"),
        ({"faults": [{"at": 1, "recover": "node-0", "for": 1}]}, "spec.faults[0].for: `for` goes with"),
    ],
    ids=str,
)
def test_a_field_of_the_experiment(wavetank: Wavetank, here: Path, spec: dict[str, Any], message: str) -> None:
    line = refused(wavetank, here, "run", an_experiment(here, **spec), "-o", "out")
    assert line.startswith("e.yaml: ")
    assert message in line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "e.yaml: expected one Experiment document, found 0", id="empty"),
        pytest.param(b"a: 1\n---\na: 2\n", "e.yaml: expected one Experiment document, found 2", id="two documents"),
        pytest.param(b"a: [1\n", "e.yaml: line 2, column 1: not valid YAML", id="malformed"),
        pytest.param(b"\x00\xff\xfe", "e.yaml: not UTF-8 text: byte 1 is 0xff", id="binary"),
        pytest.param(gzip.compress(b"x")[:-9], "e.yaml: cannot be read: ", id="cut short"),
        pytest.param(b"- 1\n", "e.yaml: expected a mapping, got [1]", id="no mapping"),
        pytest.param(b"[" * 100_000, "e.yaml: nested too deeply", id="nested"),
        pytest.param(
            b"{}", "e.yaml: apiVersion: this field is required (text): `wavetank.dev/v1alpha1`", id="another document"
        ),
        pytest.param(b"spec: {a: 1, a: 2}", "not valid YAML: duplicate key 'a'", id="twice"),
    ],
)
def test_a_file_that_is_no_experiment(wavetank: Wavetank, here: Path, content: bytes, message: str) -> None:
    (here / "e.yaml").write_bytes(content)
    assert message in refused(wavetank, here, "run", "e.yaml", "-o", "out")


def test_a_file_that_is_not_there(wavetank: Wavetank, here: Path) -> None:
    assert refused(wavetank, here, "run", "no.yaml") == "no.yaml: no such file"


def test_a_folder_instead_of_a_file(wavetank: Wavetank, here: Path) -> None:
    (here / "e.yaml").mkdir()
    assert refused(wavetank, here, "run", "e.yaml").startswith("e.yaml: is a folder: expected a file")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        pytest.param(None, "cannot import nowhere: ModuleNotFoundError: No module named 'nowhere'", id="no module"),
        pytest.param("import nothing_of_the_kind", "cannot import mine: ModuleNotFoundError", id="fails to import"),
        pytest.param("raise SystemExit(0)", "cannot import mine: SystemExit", id="exits when imported"),
        pytest.param("def (", "cannot import mine: SyntaxError", id="no Python"),
        pytest.param("x = 1", "the module mine has no class Mine", id="no class"),
        pytest.param("Mine = 1", "the module mine has no class Mine", id="something else of that name"),
        pytest.param("class Mine: pass", "Mine is not a policy: it has none of the methods", id="no policy"),
        pytest.param(
            "class Mine:\n def __init__(self): 1/0\n def score(self, pod, node): return 1",
            "Mine cannot be created: ZeroDivisionError: division by zero",
            id="cannot be made",
        ),
    ],
)
def test_a_policy_that_cannot_be_used(wavetank: Wavetank, here: Path, module: str | None, message: str) -> None:
    if module is not None:
        (here / "mine.py").write_text(module)
    # in this process a module of another test would still be found
    reference = "nowhere:Mine" if module is None else "mine:Mine"
    experiment = an_experiment(here, schedulers=[{"name": "x", "python": reference}])
    before = set(names_in(here))
    ended = wavetank("run", experiment, "-o", "out")
    assert ended.status == 2
    assert ended.err.startswith(f"e.yaml: spec.schedulers[0].python: {message}")
    assert len(ended.err.splitlines()) == 1
    assert set(names_in(here)) - before <= {"__pycache__"}


def test_a_configuration_names_its_own_place(wavetank: Wavetank, here: Path) -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeResourceFit"}]}}}],
    }
    (here / "c.yaml").write_text(json.dumps(config))
    line = refused(wavetank, here, "run", an_experiment(here, schedulers=[{"name": "x", "config": "c.yaml"}]))
    assert line.startswith("e.yaml: spec.schedulers[0].config: c.yaml: profiles[0].plugins.score.enabled[0]")
    assert "NodeResourcesFit" in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "x"], "--seeds: expected seeds such as 1-5 or 1,2,7, got 'x'"),
        (["--latency", "x"], "--latency: unknown latency preset 'x'"),
        (["--horizon", "-3s"], "--horizon: a duration cannot be negative: '-3s'"),
        (["--kubernetes-version", "2"], "--kubernetes-version: expected a release"),
        (["--scheduler", "x"], "--scheduler: there is no scheduler called 'x'"),
        (["--scheduler", "x:Y"], "--scheduler: cannot import x"),
        (["--scheduler", "x.yaml"], "--scheduler: "),
        (
            ["--scheduler", "random-fit", "--scheduler", "random-fit"],
            "--scheduler: a second scheduler called 'random-fit'",
        ),
        (["--cluster", "x.yaml"], "--cluster: "),
        (["--workload", "x.json"], "--workload: "),
        (["--format", "batsim"], "wavetank run: --format, --option and --lenient go with --workload"),
        (["--ties", "x"], "wavetank run: Invalid value for '--ties'"),
        (["--jobs", "0"], "wavetank run: Invalid value for '--jobs'"),
        (["--nothing"], "wavetank run: No such option"),
    ],
    ids=str,
)
def test_an_option(wavetank: Wavetank, here: Path, options: list[str], message: str) -> None:
    assert refused(wavetank, here, "run", an_experiment(here), *options).startswith(message)


def test_an_error_in_the_file_is_not_blamed_on_an_option(wavetank: Wavetank, here: Path) -> None:
    line = refused(wavetank, here, "run", an_experiment(here, ties="fair"), "--seeds", "1")
    assert line.startswith("e.yaml: spec.ties: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "wavetank run: give an EXPERIMENT, or --cluster and --workload (see wavetank run --help)"),
        (["walk"], "wavetank: No such command 'walk'. (see wavetank --help)"),
        (["rnu"], "wavetank: No such command 'rnu'. Did you mean run? (see wavetank --help)"),
        (["report", "no"], "no: no results here: expected a folder that `wavetank run` or `wavetank sweep` wrote"),
        (["compare", "no", "no"], "no: no results here: expected a folder that `wavetank run` wrote"),
        (["compare", "no"], "wavetank compare: Missing argument 'OUT_B'."),
    ],
    ids=str,
)
def test_a_command(wavetank: Wavetank, here: Path, words: list[str], message: str) -> None:
    assert refused(wavetank, here, *words).startswith(message)


def test_a_name_of_a_file_is_made_a_name_of_the_experiment(wavetank: Wavetank, here: Path) -> None:
    (here / "my first (copy).yaml").write_text(json.dumps({**a_document(), "metadata": {}}))
    assert wavetank("run", "my first (copy).yaml").status == 0
    assert names_in(here / "out") == ["my-first-copy"]
