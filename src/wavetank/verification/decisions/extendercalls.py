"""The extenders of a recording: they answer as recorded, and their requests are compared with the recorded ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wavetank.errors import InputError
from wavetank.loop.extenders.client import closed, decoded, failed, timed_out, url_of
from wavetank.quantity import parse_quantity
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.verification.decisions.recording import Attempt, ExtenderCall, Recording
from wavetank.verification.decisions.uids import known_uids

Differences = dict[str, object]
_PRIORITIZE = "prioritize"  # these calls are made at the same time, in any order


class RecordedExtenders:
    """The recorded calls between a scheduler and its extenders, with our uids: namespace/name."""

    def __init__(self, recording: Recording, table: NodeTable) -> None:
        self._uids = known_uids(recording)
        self._table = table
        self._recorded: list[ExtenderCall] = []
        self._left: list[ExtenderCall] = []
        self._made: list[ExtenderCall] = []

    def client(self, config: Mapping[str, Any]) -> _Client:
        """Returns the client of an extender of the configuration."""
        return _Client(self, str(config["urlPrefix"]))

    def begin(self, attempt: Attempt) -> None:
        """Answers the calls of this attempt from now on."""
        self._recorded = list(attempt.extender_calls)
        self._left = list(attempt.extender_calls)
        self._made = []

    def answer(self, name: str, verb: str, request: Mapping[str, Any]) -> ExtenderCall:
        """Returns the recorded call for a request; ExtenderError if there is none."""
        self._made.append(ExtenderCall(name, verb, dict(request), 200))
        for call in self._left:
            if (call.extender, call.verb) == (name, verb):
                self._left.remove(call)
                return call
        raise ExtenderError(f"the recorded scheduler did not call {verb} of {name}")

    def translated(self, answer: Any) -> Any:
        """Returns an answer with our uids; an unknown uid among the victims is that of another pod on the node."""
        victims = answer.get("NodeNameToMetaVictims") if isinstance(answer, dict) else None
        for node, found in (victims or {}).items():
            pods = [pod["UID"] for pod in found["Pods"]]
            for uid in pods:
                if uid not in self._uids:
                    self._uids[uid] = self._unknown_pod_on(node, [self._uids.get(other, "") for other in pods])
        return self._renamed(answer)

    def compared(self, knows_order: bool) -> tuple[Differences, Differences] | None:
        """Returns the differences between recorded calls and ours; None if there were no calls."""
        if not self._recorded and not self._made:
            return None
        recorded, made = sorted(self._recorded, key=_place), sorted(self._made, key=_place)
        names, ours = [_title(call) for call in recorded], [_title(call) for call in made]
        if names != ours:
            return {"calls": names}, {"calls": ours}
        found = [
            (f"{_title(theirs)}: {path}", pair)
            for theirs, mine in zip(recorded, made, strict=True)
            for path, *pair in _differences(
                _ordered(self._renamed(theirs.request), knows_order), _ordered(mine.request, knows_order)
            )
        ]
        return {path: pair[0] for path, pair in found}, {path: pair[1] for path, pair in found}

    def _unknown_pod_on(self, node: str, others: Sequence[str]) -> str:
        known = {*self._uids.values(), *others}
        names = sorted(self._table.pods[self._table.slots[node]])
        return next((name for name in names if name not in known), "")

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._renamed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        return self._uids.get(value, value) if isinstance(value, str) else value


class _Client:
    def __init__(self, calls: RecordedExtenders, url: str) -> None:
        self._extender_calls = calls
        self._url = url

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        name, url = self._url.rpartition("/")[2], url_of(self._url, verb)
        call = self._extender_calls.answer(name, verb, request)
        if call.status is None:
            raise ExtenderError(timed_out(url) if "httpTimeout" in (call.failure or "") else closed(url))
        if call.status != 200:
            raise ExtenderError(failed(verb, url, call.status))
        if isinstance(call.response, str):
            return decoded(call.response)
        return self._extender_calls.translated(call.response)


def _title(call: ExtenderCall) -> str:
    return f"{call.verb} of {call.extender}"


def _place(call: ExtenderCall) -> tuple[bool, bool, str]:
    is_prioritize = call.verb == _PRIORITIZE
    return call.verb == "bind", is_prioritize, call.extender if is_prioritize else ""


def _ordered(request: Any, knows_order: bool) -> Any:
    """Sorts the nodes of a request if the recorded scheduler's order of nodes is not known."""
    if knows_order:
        return request
    request = dict(request)
    if request.get("NodeNames"):
        request["NodeNames"] = sorted(request["NodeNames"])
    if request.get("Nodes"):
        request["Nodes"] = {"items": sorted(request["Nodes"]["items"], key=lambda node: str(node["metadata"]["name"]))}
    return request


def _differences(recorded: Any, ours: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yields (path, recorded, ours); fields that only the recorded request has are not compared."""
    if isinstance(ours, Mapping) and isinstance(recorded, Mapping):
        for key, value in ours.items():
            yield from _differences(recorded.get(key), value, f"{path}.{key}".lstrip("."))
    elif isinstance(ours, list) and isinstance(recorded, list) and len(ours) == len(recorded):
        for i, (theirs, mine) in enumerate(zip(recorded, ours, strict=True)):
            yield from _differences(theirs, mine, f"{path}[{i}]")
    elif ours != recorded and not _are_one_quantity(recorded, ours):
        yield path, recorded, ours


def _are_one_quantity(recorded: Any, ours: Any) -> bool:
    """Tells whether two values are the same quantity in different units."""
    try:
        return parse_quantity(recorded) == parse_quantity(ours)
    except InputError:
        return False
