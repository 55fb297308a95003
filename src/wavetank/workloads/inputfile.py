from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text


class InputFile:
    """A file of text, read once whatever its format turns out to be.

    `source` is its path as given, for errors; `name` its last part, for descriptions.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.source = str(path)
        self.name = path.name
        self.text = text

    @classmethod
    def read(cls, path: Path) -> InputFile:
        """Reads the file; one that is missing or no text is an InputError."""
        return cls(path, read_text(path))

    @cached_property
    def documents(self) -> list[Any]:
        """Returns the YAML or JSON documents in the file."""
        return load_documents(self.text, self.source)
