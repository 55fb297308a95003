"""All attacks, and their shares of the time."""

from __future__ import annotations

from typing import NamedTuple

from tests.attack.campaign import (
    batsim,
    clients,
    ends,
    executors,
    experiments,
    greedy,
    heavy,
    hostile,
    inputfiles,
    servers,
    websockets,
)
from tests.attack.campaign.outcome import Attack


class Entry(NamedTuple):
    """An attack, and the share of the time that it gets."""

    attack: Attack
    share: float


ATTACKS = {
    "requests": Entry(hostile.attack, 3),
    "heavy": Entry(heavy.attack, 2),
    "clients": Entry(clients.attack, 1),
    "servers": Entry(servers.attack, 0.5),
    "websockets": Entry(websockets.attack, 0.5),
    "batsim": Entry(batsim.attack, 0.5),
    "limits": Entry(greedy.attack, 1),
    "files": Entry(inputfiles.attack, 2),
    "signals": Entry(ends.attack, 2),
    "experiments": Entry(experiments.attack, 5),
    "executors": Entry(executors.attack, 1),
}
