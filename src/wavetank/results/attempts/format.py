"""What the recording of a run's attempts looks like: explain.npz.

It holds one row per attempt, in the order of the attempts. Names stand in the index and rows hold their numbers;
-1 is nothing. docs/explain.md describes the columns.
"""

from __future__ import annotations

from typing import Literal

import msgspec

NOTHING = -1

Keep = Literal["best", "all"]

# A column with a number for each attempt.
NUMBERS = (
    "time",
    "pod",
    "outcome",
    "message",
    "chosen",
    "nodes",
    "evaluated",
    "feasible",
    "candidates",
    "nominated",
    "rejected",
)
# A column with a list for each attempt.
LISTS = (
    "refusals",
    "refusal_nodes",
    "victims",
    "kept",
    "totals",
    "plugins",
    "scores",
    "refused",
    "refused_by",
)


class Answer(msgspec.Struct, frozen=True):
    """A refusal, as it stands in the index."""

    plugin: str
    reasons: tuple[str, ...]


class Index(msgspec.Struct, frozen=True):
    """What the numbers in the columns refer to, and how many feasible nodes of an attempt were kept at most."""

    format: Literal["wavetank-explain-1"]
    keep: Keep
    blocks: int
    outcomes: list[str]
    pods: list[str]
    nodes: list[str]
    plugins: list[str]
    messages: list[str]
    answers: list[Answer]
