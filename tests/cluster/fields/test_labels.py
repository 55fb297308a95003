from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from wavetank.cluster.fields.labels import LargeLabels, indexed, labels_key
from wavetank.cluster.fields.selectors import LabelSelector

LABELS = {f"k{i}": f"v{i}" for i in range(2000)}


def test_few_labels_stay_as_they_are() -> None:
    labels = {"a": "b"}
    assert indexed(labels) is labels
    assert labels_key(labels) == labels_key({"a": "b"}) != labels_key({"a": "c"})


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        (dict(reversed(LABELS.items())), True),
        ({**LABELS, "k7": "other"}, False),
        ({**LABELS, "more": "v"}, False),
        ({key: value for key, value in LABELS.items() if key != "k7"}, False),
    ],
    ids=["another order", "another value", "a label more", "a label less"],
)
def test_very_many_labels_are_compared(other: dict[str, str], equal: bool) -> None:
    assert (indexed(LABELS) == indexed(other)) is equal
    assert (indexed(LABELS) != indexed(other)) is not equal
    assert (labels_key(indexed(LABELS)) == labels_key(indexed(other))) is equal
    assert (indexed(LABELS) == other) is equal


def test_very_many_labels_are_read_as_any_others() -> None:
    labels = indexed(LABELS)
    assert isinstance(labels, LargeLabels)
    assert labels["k7"] == "v7"
    assert dict(labels) == LABELS


def test_very_many_labels_are_hashed_anew_in_another_process() -> None:
    """Python's hashes of strings differ from process to process."""
    assert from_another_process("indexed(LABELS)") == indexed(LABELS)


def test_selectors_of_very_many_labels_are_too() -> None:
    selector = from_another_process("LabelSelector.parse({'matchLabels': LABELS})")
    assert selector == LabelSelector.parse({"matchLabels": LABELS})
    assert selector.matches(indexed(LABELS))


def from_another_process(expression: str) -> Any:
    """Returns a value that was made in another process, with other hashes."""
    program = f"""
import pickle, sys
from wavetank.cluster.fields.labels import indexed
from wavetank.cluster.fields.selectors import LabelSelector
LABELS = {{f"k{{i}}": f"v{{i}}" for i in range(2000)}}
sys.stdout.buffer.write(pickle.dumps({expression}))
"""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    pickled = subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, check=True)
    return pickle.loads(pickled.stdout)
