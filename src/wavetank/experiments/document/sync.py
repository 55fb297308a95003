"""`sync:` of a program: how it keeps step with the simulation if it takes no turns."""

from __future__ import annotations

import dataclasses
from typing import Any

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import SYNC
from wavetank.loop.timesteps.batsky import parse_endpoint
from wavetank.loop.timesteps.sync import TimestepSync

MODES = ("lockstep", "timestep")
_DURATIONS = (
    "timeout-value",
    "min-delay",
    "base-simulation-timestep",
    "max-simulation-timestep",
    "scheduler-crash-timeout",
)
_SWITCHES = ("fast-forward-on-no-pending-jobs", "detect-scheduler-deadlock")


def read_sync(value: object) -> TimestepSync | None:
    """Reads {mode: timestep, timeout-value: 20ms, ...}, with Batkube's words and defaults; {mode: lockstep} is None."""
    given = fields.mapping(value, "sync", SYNC)
    if fields.choice(given.get("mode"), "sync.mode", MODES) == "lockstep":
        if len(given) > 1:
            raise InputError("lockstep has no parameters: it is exact", path="sync")
        return None
    read: dict[str, Any] = {key: fields.duration(given[key], f"sync.{key}") for key in _DURATIONS if key in given}
    read.update((key, _switch(given[key], f"sync.{key}")) for key in _SWITCHES if key in given)
    if "backoff-multiplier" in given:
        read["backoff-multiplier"] = _multiplier(given["backoff-multiplier"])
    if "batsky-endpoint" in given:
        read["batsky-endpoint"] = _endpoint(given["batsky-endpoint"])
    sync = dataclasses.replace(TimestepSync(), **{key.replace("-", "_"): each for key, each in read.items()})
    for key in ("base-simulation-timestep", "max-simulation-timestep"):
        if not getattr(sync, key.replace("-", "_")):
            raise InputError("a time step of 0 would never end", path=f"sync.{key}")
    return sync


def _switch(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, got {value!r:.60}", path=path)
    return value


def _multiplier(value: object) -> float:
    number = fields.number(value, "sync.backoff-multiplier")
    if number < 1:
        raise InputError(f"expected 1 or more, got {value!r:.60}", path="sync.backoff-multiplier")
    return number


def _endpoint(value: object) -> str:
    endpoint = fields.text(value, "sync.batsky-endpoint")
    try:
        parse_endpoint(endpoint)
    except InputError as error:
        raise error.inside(path="sync.batsky-endpoint") from None
    return endpoint


def read_address(value: object) -> tuple[str, int]:
    """Reads where to listen: HOST:PORT."""
    host, _, port = fields.text(value, "listen").rpartition(":")
    if not host or not port.isdigit():
        raise InputError(f"expected HOST:PORT, got {value!r:.60}", path="listen")
    return host, int(port)
