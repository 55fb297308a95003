"""The pods behind the uids in calls of extenders: a recording has no uids elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wavetank.verification.decisions.recording import Attempt, ExtenderCall, Recording


def known_uids(recording: Recording) -> dict[str, str]:
    """Returns namespace/name by uid, for pods that a call names in full or that their place in a dry run shows."""
    attempts = [attempt for result in recording.results for attempt in result.attempts]
    known = {uid: key for attempt in attempts for call in attempt.extender_calls for uid, key in _named(attempt, call)}
    for attempt in attempts:
        known.update(_evicted(attempt, known))
    return known


def _named(attempt: Attempt, call: ExtenderCall) -> Iterator[tuple[str, str]]:
    request = call.request
    if "PodUID" in request:
        yield request["PodUID"], f"{request['PodNamespace']}/{request['PodName']}"
        return
    yield _identity(request["Pod"])
    for found in (request.get("NodeNameToVictims") or {}).values():
        yield from map(_identity, found["Pods"])
    dry_run = attempt.preemption.dry_run if attempt.preemption else {}
    is_first = call is next(other for other in attempt.extender_calls if other.verb == call.verb)
    for node, found in (request.get("NodeNameToMetaVictims") or {}).items() if is_first else ():
        yield from zip([pod["UID"] for pod in found["Pods"]], dry_run[node], strict=True)


def _evicted(attempt: Attempt, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields the one victim that an extender has added on the nominated node, if it is not known yet."""
    answers = [call.response for call in attempt.extender_calls if "NodeNameToMetaVictims" in call.request]
    nodes = (answers[-1].get("NodeNameToMetaVictims") or {}) if answers and isinstance(answers[-1], dict) else {}
    uids = [pod["UID"] for pod in nodes.get(attempt.nominated, {"Pods": ()})["Pods"]]
    unknown = [uid for uid in uids if uid not in known]
    others = set(attempt.deleted_victims or ()) - {known.get(uid) for uid in uids}
    if len(unknown) == len(others) == 1:
        yield unknown[0], others.pop()


def _identity(pod: Mapping[str, Any]) -> tuple[str, str]:
    metadata = pod["metadata"]
    return metadata["uid"], f"{metadata['namespace']}/{metadata['name']}"
