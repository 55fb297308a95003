"""One recorded case: a folder with inputs, `result.json` and series."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from wavetank.errors import InputError

Json = dict[str, Any]
Series = Mapping[str, list[list[str]]]

_RESULT = "result.json"
_SERIES = "out.csv.gz"
_FIRST_SEED = "seed1.csv.gz"


@dataclass(frozen=True)
class ServiceRecording:
    """A case: what was run (in `folder`, or under `shared`) and what MiSim wrote."""

    folder: Path
    result: Json

    @property
    def family(self) -> str:
        """Returns the mechanism of the case."""
        return str(self.result.get("mechanism", "services"))

    @property
    def name(self) -> str:
        """Returns the name of the case."""
        return self.folder.name

    @cached_property
    def series(self) -> Series:
        """Returns the recorded lines of each series, split at semicolons, without the name."""
        return _read_series(self.folder / _SERIES)

    @cached_property
    def first_seed(self) -> Series:
        """Returns the series of seed 1 of a random case."""
        return _read_series(self.folder / _FIRST_SEED)

    def input(self, field: str, default: str) -> Path:
        """Returns the path of an input: in the folder, or where `result.json` says."""
        given = self.result.get(field)
        if given is None:
            return self.folder / default
        data = self.folder.parent.parent
        return data / str(given)


def _read_series(path: Path) -> Series:
    found: dict[str, list[list[str]]] = defaultdict(list)
    if path.is_file():
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            name, _, rest = line.partition(";")
            found[name].append(rest.split(";"))
    return found


def is_case(folder: Path) -> bool:
    """Returns whether a folder is one recorded case."""
    path = folder / _RESULT
    return path.is_file() and b'"mechanism"' in path.read_bytes()[:2000]


def find_cases(place: Path) -> list[Path]:
    """Returns the recorded cases in a folder, or the folder itself if it is one; empty if there are none."""
    if is_case(place):
        return [place]
    return sorted(path.parent for path in place.glob(f"*/{_RESULT}") if is_case(path.parent))


def read_case(folder: Path) -> ServiceRecording:
    """Reads one case."""
    try:
        result = msgspec.json.decode((folder / _RESULT).read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"not a recorded case: {error}", source=str(folder)) from None
    return ServiceRecording(folder, result)
