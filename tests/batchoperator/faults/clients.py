"""Clients that fail: killed at a write, or refusing and losing writes at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.batchoperator.client.client import Change, Client, Handler
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.cluster.store.errors import ApiError, ConflictError

WRITES = ("create", "update", "update_status", "patch_labels", "delete")


class KilledError(ApiError):
    """The program that used the client is dead."""


class Interfering:
    """A client whose writes go through `interfere`, which gets their names and a function that makes them."""

    def __init__(self, client: Client, interfere: Callable[[str, tuple[Any, ...], Callable[[], Any]], Any]) -> None:
        self._client = client
        self._interfere = interfere
        self.alive = True

    def get(self, kind: str, namespace: str, name: str) -> KubeObject | None:
        self._check()
        return self._client.get(kind, namespace, name)

    def list(
        self, kind: str, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[KubeObject]:
        self._check()
        return self._client.list(kind, namespace, labels)

    def subscribe(self, kind: str, handler: Handler, label: str | None = None, value: str | None = None) -> None:
        def hand_on(change: Change) -> None:
            if self.alive:
                handler(change)

        self._client.subscribe(kind, hand_on, label, value)

    def create(self, document: Mapping[str, Any]) -> KubeObject:
        return self._write("create", document)

    def update(self, old: KubeObject, spec: Mapping[str, Any]) -> KubeObject:
        return self._write("update", old, spec)

    def update_status(self, old: KubeObject, status: Mapping[str, Any]) -> KubeObject:
        return self._write("update_status", old, status)

    def patch_labels(self, old: KubeObject, *changes: Any) -> KubeObject:
        return self._write("patch_labels", old, *changes)

    def delete(self, old: KubeObject, grace_s: int | None = None) -> None:
        self._write("delete", old, grace_s)

    def _write(self, verb: str, *arguments: Any) -> Any:
        self._check()
        return self._interfere(verb, arguments, lambda: getattr(self._client, verb)(*arguments))

    def _check(self) -> None:
        if not self.alive:
            raise KilledError("dead")


def described(verb: str, arguments: tuple[Any, ...]) -> str:
    """Says in a few words what a write does."""
    first = arguments[0]
    if verb == "create":
        return f"create {first['kind']} {first['metadata']['name']}"
    kind = f"{first.group_kind.partition('.')[0]} {first.name}"
    if verb == "update_status":
        return f"{kind} {first.status.get('state') or 'new'} to {arguments[1].get('state')}"
    if verb == "patch_labels":
        names = {label.rpartition("/")[2].rpartition("-")[0] for label in arguments[1]}
        return f"{'unlabel' if None in arguments[1].values() else 'label'} {kind} {'+'.join(sorted(names))}"
    return f"{verb} {kind}"


def unreliable(client: Client, seed: int, share: float = 0.15) -> Interfering:
    """Returns a client of which a share of the writes fails: refused, or made although the answer is an error."""
    draws = random.Random(seed)

    def interfere(verb: str, arguments: tuple[Any, ...], write: Callable[[], Any]) -> Any:
        drawn = draws.random()
        if drawn > share:
            return write()
        if drawn < share / 3:
            write()  # and the answer is lost
        raise draws.choice([ConflictError("the object has been modified"), ApiError("etcdserver: request timed out")])

    return Interfering(client, interfere)
