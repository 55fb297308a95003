"""Documents of custom kinds read from requests."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec.diagnosis import duplicates
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.codec.reading import Parsed
from wavetank.apiserver.custom.customtype import CustomType


def read_custom(custom: CustomType, parsed: Parsed) -> tuple[dict[str, Any], list[str]]:
    """Returns the document, pruned and completed, and the errors about unknown and duplicate fields.

    Raises an UnreadableError where it cannot be a document at all.
    """
    if not isinstance(parsed.value, dict):
        raise UnreadableError("unstructured object has no kind")
    document, unknown = custom.read(parsed.value)
    strict = [*parsed.strict, *duplicates(parsed.as_written)]
    return document, strict + [f'unknown field "{path}"' for path in unknown]
