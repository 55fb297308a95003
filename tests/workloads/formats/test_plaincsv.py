from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import SHARED, absent
from tests.workloads.inputs import arrivals_of, names_of
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads import inputfile
from wavetank.workloads.formats.plaincsv import CsvWorkload, read_csv_nodes
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import open_cluster, open_workload


def pods(text: str, lenient: bool = False) -> CsvWorkload:
    return CsvWorkload(InputFile(Path("pods.csv"), text, lenient=lenient))


def nodes(text: str, lenient: bool = False) -> list[Node]:
    return [Node(manifest) for manifest in read_csv_nodes(InputFile(Path("nodes.csv"), text, lenient=lenient))]


def test_a_row_becomes_a_pod() -> None:
    header = "name,arrival_s,duration_s,cpu_milli,memory_bytes,nvidia.com/gpu,priority,namespace,scheduler"
    text = f"{header},label:app,selector:disk,exit_code\na,1.25,60,500,1024,2,-7,team,mine,web,ssd,3\n"
    (arrival,) = arrivals_of(pods(text))
    pod = arrival.pod
    assert (pod.name, pod.namespace, arrival.time) == ("a", "team", 1.25 * SECOND)
    assert dict(pod.requests) == {"cpu": 500, "memory": 1024, "nvidia.com/gpu": 2}
    assert (pod.priority, pod.scheduler_name, pod.labels) == (-7, "mine", {"app": "web"})
    assert pod.spec.node_affinity.selector.matches({"disk": "ssd"})
    assert pod.behavior is not None
    assert (pod.behavior.duration, pod.behavior.exit_code, pod.behavior.job) == (60 * SECOND, 3, None)


def test_what_is_left_empty_is_as_if_it_had_no_column() -> None:
    header = "name,arrival_s,duration_s,cpu_milli,memory_bytes,priority,namespace,scheduler,label:app,exit_code\n"
    (full,) = arrivals_of(pods(header + "a,,,,,,,,,\n"))
    (short,) = arrivals_of(pods("name,arrival_s\na,0\n"))
    for arrival in (full, short):
        pod = arrival.pod
        assert (arrival.time, pod.namespace, dict(pod.requests), pod.priority, pod.labels) == (0, "default", {}, 0, {})
        assert (pod.scheduler_name, pod.behavior and pod.behavior.duration) == ("default-scheduler", None)


def test_quantities_may_be_written_as_kubernetes_does() -> None:
    (arrival,) = arrivals_of(pods("name,arrival_s,cpu,memory\na,0,1.5,2Gi\n"))
    assert dict(arrival.pod.requests) == {"cpu": 1500, "memory": 2 << 30}


def test_pods_without_names_are_numbered_by_their_line() -> None:
    assert names_of(pods("arrival_s,cpu_milli\n0,1\n0,1\n")) == ["pod-2", "pod-3"]


def test_a_row_may_be_a_job_of_several_pods() -> None:
    arrivals = arrivals_of(pods("name,arrival_s,duration_s,pods,walltime_s\na,0,5,2,9\nb,1,5,1,\n"))
    assert [arrival.pod.name for arrival in arrivals] == ["a-0", "a-1", "b"]
    jobs = [arrival.pod.behavior.job for arrival in arrivals if arrival.pod.behavior]
    assert jobs[0] is jobs[1]
    assert [(job.id, job.size, job.walltime) for job in jobs[1:] if job] == [("a", 2, 9 * SECOND), ("b", 1, None)]


def test_times_are_exact_to_the_nanosecond() -> None:
    rows = "a,0.000000001\nb,1000000000.000000001\nc,1234567890.123456789\n"
    times = [arrival.time for arrival in arrivals_of(pods(f"name,arrival_s\n{rows}"))]
    assert times == [1, 10**18 + 1, 1_234_567_890_123_456_789]
    assert [arrival.time for arrival in arrivals_of(pods("name,arrival_ns\na,1234567890123456789\n"))] == times[2:]


def test_pods_come_in_the_order_of_time() -> None:
    assert names_of(pods("name,arrival_s\na,3\nb,1\nc,3\nd,2\n")) == ["b", "d", "a", "c"]


def test_one_name_may_stand_in_two_namespaces() -> None:
    assert names_of(pods("name,namespace,arrival_s\na,x,0\na,y,0\n")) == ["a", "a"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("name,arrival_s\r\na,1\r\nb,2\r\n", id="line ends of Windows"),
        pytest.param("\ufeffname,arrival_s\na,1\nb,2\n", id="a mark of the encoding"),
        pytest.param('"name", "arrival_s"\n"a", "1"\n\nb,2', id="quotes, blanks and no last line end"),
    ],
)
def test_dialects(text: str) -> None:
    assert names_of(pods(text)) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "name,arrival_s,cpus\n", "pods.csv: unknown column 'cpus': expected one of arrival_s", id="column"
        ),
        pytest.param("name,arrival_s,name\n", "pods.csv: column 'name': appears twice in the header", id="twice"),
        pytest.param("arrival_s,arrival_ns\n", "pods.csv: column 'arrival_ns': there is another", id="two arrivals"),
        pytest.param("name,cpu_milli\n", "pods.csv: header: a table of pods needs the column arrival_s", id="nodes"),
        pytest.param("", "pods.csv: line 1: expected a header", id="nothing"),
    ],
)
def test_a_bad_header_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        pods(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param("b,0", "line 3: expected 4 cells as in the header, got 2", id="cut off"),
        pytest.param(
            "b,x,1,1", "line 3: arrival_s: expected a time of 0 or more, at most a century, got 'x'", id="word"
        ),
        pytest.param("b,-1,1,1", "line 3: arrival_s: expected a time", id="before the beginning"),
        pytest.param("b,nan,1,1", "line 3: arrival_s: expected a time", id="not a number"),
        pytest.param("b,0,1e99,1", "line 3: duration_s: expected a time", id="an absurd duration"),
        pytest.param("b,0,1,-5", "line 3: cpu_milli: expected a whole number from 0", id="negative cpu"),
        pytest.param("b,0,1,1.5", "line 3: cpu_milli: expected a whole number", id="half a milli"),
        pytest.param("B_,0,1,1", "line 3: name: expected a name in lower case", id="a bad name"),
        pytest.param(",0,1,1", "line 3: name: expected a name", id="no name"),
        pytest.param("a,0,1,1", "line 3: makes a pod of the same name as line 2", id="a name that repeats"),
        pytest.param('"b,0,1,1', "line 3: not valid CSV", id="an open quote"),
    ],
)
def test_a_bad_row_is_named_or_left_out(row: str, message: str) -> None:
    text = f"name,arrival_s,duration_s,cpu_milli\na,0,1,1\n{row}\nc,0,1,1\n"
    with pytest.raises(InputError) as caught:
        pods(text)
    assert f"pods.csv: {message}" in str(caught.value)
    assert names_of(pods(text, lenient=True)) == ["a", "c"]


def test_a_wrong_encoding_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pods.csv"
    path.write_bytes(b"name,arrival_s\na,0\nb\xff,0\nc,0\n")
    with pytest.raises(InputError, match=r"line 3: not UTF-8 text: byte 2 is 0xff"):
        open_workload(path)
    assert names_of(open_workload(path, lenient=True)) == ["a", "c"]


def test_lines_are_counted_over_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputfile, "_BLOCK", 64)
    rows = "".join(f"p{i},0\n" for i in range(100))
    assert len(names_of(pods(f"name,arrival_s\n{rows}"))) == 100
    with pytest.raises(InputError, match="line 102: expected 2 cells"):
        pods(f"name,arrival_s\n{rows}x\n")


def test_a_row_becomes_a_node() -> None:
    text = "name,cpu_milli,memory_bytes,pods,nvidia.com/gpu,label:zone\nn0,16000,1024,,4,a\nn1,500,2048,7,,\n"
    first, second = nodes(text)
    assert dict(first.allocatable) == {"pods": 110, "cpu": 16000, "memory": 1024, "nvidia.com/gpu": 4}
    assert first.labels == {"kubernetes.io/hostname": "n0", "zone": "a"}
    assert dict(second.allocatable) == {"pods": 7, "cpu": 500, "memory": 2048}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("name,arrival_s\n", "nodes.csv: unknown column 'arrival_s': expected one of name", id="pods"),
        pytest.param("name,cpu_milli\nA,1\n", "nodes.csv: line 2: name: 'A' is not a node name", id="a bad name"),
        pytest.param("name,cpu\nn,x\n", "nodes.csv: line 2: cpu: 'x' is not a quantity", id="a bad quantity"),
        pytest.param("name,label:a b\nn,x\n", "nodes.csv: line 2: label:a b", id="a bad label"),
        pytest.param("name,cpu\nn\n", "nodes.csv: line 2: expected 2 cells", id="cut off"),
    ],
)
def test_bad_nodes_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        nodes(text)
    assert message in str(caught.value)


def test_the_inputs_of_the_race_are_read(tmp_path: Path) -> None:
    script = SHARED / "tools" / "race_inputs.py"
    if not script.exists():
        pytest.skip(absent(script))
    subprocess.run([sys.executable, script, "20", "5000", tmp_path], check=True)
    cluster = open_cluster([tmp_path / "nodes.csv"])
    arrivals = arrivals_of(open_workload(tmp_path / "pods.csv"))
    raw = [line.split(",") for line in (tmp_path / "pods.csv").read_text().splitlines()[1:]]
    assert len(cluster.resources(SpecTable())) == 20
    assert [arrival.pod.name for arrival in arrivals] == [name for name, *_ in raw]
    assert sum(arrival.pod.requests["cpu"] for arrival in arrivals) == sum(int(row[3]) for row in raw)
    assert sum(arrival.pod.requests["memory"] for arrival in arrivals) == sum(int(row[4]) for row in raw)
