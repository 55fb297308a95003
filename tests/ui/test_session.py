"""Going back in time, without a server."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.apiserver.serving import NODES
from tests.ui.serving import setting_of
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.store.errors import ExpiredError
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.ui import session
from wavetank.ui.nodefaults import fail_node
from wavetank.ui.session import Session

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class Driven:
    """A session that is driven by hand."""

    def __init__(
        self,
        barrier: str = "",
        start: int | None = None,
        wall: Callable[[], int] = lambda: 0,
        speed: float | None = 1.0,
    ) -> None:
        served = ServedCluster(replace(setting_of(NODES), start=start), lambda token: None)
        self.pacing = Pacing(served.clock, speed, paused=True, wall=wall)
        self.replaced: list[ServedCluster] = []
        self.session = Session(served, self.pacing, lambda token: None, self.replaced.append, barrier)

    def ask(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Response:
        request = Request(method, path, headers={"content-type": kind}, body=json.dumps(body).encode())
        answer = self.session.handle(request)
        assert isinstance(answer, Response)
        return answer

    def deploy(self, name: str) -> None:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
        spec = {"replicas": 3, "selector": {"matchLabels": {"app": name}}, "template": template}
        manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
        assert self.ask("POST", DEPLOYMENTS, manifest).status == 201

    def scale(self, name: str, replicas: int) -> None:
        patch = {"spec": {"replicas": replicas}}
        answer = self.ask("PATCH", f"{DEPLOYMENTS}/{name}/scale", patch, "application/merge-patch+json")
        assert answer.status == 200

    def advance(self, seconds: int) -> None:
        arrived: list[bool] = []
        self.pacing.advance(seconds * SECOND, lambda: arrived.append(True))
        while not arrived:
            self.pacing.work()

    def state(self) -> dict[str, Any]:
        """Returns everything in the store, with the time."""
        store: Store = self.session.served.store
        objects = {kind: [each.render() for each in store.list(kind)] for kind in store.group_kinds()}
        return {"now": store.clock.now, **objects}

    def rewind(self, number: int) -> None:
        asyncio.run(self.session.rewind(number))


def test_the_state_before_every_write_comes_back_exactly() -> None:
    driven, states = Driven(), []
    for act in (
        lambda: driven.deploy("web"),
        lambda: driven.scale("web", 5),
        lambda: driven.session.act(lambda: "fail", lambda served: fail_node(served, "n1")),
        lambda: driven.ask("DELETE", f"{DEPLOYMENTS}/web"),
    ):
        driven.advance(7)
        states.append(driven.state())
        act()
    driven.advance(400)
    for number in (3, 2, 1, 0):
        driven.rewind(number)
        assert driven.state() == states[number]
        assert driven.pacing.clock is driven.session.served.clock
        assert driven.pacing.paused
    assert [made is driven.session.served for made in driven.replaced] == [False, False, False, True]


def test_the_cluster_goes_on_from_there() -> None:
    driven = Driven()
    driven.deploy("web")
    driven.advance(5)
    driven.scale("web", 0)
    driven.advance(60)
    driven.rewind(1)
    driven.scale("web", 4)
    driven.advance(60)
    assert [write.title and write.title() for _, write in driven.session.writes()] == [
        "create deployments/web",
        "change deployments/web/scale",
    ]
    assert json.loads(driven.ask("GET", f"{DEPLOYMENTS}/web").body)["status"]["readyReplicas"] == 4
    state = driven.state()
    driven.deploy("other")
    driven.advance(10)
    driven.rewind(3)  # the jump of the version is a write as well
    assert driven.state() == state


@pytest.fixture
def without_collections(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Garbage is collected by the session alone, often."""
    monkeypatch.setattr("wavetank.ui.session._MOST_LEFT", 1000)
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collections")
def test_replaced_clusters_are_freed() -> None:
    driven = Driven()
    first = weakref.ref(driven.session.served)
    for _ in range(5):
        driven.deploy("web")
        driven.advance(5)
        driven.rewind(max(number for number, _ in driven.session.writes()))
        driven.replaced.clear()
    assert first() is None


@pytest.mark.usefixtures("without_collections")
def test_clusters_that_turn_out_different_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[ServedCluster]] = []

    class Noted(ServedCluster):
        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            made.append(weakref.ref(self))

    driven = Driven()
    driven.deploy("web")
    driven.session.served.store.version += 1  # a write that no client made
    driven.deploy("other")
    monkeypatch.setattr("wavetank.ui.session.ServedCluster", Noted)
    for _ in range(5):
        with pytest.raises(StatusError, match="cannot be repeated exactly"):
            driven.rewind(1)
    assert len(made) == 5
    assert made[0]() is None


def test_watches_cannot_resume_from_a_time_that_has_not_been() -> None:
    driven = Driven()
    driven.deploy("web")
    driven.advance(5)
    store = driven.session.served.store
    seen = store.version
    driven.rewind(0)
    store = driven.session.served.store
    assert store.version == seen + 1
    with pytest.raises(ExpiredError):
        store.events_since(seen, "Pod")
    driven.deploy("again")
    assert [event.resource.name for event in store.events_since(seen + 1, "Deployment.apps")][:1] == ["again"]


@pytest.mark.parametrize(
    ("number", "barrier", "message"),
    [
        (5, "", 'writes "5" not found'),
        (-1, "", 'writes "-1" not found'),
        (0, "the session is recorded", "the session is recorded"),
    ],
)
def test_what_cannot_be_repeated_is_refused(number: int, barrier: str, message: str) -> None:
    driven = Driven(barrier)
    driven.deploy("web")
    with pytest.raises(StatusError, match=message):
        driven.rewind(number)


def test_webhooks_are_a_barrier() -> None:
    driven = Driven()
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    driven.ask("POST", path, {"apiVersion": "admissionregistration.k8s.io/v1"})
    assert "webhooks" in driven.session.barrier


def test_a_write_during_which_time_passes_is_a_barrier() -> None:
    driven = Driven()

    def wait(served: ServedCluster) -> Response:
        driven.advance(30)  # as while a large object is checked beside the loop
        return Response(200, [])

    driven.session.act(lambda: "wait", wait)
    assert "large object" in driven.session.barrier


def test_a_session_that_is_not_repeated_exactly_stays_as_it_is() -> None:
    driven = Driven()
    driven.deploy("web")
    driven.session.served.store.version += 1  # a write that no client made
    driven.deploy("other")
    before = driven.session.served
    with pytest.raises(StatusError, match="cannot be repeated exactly"):
        driven.rewind(1)
    assert driven.session.served is before


def test_a_large_object_comes_back_too() -> None:
    driven = Driven()
    path = "/api/v1/namespaces/default/configmaps"
    driven.ask("POST", path, {"metadata": {"name": "large"}, "data": {"text": "0123456789" * 1000}})
    driven.advance(5)
    state = driven.state()
    driven.ask("DELETE", f"{path}/large")
    driven.rewind(1)
    assert driven.state() == state
    assert [write.title and write.title() for _, write in driven.session.writes()][:1] == ["create configmaps/large"]


def test_a_session_that_has_written_too_much_cannot_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MOST_BYTES", 2_000)
    driven = Driven()
    for number in range(5):
        driven.deploy(f"web{number}")
    assert driven.session.barrier == "more was written than is kept"
    assert not list(driven.session.writes())
    assert len(json.loads(driven.ask("GET", DEPLOYMENTS).body)["items"]) == 5
