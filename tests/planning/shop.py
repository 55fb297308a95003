"""The shop of the examples, and what is asked about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.paths import EXAMPLES
from wavetank.planning.options import read_options
from wavetank.planning.whatif.answer import Answer
from wavetank.planning.whatif.question import Question
from wavetank.planning.whatif.reading import read_changes
from wavetank.snapshots.snapshot import Snapshot, make_snapshot, open_snapshot

SHOP = EXAMPLES / "snapshot" / "shop.yaml"


def shop() -> Snapshot:
    """Returns six nodes in three zones, two Deployments, a StatefulSet, a DaemonSet and a bare pod."""
    return open_snapshot([SHOP])


def answer(
    changes: Sequence[object], of: Snapshot | Sequence[Mapping[str, Any]] | None = None, **options: Any
) -> Answer:
    """Returns the answer to a list of changes of the shop, or of other objects."""
    snapshot = shop() if of is None else of if isinstance(of, Snapshot) else make_snapshot(of)
    return Question(snapshot, read_changes(list(changes), Path()), read_options(**options)).ask()
