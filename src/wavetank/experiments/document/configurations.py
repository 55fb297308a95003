from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError


def read_configuration(value: str | Mapping[str, Any], folder: Path, kind: str = "document") -> Mapping[str, Any]:
    """Returns the configuration of a program, which is given inline or as a file of one document."""
    if not isinstance(value, str):
        return value
    path = folder / value
    documents = load_documents(read_text(path), str(path))
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise InputError(f"expected one {kind}", source=str(path))
    return documents[0]
