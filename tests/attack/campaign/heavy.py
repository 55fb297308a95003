"""Objects of up to 3 MB, heavy in any place: no other client waits while the server works for long."""

from __future__ import annotations

import http.client
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from tests.apiserver.fuzz.test_fuzz import UPSTREAM
from tests.apiserver.serving import Served, nodes_file, serving
from tests.attack.campaign.outcome import Budget, Outcome
from tests.attack.heavyobjects import Document, Place, heavy_object

_LARGEST = 3_000_000
_SIZES = (_LARGEST, 1_400_000, 700_000)  # the smaller ones fit into etcd
_REST_S = 0.7  # for what a request sets going
_LONG_S = 0.25  # of CPU time: the goal is 0.1, but on a busy machine the same work takes longer
_NAMESPACE = "ns"


def attack(random: Random, budget: Budget) -> Outcome:
    """Creates, reads, changes and deletes heavy objects."""
    outcome = Outcome("heavy objects")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, "--cluster", nodes_file(folder)) as served:
            served.ask("POST", "/api/v1/namespaces", {"metadata": {"name": _NAMESPACE}})
            longest = 0.0
            while budget.left():
                place, document = heavy_object(random, random.choice(_SIZES))
                wait = life(served, outcome, place, document)
                outcome.check(wait < _LONG_S, f"{place.name}: {wait:.3f} s of CPU time while another client waited")
                longest = max(longest, wait)
            outcome.check(served.ask("GET", "/readyz").status == 200, "the server is no longer ready")
    outcome.figures = {"s of CPU time at most while another client waited": round(longest, 3)}
    return outcome


def life(served: Served, outcome: Outcome, place: Place, document: Document) -> float:
    """Makes the requests of an object's life; returns the server's CPU time while another client waited, at most."""
    outcome.ran += 1
    kind, name = place.kind, f"h-{outcome.ran}"
    document["metadata"]["name"] = name
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    path = f"{root}/namespaces/{_NAMESPACE}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
    body = json.dumps(document, separators=(",", ":")).encode()
    with small_requests(served) as waits:
        answer = _ask(served, outcome, "POST", path, body)
        if answer == 201:
            time.sleep(_REST_S)
            _ask(served, outcome, "GET", f"{path}/{name}")
            _ask(served, outcome, "PATCH", f"{path}/{name}", b'{"metadata":{"annotations":{"a":"b"}}}')
            time.sleep(_REST_S)
            _ask(served, outcome, "PATCH", f"{path}/{name}", b'{"metadata":{"finalizers":null}}')
            _ask(served, outcome, "DELETE", f"{path}/{name}?gracePeriodSeconds=0")
        time.sleep(_REST_S)
    return max(waits, default=0.0)


def _ask(served: Served, outcome: Outcome, method: str, path: str, body: bytes | None = None) -> int:
    media = "application/merge-patch+json" if method == "PATCH" else "application/json"
    try:
        answer = served.ask(method, path, body, Content_Type=media)
    except (OSError, http.client.HTTPException) as error:
        outcome.check(False, f"{method} {path}: {error!r}")
        return 0
    fine = answer.status < 500 or UPSTREAM.search(answer.body.decode("utf-8", "replace")) is not None
    outcome.check(fine, f"{method} {path}: {answer.status} {answer.body[:150]!r}; body {(body or b'')[:300]!r}")
    return answer.status


@contextmanager
def small_requests(served: Served) -> Iterator[list[float]]:
    """Asks for something small again and again; gives the CPU time that the server used meanwhile, each time."""
    waits: list[float] = []
    end = threading.Event()
    clock = ~served.process.pid << 3 | 2  # Linux: the CPU time of another process

    def ask() -> None:
        connection = served.connect()
        with suppress(OSError, http.client.HTTPException):  # the server has ended: others say so
            while not end.wait(0.005):
                begun = time.clock_gettime(clock)
                connection.request("GET", "/api/v1/nodes/n1", headers=served.auth)
                connection.getresponse().read()
                waits.append(time.clock_gettime(clock) - begun)
        connection.close()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield waits
    finally:
        end.set()
        thread.join()
