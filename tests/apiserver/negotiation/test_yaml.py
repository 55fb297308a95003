from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec.yamlwriter import dump


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"b": 1, "a": ["x", {}]}, "a:\n- x\n- {}\nb: 1\n"),
        ({"a": "1"}, 'a: "1"\n'),
        ({"a": "true"}, 'a: "true"\n'),
        ({"a": "y"}, 'a: "y"\n'),
        ({"a": ""}, 'a: ""\n'),
        ({"a": "2024-01-01T00:00:00Z"}, 'a: "2024-01-01T00:00:00Z"\n'),
        ({"a": "b: c"}, "a: 'b: c'\n"),
        ({"a": "b\nc\n"}, "a: |\n  b\n  c\n"),
        ({"a": None, "b": True}, "a: null\nb: true\n"),
    ],
)
def test_yaml_is_written_as_the_real_server_writes_it(document: Any, text: str) -> None:
    assert dump(document).decode() == text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(JSON_VALUES)
def test_what_is_written_is_read_again(document: Any) -> None:
    assert yaml.load(dump(document), Loader=yaml.CSafeLoader) == document
