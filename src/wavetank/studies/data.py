"""Data that a study needs and that wavetank does not ship."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wavetank.errors import InputError

SHARED = "WAVETANK_SHARED"


@dataclass(frozen=True)
class DataSet:
    """A folder of files, published elsewhere.

    It is looked for as DIR and as DIR/`name` (--data DIR), then as $WAVETANK_SHARED/data/`name`; a folder counts if it
    has all `files`. `needed` says whether the study needs it always, only in its full form, or never: without an
    optional data set some claims cannot be checked.
    """

    name: str
    what: str
    origin: str
    files: Sequence[str]
    needed: Literal["always", "full", "optional"] = "always"

    def is_needed(self, small: bool) -> bool:
        """Returns whether the study cannot run without it."""
        return self.needed == "always" or (self.needed == "full" and not small)


def find_data(sets: Sequence[DataSet], given: Path | None, small: bool) -> dict[str, Path]:
    """Returns the folders of the data sets by name, without optional ones that are absent."""
    if given is not None and not given.is_dir():
        raise InputError("no such folder", source=f"--data {given}")
    found = {}
    for each in sets:
        folder = _folder(each, given)
        if folder is not None:
            found[each.name] = folder
        elif each.is_needed(small):
            raise InputError(_missing(each, given))
    return found


def _folder(data: DataSet, given: Path | None) -> Path | None:
    shared = os.environ.get(SHARED)
    candidates = [given, given / data.name] if given is not None else []
    candidates += [Path(shared) / "data" / data.name] if shared else []
    return next((each for each in candidates if all((each / file).exists() for file in data.files)), None)


def _missing(data: DataSet, given: Path | None) -> str:
    where = f"{given} has not" if given is not None else "give --data DIR, a folder with"
    return f"needs {data.name}: {data.what} ({data.origin}); {where} {', '.join(data.files)}"
