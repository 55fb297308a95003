"""The tables of a run with services: figures over time and in total, calls, overloads, traces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.microservices.cluster.documents import a_deployment, a_document, rows, run_document

CHAIN: dict[str, Any] = {
    "services": [
        {"name": "web", "operations": [{"name": "get", "demand": "10ms", "calls": ["db.read"]}]},
        {"name": "db", "operations": [{"name": "read", "demand": "20ms"}]},
    ],
    "users": [{"operation": "web.get", "poisson": 5}],
    "hop": "1ms",
}


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    services = {**CHAIN, "traces": {"slowest": 3, "every": 100, "formats": ["perfetto", "jaeger"]}}
    document = a_document(a_deployment("web", 2), a_deployment("db"), services=services)
    return run_document(tmp_path_factory.mktemp("calm"), document)


@pytest.fixture(scope="module")
def overloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From 50 s to 80 s and from 120 s on, db gets 80 requests a second and can do 50."""
    users = [{"operation": "web.get", "steps": [["0s", 20], ["50s", 80], ["80s", 5], ["120s", 80]]}]
    deployments = a_deployment("web", 2), a_deployment("db", limits={"cpu": "1"})
    return run_document(
        tmp_path_factory.mktemp("overloaded"), a_document(*deployments, services={**CHAIN, "users": users})
    )


def test_response_times_are_the_sum_of_their_parts(calm: Path) -> None:
    by_edge = {(row["caller_service"], row["service"]): row for row in rows(calm, "service_calls.csv")}
    assert set(by_edge) == {("", "web"), ("web", "db")}
    [total] = rows(calm, "services.csv")
    assert by_edge["", "web"]["p99_s"] == total["p99_s"]
    assert by_edge["", "web"]["succeeded"] == total["succeeded"]
    for row in by_edge.values():
        parts = sum(float(row[name]) for name in ("messages_s", "calls_s", "cpu_s"))
        assert parts == pytest.approx(float(row["mean_s"]), abs=3e-6)
    assert float(by_edge["web", "db"]["messages_s"]) == pytest.approx(0.002)
    assert float(by_edge["web", "db"]["cpu_s"]) == pytest.approx(0.02, rel=0.2)


def test_histograms_over_time_have_every_answer(calm: Path) -> None:
    [total] = rows(calm, "services.csv")
    buckets = rows(calm, "service_histograms.csv")
    assert sum(int(row["requests"]) for row in buckets) == int(total["succeeded"])
    assert all(float(row["from_s"]) < float(row["to_s"]) for row in buckets)
    at_median = [row for row in buckets if float(row["from_s"]) <= float(total["p50_s"]) < float(row["to_s"])]
    assert sum(int(row["requests"]) for row in at_median) > int(total["succeeded"]) / 2


def test_the_load_over_time_adds_up(calm: Path) -> None:
    load = rows(calm, "service_load.csv")
    pods = rows(calm, "service_pods.csv")
    for service in ("web", "db"):
        of_service = [row for row in load if row["service"] == service]
        assert len(of_service) == 20
        cpu = sum(float(pod["cpu_s"]) for pod in pods if pod["service"] == service)
        assert sum(float(row["cpu"]) * 10 for row in of_service) == pytest.approx(cpu, rel=1e-4)
        got = sum(int(pod["requests"]) for pod in pods if pod["service"] == service)
        assert sum(int(row["requests"]) for row in of_service) == got
    assert float(load[-1]["pods"]) == 1


def test_an_overload_has_a_beginning_and_an_end(overloaded: Path) -> None:
    first, second = rows(overloaded, "service_overloads.csv")
    assert first["service"] == second["service"] == "db"
    assert float(first["since_s"]) == pytest.approx(50, abs=2)
    assert 80 < float(first["until_s"]) < 120
    assert float(second["since_s"]) == pytest.approx(120, abs=2)
    assert second["until_s"] == ""
    assert int(second["longest_queue"]) > 1000
    warnings = json.loads((overloaded / "experiment.json").read_text())["warnings"]
    assert any("service 'db' has been overloaded since 12" in warning for warning in warnings)
    summary = (overloaded / "summary.csv").read_text().splitlines()
    since = dict(zip(summary[0].split(","), summary[1].split(","), strict=True))["overloaded_since_s"]
    assert float(since) == pytest.approx(float(second["since_s"]), abs=0.001)


def test_throttling_and_queues_show_in_the_intervals_of_an_overload(overloaded: Path) -> None:
    db = {float(row["time_s"]): row for row in rows(overloaded, "service_load.csv") if row["service"] == "db"}
    assert float(db[60.0]["throttled"]) == 1
    assert float(db[60.0]["cpu"]) == pytest.approx(1)
    assert int(db[60.0]["queue_at_end"]) > 300
    assert float(db[30.0]["queue"]) < 3
    web = {float(row["time_s"]): row for row in rows(overloaded, "service_load.csv") if row["service"] == "web"}
    assert int(web[60.0]["open_requests"]) >= int(db[60.0]["queue_at_end"])
    assert float(web[60.0]["queue"]) < 3


def test_a_calm_service_is_not_overloaded(calm: Path) -> None:
    assert not (calm / "default" / "seed-1" / "service_overloads.csv").exists()


def test_the_slowest_and_each_hundredth_request_are_kept(calm: Path) -> None:
    [total] = rows(calm, "services.csv")
    spans = rows(calm, "service_spans.csv")
    roots = [row for row in spans if not row["parent"]]
    assert len(roots) in range(3, 4 + int(total["succeeded"]) // 100)
    longest = max(float(row["ended"]) - float(row["sent"]) for row in roots)
    assert longest == pytest.approx(float(total["max_s"]), abs=2e-6)
    for row in spans:
        times = [float(row[name]) for name in ("sent", "received", "queued", "computed", "ended")]
        assert times == sorted(times)
        if row["parent"]:
            parent = next(each for each in spans if (each["trace"], each["span"]) == (row["trace"], row["parent"]))
            assert float(parent["received"]) <= float(row["sent"])
            assert float(row["ended"]) <= float(parent["queued"])


PHASES = {"M", "X", "s", "f"}  # metadata, complete, start and finish of a flow


def test_perfetto_gets_chrome_trace_events(calm: Path) -> None:
    document = json.loads((calm / "default" / "seed-1" / "traces.perfetto.json").read_text())
    events = document["traceEvents"]
    assert document["displayTimeUnit"] in ("ms", "ns")
    kinds = Counter(event["ph"] for event in events)
    assert set(kinds) <= PHASES
    assert kinds["s"] == kinds["f"]
    for event in events:
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name", "thread_sort_index")
        else:
            assert event["ts"] >= 0
        if event["ph"] == "X":
            assert event["dur"] >= 0
        if event["ph"] in "sf":
            assert "id" in event
    slices = [event for event in events if event["ph"] == "X"]
    for outer in (event for event in slices if event["cat"] == "request"):
        inner = [
            each
            for each in slices
            if each["cat"] == "phase" and (each["pid"], each["tid"]) == (outer["pid"], outer["tid"])
        ]
        assert sum(each["dur"] for each in inner) == pytest.approx(outer["dur"])


def test_jaeger_gets_the_json_of_its_user_interface(calm: Path) -> None:
    document = json.loads((calm / "default" / "seed-1" / "traces.jaeger.json").read_text())
    spans = rows(calm, "service_spans.csv")
    assert sum(len(trace["spans"]) for trace in document["data"]) == len(spans)
    for trace in document["data"]:
        known = {span["spanID"] for span in trace["spans"]}
        assert len(trace["traceID"]) == 32
        for span in trace["spans"]:
            assert span["traceID"] == trace["traceID"]
            assert span["processID"] in trace["processes"]
            assert isinstance(span["startTime"], int)
            assert isinstance(span["duration"], int)
            assert all(reference["refType"] == "CHILD_OF" for reference in span["references"])
            assert {reference["spanID"] for reference in span["references"]} <= known
            assert all({"key", "type", "value"} == set(tag) for tag in span["tags"])
        assert [span["references"] for span in trace["spans"]].count([]) == 1
        assert {process["serviceName"] for process in trace["processes"].values()} == {"web", "db"}


def test_without_traces_no_call_is_kept(tmp_path: Path) -> None:
    services = {**CHAIN, "traces": {"slowest": 0}}
    out = run_document(tmp_path, a_document(a_deployment("web"), a_deployment("db"), services=services, horizon="20s"))
    assert rows(out, "service_spans.csv") == []
    assert not (out / "default" / "seed-1" / "traces.jaeger.json").exists()


def test_a_failed_call_is_in_its_trace(tmp_path: Path) -> None:
    services = {**CHAIN, "traces": {"every": 1, "formats": ["jaeger"]}, "timeout": "5ms"}
    out = run_document(tmp_path, a_document(a_deployment("web"), a_deployment("db"), services=services, horizon="20s"))
    reasons = Counter(row["reason"] for row in rows(out, "service_spans.csv"))
    assert set(reasons) == {"TIMEOUT", "DEPENDENCY_NOT_AVAILABLE"}
    edges = {row["service"]: row for row in rows(out, "service_calls.csv")}
    assert edges["db"]["failures"] == f"TIMEOUT={reasons['TIMEOUT']}"
