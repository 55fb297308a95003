"""What a script does while it runs: its time, variables, files and output."""

from __future__ import annotations

import random
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Protocol

from wavetank.kernel.durations import Nanoseconds

LONGEST_OUTPUT = 1_000_000  # characters


class Files(Protocol):
    """The files that a container sees, by absolute path."""

    def read(self, path: str) -> str | None:
        """Returns the content of a file, or None."""

    def write(self, path: str, content: str | None) -> None:
        """Writes a file, or removes it."""

    def has_directory(self, path: str) -> bool:
        """Tells whether a path is a directory."""


class MemoryFiles:
    """Files that are forgotten with the container."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        """Returns the content of a file, or None."""
        return self._files.get(path)

    def write(self, path: str, content: str | None) -> None:
        """Writes a file, or removes it."""
        if content is None:
            self._files.pop(path, None)
        else:
            self._files[path] = content

    def has_directory(self, path: str) -> bool:
        """Tells whether a path is a directory: every image has some, others are those of its files."""
        prefix = path.rstrip("/") + "/"
        return path in ("/", "/tmp", "/etc", "/dev", "/var", "/root") or any(
            each.startswith(prefix) for each in self._files
        )


class Variables(dict[str, str]):
    """Variables of a script; RANDOM has another value each time."""

    def __init__(self, given: Mapping[str, str], seed: int) -> None:
        super().__init__(given)
        self._random = random.Random(seed)

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Returns the value of a variable."""
        return str(self._random.randrange(32768)) if name == "RANDOM" else super().get(name, default)


@dataclass
class Session:
    """The state of a script: `time` since its start, and what it has printed by then."""

    variables: MutableMapping[str, str]
    files: Files
    time: Nanoseconds = 0
    status: int = 0
    printed: list[tuple[Nanoseconds, str]] = field(default_factory=list)
    changes: list[tuple[Nanoseconds, str, bool]] = field(default_factory=list)  # when a file appears or vanishes
    background: Nanoseconds = 0  # when the last background command ends
    unknown: int = 0  # how many programs it has run that are not simulated
    slept: bool = False
    traps: bool = False  # it handles SIGTERM

    def write(self, path: str, content: str | None) -> None:
        """Writes a file, or removes it."""
        self.files.write(path, content)
        self.changes.append((self.time, path, content is not None))
