from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.kinds.kind import Kind

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writing:
    """The circumstances of a write: the time as the API writes it, and who asks."""

    now: str
    user_name: str = ""
    user_groups: tuple[str, ...] = ()


Prepare = Callable[[Document, Writing], None]
PrepareUpdate = Callable[[Document, Document, Writing], None]


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one kind is written.

    `counted` are the fields a change of which makes a new generation (none: the kind has no generations);
    `own_status`: status is dropped on create and kept on update; `status_metadata` tells what of the metadata a write
    to the status subresource may change: all, none, or everything but labels.
    """

    counted: tuple[str, ...] = ()
    own_status: bool = True
    status_metadata: str = "all"
    create_on_update: bool = False
    unconditional_update: bool = True
    create: Prepare | None = None
    update: PrepareUpdate | None = None
    status: PrepareUpdate | None = None


_PLAIN = Strategy()
_CUSTOM = Strategy(unconditional_update=False)


def strategy_of(kind: Kind, strategies: Mapping[str, Strategy]) -> Strategy:
    """Returns the strategy of a kind."""
    return _CUSTOM if kind.custom is not None else strategies.get(kind.group_kind, _PLAIN)
