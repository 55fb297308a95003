"""The pods of a run as the report looks at them: from the table of a run just made, or from its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wavetank.kernel.durations import SECOND
from wavetank.report.page.columns import Columns, Floats
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import NEVER, Integers, quotients
from wavetank.results.columns.podtable import PodTable
from wavetank.results.write.tables import requests_text


class Names(NamedTuple):
    """What tells one pod from another."""

    namespace: Coded[str]
    name: Sequence[str]
    job: Coded[str]
    phase: Coded[str]
    reason: Coded[str]
    requests: Coded[str]


class Pods(NamedTuple):
    """The pods of a run, column by column; times in seconds, NaN for what never happened.

    There are no names where they are not wanted, since there are very many.
    """

    names: Names | None
    node: Coded[str]
    submitted: Floats
    scheduled: Floats
    started: Floats
    finished: Floats
    cpu_milli: Floats


def pods_of(table: PodTable, named: bool) -> Pods:
    """Returns the pods of a run just made: the very same as from the file that it has written."""
    times = (table.submitted, table.scheduled, table.started, table.finished)
    numbers = (*map(_seconds, times), table.cpu.astype(np.float64))
    return Pods(_names_of(table) if named else None, table.node, *numbers)


def pods_in(file: Path, named: bool) -> Pods:
    """Reads the pods of a run."""
    texts = ("namespace", "name", "job", "phase", "reason", "requests") if named else ()
    numbers = ("submitted", "scheduled", "started", "finished", "cpu_milli")
    columns = Columns(file, ("node", *texts), numbers)
    return Pods(_names_in(columns) if named else None, columns.texts("node"), *map(columns.numbers, numbers))


def _names_of(table: PodTable) -> Names:
    return Names(
        namespace=table.namespace,
        name=table.names,
        job=Coded(table.job_ids),
        phase=table.phase,
        reason=table.reason,
        requests=table.spec.mapped(requests_text),
    )


def _names_in(columns: Columns) -> Names:
    return Names(
        namespace=columns.texts("namespace"),
        name=columns.texts("name").each(str).tolist(),
        job=columns.texts("job"),
        phase=columns.texts("phase"),
        reason=columns.texts("reason"),
        requests=columns.texts("requests"),
    )


def _seconds(times: Integers) -> Floats:
    return np.where(times == NEVER, np.nan, quotients(times, np.full(len(times), SECOND)))
