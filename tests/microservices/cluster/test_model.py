"""Everything that an experiment can say of services, each in a case small enough to compute by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.microservices.cluster.documents import a_deployment, a_document, rows, run_document
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment

ONE = {"closed": {"users": 1, "think": "1s"}}


def a_chain(*calls: Any, web: dict[str, Any] | None = None, **services: Any) -> dict[str, Any]:
    """A service `web` without work of its own, which makes calls to `a` (10 ms) and `b` (30 ms); no hops."""
    operation = {"name": "get", "demand": "0s", "calls": list(calls), "inOrder": services.pop("inOrder", False)}
    return {
        "services": [
            {"name": "web", "operations": [operation], **(web or {})},
            {"name": "a", "operations": [{"name": "x", "demand": "10ms"}]},
            {"name": "b", "operations": [{"name": "x", "demand": "30ms"}]},
        ],
        "users": [{"operation": "web.get", **ONE}],
        "hop": "0s",
        **services,
    }


def play(tmp_path: Path, services: dict[str, Any], **spec: Any) -> dict[str, str]:
    deployments = [a_deployment(each["name"]) for each in services["services"]]
    [row] = rows(run_document(tmp_path, a_document(*deployments, services=services, **spec)), "services.csv")
    return row


@pytest.mark.parametrize(
    ("calls", "in_order", "response"),
    [
        pytest.param(["a.x", "b.x"], False, 0.030, id="calls are made at once"),
        pytest.param(["a.x", "b.x"], True, 0.040, id="or one after the other"),
        pytest.param([{"operation": "a.x", "times": 3}], False, 0.030, id="a call three times"),
        pytest.param([{"inOrder": ["a.x", "b.x"]}, "b.x"], False, 0.040, id="a row beside a call"),
        pytest.param([{"parallel": ["a.x", "b.x"], "times": 2}], False, 0.060, id="a loop of calls at once"),
        pytest.param([{"inOrder": [{"parallel": ["a.x", "b.x"]}, "a.x"]}], False, 0.040, id="nested groups"),
        pytest.param([{"oneOf": ["a.x", {"operation": "b.x", "weight": 0}]}], False, 0.010, id="a branch by weight"),
        pytest.param([{"operation": "a.x", "delay": "50ms"}], False, 0.060, id="a call with a delay of its own"),
        pytest.param([{"operation": "b.x", "probability": 0}, "a.x"], False, 0.010, id="a call that is never made"),
    ],
)
def test_how_calls_add_up(tmp_path: Path, calls: list[Any], in_order: bool, response: float) -> None:
    row = play(tmp_path, a_chain(*calls, inOrder=in_order))
    assert float(row["p50_s"]) == pytest.approx(response, rel=0.01)


def test_alternatives_are_chosen_by_weight(tmp_path: Path) -> None:
    row = play(tmp_path, a_chain({"oneOf": [{"operation": "a.x", "weight": 3}, "b.x"]}), horizon="1000s")
    assert float(row["mean_s"]) == pytest.approx(0.75 * 0.010 + 0.25 * 0.030, rel=0.1)


@pytest.mark.parametrize(
    ("policy", "mean"),
    [("ps", 0.030), ("fifo", 0.020), ("sjn", 0.020), ("lifo", 0.020), ("sarr", 0.020), ("mlfq", 0.020)],
)
def test_three_requests_at_once_on_one_thread(tmp_path: Path, policy: str, mean: float) -> None:
    """Each takes 10 ms of a core; one after the other they take 10, 20 and 30 ms, sharing it all take 30 ms."""
    (tmp_path / "arrivals.csv").write_text("1,3\n")
    cpu = {"policy": policy} | ({} if policy == "ps" else {"threads": 1})
    services = {
        "services": [{"name": "web", "operations": [{"name": "get", "demand": "10ms"}], "cpu": cpu}],
        "users": [{"operation": "web.get", "recorded": str(tmp_path / "arrivals.csv")}],
    }
    deployments = [a_deployment("web", limits={"cpu": "1"})]
    [row] = rows(run_document(tmp_path, a_document(*deployments, services=services)), "services.csv")
    assert float(row["mean_s"]) == pytest.approx(mean, rel=0.01)


@pytest.mark.parametrize(
    ("arrivals", "number"),
    [
        ({"poisson": 5}, 1000),
        ({"poisson": 5, "stop": "100s"}, 500),
        ({"steps": [["0s", 2], ["100s", 8]]}, 1000),
        ({"diurnal": {"average": 5, "period": "100s"}}, 1000),
        ({"closed": {"users": 10, "think": {"exponential": "1s"}}}, 2000),
    ],
)
def test_arrivals(tmp_path: Path, arrivals: dict[str, Any], number: int) -> None:
    row = play(tmp_path, {**a_chain(), "users": [{"operation": "web.get", **arrivals}]})
    assert int(row["succeeded"]) == pytest.approx(number, rel=0.15)


def test_killed_pods_fail_their_requests_and_are_replaced(tmp_path: Path) -> None:
    services = a_chain({"operation": "b.x", "delay": "10s"}, actions=[{"at": "50s", "kill": {"service": "web"}}])
    services["users"] = [{"operation": "web.get", "poisson": 5}]
    out = run_document(tmp_path, a_document(*(a_deployment(name) for name in ("web", "a", "b")), services=services))
    [row] = rows(out, "services.csv")
    assert int(row["failed"]) == pytest.approx(50, abs=25)
    assert "HANDLING_INSTANCE_DIED" in row["failures"]
    assert [pod["service"] for pod in rows(out, "service_pods.csv")].count("web") == 2


def test_a_deployment_gets_more_pods_at_a_time(tmp_path: Path) -> None:
    actions = [{"at": "50s", "start": {"service": "web", "instances": 3}}]
    document = a_document(*(a_deployment(name) for name in ("web", "a", "b")), services=a_chain(actions=actions))
    started = [float(row["started"]) for row in rows(run_document(tmp_path, document), "service_pods.csv")]
    assert [time >= 50 for time in started].count(True) == 3


def test_injected_delays_last_as_long_as_stated(tmp_path: Path) -> None:
    delay = {"service": "web", "by": "100ms", "call": "a.x", "lasts": "100s"}
    row = play(tmp_path, a_chain("a.x", actions=[{"at": "50s", "delay": delay}]))
    assert float(row["max_s"]) == pytest.approx(0.110, rel=0.01)
    assert float(row["mean_s"]) == pytest.approx(0.010 + 0.1 * 0.48, rel=0.1)


def test_the_preset_misim_sends_the_iterations_of_a_loop_at_once(tmp_path: Path) -> None:
    loop = {"operation": "b.x", "times": 2, "delay": "50ms"}
    responses = []
    for preset in ("correct", "misim"):
        row = play(tmp_path / preset, a_chain(loop, preset=preset))
        responses.append(float(row["p50_s"]))
    assert responses == [pytest.approx(0.160, rel=0.01), pytest.approx(0.080, rel=0.01)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preset": "mism"}, "spec.services.preset: "),
        ({"actions": [{"at": "1s"}]}, "spec.services.actions[0]: expected exactly one of kill, start, delay"),
        (
            {"actions": [{"at": "1s", "kill": {"service": "wep"}}]},
            "spec.services.actions[0].kill.service: no such service: 'wep' (did you mean web?)",
        ),
        (
            {"actions": [{"at": "1s", "delay": {"service": "web", "by": "1s", "call": "a.y"}}]},
            "spec.services.actions[0].delay.call: service 'a' has no",
        ),
        ({"actions": [{"at": "1s", "delay": {"service": "web", "by": "-1s"}}]}, "spec.services.actions[0].delay.by: "),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_experiment(a_document(a_deployment("web"), services={**a_chain(), **change}), Path())
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"operation": "a.x", "probability": 1.5}, ".calls[0].probability: expected a share from 0 to 1"),
        ({"oneOf": ["a.x"], "operation": "a.x"}, ".calls[0]: expected exactly one of operation, oneOf"),
        ({"inOrder": ["a.x", "a.z"]}, ".calls[0].inOrder[1].operation: service 'a' has no"),
        ({"oneOf": []}, ".calls[0].oneOf: "),
        ({"operation": "c.x"}, ".calls[0].operation: "),
        ({"parallel": ["web.get"]}, ""),
    ],
)
def test_a_bad_call_is_named(call: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_experiment(a_document(a_deployment("web"), services=a_chain(call)), Path())
    assert str(refused.value).startswith("spec.services.services[0].operations[0]" if message else "spec.services")
    assert (message or "a cycle of calls: web.get -> web.get") in str(refused.value)


def test_a_demand_below_zero_is_refused() -> None:
    services = a_chain()
    services["services"][1]["operations"][0]["demand"] = "-1ms"
    with pytest.raises(InputError, match=r"spec.services.services\[1\].operations\[0\].demand"):
        parse_experiment(a_document(a_deployment("web"), services=services), Path())


@pytest.mark.parametrize(
    ("service", "message"),
    [
        ({"name": "wep"}, "services[0].name: no Deployment 'wep' in the cluster or the workload (did you mean web?)"),
        ({"name": "w", "deployment": "b"}, "services[1].name: the pods of 'b' are instances of service 'w' already"),
        ({"name": "w", "deployment": "c"}, "services[0].deployment: no Deployment 'c' in the cluster"),
    ],
)
def test_a_service_without_a_deployment_of_its_own_is_refused(service: dict[str, Any], message: str) -> None:
    offered = {"operations": [{"name": "x", "demand": "1ms"}]}
    services = {
        "services": [{**service, **offered}, {"name": "b", **offered}],
        "users": [{"operation": "b.x", "poisson": 1}],
    }
    with pytest.raises(InputError) as refused:
        parse_experiment(a_document(a_deployment("web"), a_deployment("b"), services=services), Path())
    assert str(refused.value).startswith(f"spec.services.{message}")


def test_deployments_may_come_with_the_workload(tmp_path: Path) -> None:
    (tmp_path / "web.json").write_text(json.dumps(a_deployment("web")))
    services = {
        "services": [{"name": "web", "operations": [{"name": "x", "demand": "1ms"}]}],
        "users": [{"operation": "web.x", "poisson": 1}],
    }
    beside = a_deployment("beside")  # without a service, which is fine
    document = a_document(beside, services=services, workload={"file": str(tmp_path / "web.json")})
    assert int(rows(run_document(tmp_path, document), "services.csv")[0]["succeeded"]) > 100
