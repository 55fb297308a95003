"""Concurrent clients of one server: no update is lost, and every watch sees every change once and in order."""

from __future__ import annotations

import http.client
import json
import tempfile
import threading
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from tests.apiserver.serving import Served, serving
from tests.attack.campaign.outcome import Budget, Outcome

CONFIGS = "/api/v1/namespaces/default/configmaps"
_CLIENTS = 4
_COUNTERS = ("a", "b", "c")


class Client:
    """A client with a connection of its own."""

    def __init__(self, served: Served) -> None:
        self._connection = http.client.HTTPConnection(served.host, served.port, timeout=60)
        self._headers = {**served.auth, "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Makes one request; returns the status and the document."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, self._headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())


def attack(random: Random, budget: Budget) -> Outcome:
    """Lets clients count up the same objects by optimistic updates, while others watch them."""
    outcome = Outcome("conflicting updates by 4 clients under 3 watches")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--bare") as served:
        first = Client(served)
        for name in _COUNTERS:
            status, _ = first.ask("POST", CONFIGS, {"metadata": {"name": name}, "data": {"n": "0"}})
            assert status == 201
        watches = [_Watch(served) for _ in range(3)]
        added = _count_up(served, random, budget)
        finals = [first.ask("GET", f"{CONFIGS}/{name}")[1] for name in _COUNTERS]
        total = sum(int(each["data"]["n"]) for each in finals)
        outcome.check(total == added, f"{added} updates were acknowledged, the objects say {total}")
        last = max(int(each["metadata"]["resourceVersion"]) for each in finals)
        for watch in watches:
            watch.read_to(last)
            _check_watch(watch, outcome, added)
        outcome.ran = added
        outcome.figures = {"watch events": sum(len(watch.events) for watch in watches)}
    return outcome


def _count_up(served: Served, random: Random, budget: Budget) -> int:
    """Increments counters until the budget is used up; returns how many increments were acknowledged."""
    added = [0] * _CLIENTS

    def work(index: int, chance: Random) -> None:
        client = Client(served)
        while budget.left():
            path = f"{CONFIGS}/{chance.choice(_COUNTERS)}"
            _, document = client.ask("GET", path)
            document["data"]["n"] = str(int(document["data"]["n"]) + 1)
            status, _ = client.ask("PUT", path, document)
            assert status in (200, 409), status
            added[index] += status == 200

    threads = [threading.Thread(target=work, args=(i, Random(random.random()))) for i in range(_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(added)


class _Watch:
    """A watch of all counters from now on; its events are (version, name, number)."""

    def __init__(self, served: Served) -> None:
        self._connection = http.client.HTTPConnection(served.host, served.port, timeout=60)
        _, listed = Client(served).ask("GET", CONFIGS)
        query = f"watch=1&resourceVersion={listed['metadata']['resourceVersion']}"
        self._connection.request("GET", f"{CONFIGS}?{query}", None, served.auth)
        self._answer = self._connection.getresponse()
        self.events: list[tuple[int, str, int]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._reached = threading.Condition()
        self._thread.start()

    def _read(self) -> None:
        for line in self._answer:
            document = json.loads(line)["object"]
            metadata = document["metadata"]
            if metadata["name"] in _COUNTERS:
                with self._reached:
                    event = (int(metadata["resourceVersion"]), metadata["name"], int(document["data"]["n"]))
                    self.events.append(event)
                    self._reached.notify_all()

    def read_to(self, version: int) -> None:
        """Waits until an event of this version has come."""
        with self._reached:
            self._reached.wait_for(lambda: bool(self.events) and self.events[-1][0] >= version, 60)


def _check_watch(watch: _Watch, outcome: Outcome, added: int) -> None:
    versions = [version for version, _, _ in watch.events]
    outcome.check(versions == sorted(set(versions)), "a watch saw versions out of order, or twice")
    for name in _COUNTERS:
        numbers = [number for _, each, number in watch.events if each == name]
        steps = {later - earlier for earlier, later in pairwise(numbers)}
        outcome.check(steps <= {1}, f"a watch of {name} missed a change: steps {sorted(steps)}")
    seen = sum(number > 0 for _, _, number in watch.events)
    outcome.check(seen == added, f"a watch saw {seen} of {added} changes")
