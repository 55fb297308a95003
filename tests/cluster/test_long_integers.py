"""Integers with too many digits in YAML."""

from __future__ import annotations

import pytest

from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError


def test_an_integer_with_too_many_digits_is_refused_without_advice_for_programmers() -> None:
    with pytest.raises(InputError, match=r"value has 5000 digits$"):
        load_documents(f"a: {'1' * 5000}", "file.yaml")
