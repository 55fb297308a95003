from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.paths import DATA, absent
from wavetank.cluster.fields.resources import Amounts, format_amounts, parse_amounts, pod_requests
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.errors import InputError

MI = 1024 * 1024
GOLDEN = DATA / "golden"
FAMILIES = ["fit_podlevel", "fit_init", "fit_sidecars", "fit_limits", "fit_overhead", "fit_norequests", "fit_extended"]

AMOUNTS = st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]), st.integers(0, 9), max_size=3)


def a_container(**requests: Any) -> dict[str, Any]:
    return {"resources": {"requests": requests}}


def limited(**limits: Any) -> dict[str, Any]:
    return {"resources": {"limits": limits}}


def a_sidecar(**requests: Any) -> dict[str, Any]:
    return {**a_container(**requests), "restartPolicy": "Always"}


def a_spec(*containers: dict[str, Any], init: list[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    return {"containers": list(containers), "initContainers": init or [], **fields}


ONE = a_container(cpu="1")


@pytest.mark.parametrize(
    ("spec", "cpu"),
    [
        pytest.param(a_spec(ONE), 1000, id="a container"),
        pytest.param(a_spec(ONE, a_container(cpu="500m")), 1500, id="containers add up"),
        pytest.param(a_spec({}), None, id="nothing is asked for"),
        pytest.param(a_spec(ONE, {}), 1000, id="a container without requests adds nothing"),
        pytest.param(a_spec(limited(cpu="2")), 2000, id="a limit is the default request"),
        pytest.param(
            a_spec({"resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}}), 1000, id="but only the default"
        ),
        pytest.param(a_spec(ONE, init=[a_container(cpu="3")]), 3000, id="an init container needs its turn"),
        pytest.param(a_spec(ONE, init=[a_container(cpu="500m")]), 1000, id="a smaller one costs nothing"),
        pytest.param(a_spec(ONE, init=[a_container(cpu="2"), a_container(cpu="3")]), 3000, id="in turn, not together"),
        pytest.param(a_spec(ONE, init=[limited(cpu="3")]), 3000, id="its limit is its default request too"),
        pytest.param(a_spec(ONE, init=[a_sidecar(cpu="2")]), 3000, id="a sidecar adds to the containers"),
        pytest.param(
            a_spec(ONE, init=[a_sidecar(cpu="2"), a_container(cpu="3")]), 5000, id="and to the init containers after it"
        ),
        pytest.param(
            a_spec(ONE, init=[a_container(cpu="3"), a_sidecar(cpu="2")]), 3000, id="but not to those before it"
        ),
        pytest.param(
            a_spec(ONE, init=[a_sidecar(cpu="2"), a_container(cpu="1"), a_sidecar(cpu="1")]), 4000, id="sidecars add up"
        ),
        pytest.param(a_spec(ONE, overhead={"cpu": "250m"}), 1250, id="overhead comes on top"),
        pytest.param(
            a_spec(ONE, init=[a_container(cpu="3")], overhead={"cpu": "1"}), 4000, id="on top of the init peak too"
        ),
        pytest.param(a_spec(ONE, resources={"requests": {"cpu": "4"}}), 4000, id="the pod's own request replaces"),
        pytest.param(
            a_spec(a_container(cpu="4"), resources={"requests": {"cpu": "1"}}), 1000, id="even if it is smaller"
        ),
        pytest.param(
            a_spec(ONE, resources={"requests": {"memory": "1Gi"}}), 1000, id="and only for the resources it names"
        ),
        pytest.param(
            a_spec(ONE, resources={"requests": {"cpu": "4"}}, overhead={"cpu": "1"}), 5000, id="overhead on top of it"
        ),
        pytest.param(a_spec({}, resources={"limits": {"cpu": "4"}}), 4000, id="the pod's limit is its default request"),
        pytest.param(
            a_spec(ONE, resources={"limits": {"cpu": "4"}}), 1000, id="unless its containers ask for something"
        ),
        pytest.param(
            a_spec(ONE, init=[a_container(cpu="3")], resources={"limits": {"cpu": "4"}}),
            3000,
            id="or its init containers",
        ),
    ],
)
def test_a_pod_requests_cpu(spec: dict[str, Any], cpu: int | None) -> None:
    assert pod_requests(spec).get("cpu") == cpu


@pytest.mark.parametrize(
    ("spec", "cpu", "memory"),
    [
        pytest.param(a_spec({}), 100, 200 * MI, id="what is left open counts 100m and 200Mi"),
        pytest.param(a_spec({}, {}), 200, 400 * MI, id="for each container"),
        pytest.param(a_spec(a_container(cpu="0", memory="0")), 0, 0, id="an explicit zero is not left open"),
        pytest.param(a_spec(ONE), 1000, 200 * MI, id="only for the resource that is open"),
        pytest.param(a_spec(limited(cpu="1", memory="1Mi")), 1000, MI, id="a limit is a request"),
        pytest.param(a_spec(a_container(cpu="0", memory="0"), init=[{}]), 100, 200 * MI, id="for init containers"),
        pytest.param(a_spec({}, overhead={"cpu": "1"}), 1100, 200 * MI, id="overhead on top"),
        pytest.param(a_spec({}, {}, resources={"requests": {"cpu": "1"}}), 1000, 400 * MI, id="the pod's own requests"),
        pytest.param(
            a_spec(ONE, {}, resources={"limits": {"memory": "1Gi"}}),
            1000,
            1024 * MI,
            id="with a limit of the pod, its containers' sum is its request",
        ),
    ],
)
def test_what_scoring_counts_for_a_pod(spec: dict[str, Any], cpu: int, memory: int) -> None:
    requests = pod_requests(spec, nonzero=True)
    assert (requests["cpu"], requests["memory"]) == (cpu, memory)


def test_the_score_of_an_incoming_pod_ignores_the_pods_own_resources() -> None:
    spec = PodSpec(a_spec(ONE, {}, resources={"requests": {"cpu": "4"}}))
    assert (spec.requests["cpu"], spec.nonzero_cpu, spec.scored_cpu) == (4000, 4000, 1100)


@pytest.mark.parametrize(
    ("resource", "counted"),
    [("cpu", True), ("memory", True), ("hugepages-2Mi", True), ("nvidia.com/gpu", False), ("ephemeral-storage", False)],
)
def test_a_pods_own_resources_count_for(resource: str, counted: bool) -> None:
    assert (resource in pod_requests(a_spec({}, resources={"requests": {resource: "1"}}))) is counted


def test_amounts_are_milli_cpu_bytes_and_counts() -> None:
    quantities = {"cpu": "1.5", "memory": "1Gi", "ephemeral-storage": "1k", "nvidia.com/gpu": 2, "pods": "110"}
    amounts = {"cpu": 1500, "memory": 1024 * MI, "ephemeral-storage": 1000, "nvidia.com/gpu": 2, "pods": 110}
    assert parse_amounts(quantities) == amounts
    assert parse_amounts(None) == {}


@given(st.dictionaries(st.sampled_from(["cpu", "memory", "ephemeral-storage", "x.io/y"]), st.integers(0, 2**60)))
def test_amounts_read_back_as_written(amounts: dict[str, int]) -> None:
    assert parse_amounts(format_amounts(amounts)) == amounts


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            a_spec({}, a_container(cpu="1x")),
            "spec.containers[1].resources.requests.cpu: '1x' is not a quantity",
            id="not a quantity",
        ),
        pytest.param(
            a_spec({}, init=[limited(memory=-1)]),
            "spec.initContainers[0].resources.limits.memory: an amount cannot be negative: -1",
            id="a negative amount",
        ),
        pytest.param(a_spec({}, overhead={"cpu": ""}), "spec.overhead.cpu: ", id="an empty quantity"),
        pytest.param(
            a_spec({}, resources={"requests": {"cpu": "?"}}), "spec.resources.requests.cpu: ", id="the pod's own"
        ),
        pytest.param(
            a_spec({"resources": ["cpu"]}), "spec.containers[0].resources: expected a mapping", id="not a mapping"
        ),
    ],
)
def test_a_bad_amount_is_refused_with_its_path(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        pod_requests(spec)
    assert str(caught.value).startswith(message)


def amounts(quantities: dict[str, int]) -> dict[str, Any]:
    return {"resources": {"requests": quantities}}


@given(st.lists(AMOUNTS, min_size=1, max_size=3), st.lists(st.tuples(AMOUNTS, st.booleans()), max_size=4))
def test_at_no_moment_does_a_pod_need_more_than_it_requests(
    containers: list[Amounts], inits: list[tuple[Amounts, bool]]
) -> None:
    init = [{**amounts(dict(own)), **({"restartPolicy": "Always"} if side else {})} for own, side in inits]
    total = pod_requests(a_spec(*(amounts(dict(own)) for own in containers), init=init))
    sidecars = [own for own, side in inits if side]
    moments = [[*containers, *sidecars]]
    for i, (own, _) in enumerate(inits):
        moments.append([own, *(earlier for earlier, side in inits[:i] if side)])
    needed = [parse_amounts(_sum(moment)) for moment in moments]
    names = {name for moment in needed for name in moment}
    assert total == {name: max(moment.get(name, 0) for moment in needed) for name in names}


def _sum(parts: list[Amounts]) -> dict[str, int]:
    return {name: sum(part.get(name, 0) for part in parts) for name in {name for part in parts for name in part}}


def recorded_pods(family: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the specs of pods as submitted to a real API server and as stored by it."""
    for file in sorted(GOLDEN.glob(f"*{family}-*.json.gz")):
        scenario = msgspec.json.decode(gzip.decompress(file.read_bytes()))
        for step, result in zip(scenario["steps"], scenario["results"], strict=True):
            if step["op"] == "create":
                yield step["pod"]["spec"], result["stored"]["spec"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_real_api_server_completes_requests_alike(family: str) -> None:
    pods = list(recorded_pods(family))
    if not pods:
        pytest.skip(absent(GOLDEN))
    for submitted, stored in pods:
        given = {**submitted, "overhead": stored.get("overhead")}  # a runtime class may have added it
        for nonzero in (False, True):
            assert pod_requests(given, nonzero=nonzero) == pod_requests(stored, nonzero=nonzero)
