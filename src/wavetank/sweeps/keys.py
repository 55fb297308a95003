"""Keys of runs: a hash of all inputs of a run."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

_CLASS = re.compile(r"([A-Za-z_][\w.]*):[A-Za-z_]\w*")


def digest(spec: Mapping[str, Any], folder: Path) -> str:
    """Returns the hash of a spec and of the contents of every file and module that it names."""
    hashed = hashlib.sha256(msgspec.json.encode(spec, order="deterministic", enc_hook=_described))
    for path in sorted(set(_files(spec, folder))):
        hashed.update(path.name.encode())
        hashed.update(_content(path))
    return hashed.hexdigest()


def key_of(digest_of_inputs: str, seed: int, wavetank_version: str) -> str:
    """Returns the key of one run."""
    return hashlib.sha256(f"{digest_of_inputs} {seed} {wavetank_version}".encode()).hexdigest()[:32]


def _described(value: object) -> str:
    """Returns the name of a class and the hash of its file; a class of a notebook is never the same as before."""
    if not isinstance(value, type):
        return repr(value)
    try:
        file = inspect.getsourcefile(value)
    except TypeError:  # of a notebook
        file = None
    code = _content(Path(file)).hex() if file and Path(file).is_file() else uuid4()
    return f"{value.__module__}.{value.__qualname__} {code}"


def _files(value: object, folder: Path) -> Iterator[Path]:
    """Yields every file that a spec may name: any text that is the path of a file counts."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _files(inner, folder)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _files(inner, folder)
    elif isinstance(value, str) and value and "\n" not in value and len(value) < 4096:
        named = _CLASS.fullmatch(value)
        path = folder / (named[1].replace(".", "/") + ".py" if named else value)
        if path.is_file():
            yield path.resolve()


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
