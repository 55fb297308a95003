from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster import manifests
from wavetank.cluster.manifests import load_documents, manifests_in, read_text
from wavetank.errors import InputError

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def load(text: str) -> list[Any]:
    return load_documents(text, "in.yaml")


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        list(manifests_in(load(text), "in.yaml"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        pytest.param("a: 1", [{"a": 1}], id="one"),
        pytest.param("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}], id="several"),
        pytest.param("---\n---\na: 1\n---\n# nothing\n---\n", [{"a": 1}], id="empty ones are left out"),
        pytest.param("", [], id="an empty file"),
        pytest.param('{"a": 1}', [{"a": 1}], id="JSON"),
        pytest.param('  \n[{"a": 1}]', [[{"a": 1}]], id="a JSON list"),
        pytest.param("{a: 1}", [{"a": 1}], id="YAML that begins like JSON"),
        pytest.param("{a: 1}\n---\n{b: 2}", [{"a": 1}, {"b": 2}], id="even several of it"),
        pytest.param('{"a": 1}\n---\n{"b": 2}', [{"a": 1}, {"b": 2}], id="JSON as documents of YAML"),
        pytest.param("at: 2026-01-01T00:00:00Z", [{"at": "2026-01-01T00:00:00Z"}], id="a time stays text"),
        pytest.param("at: 2026-01-01", [{"at": "2026-01-01"}], id="so does a day"),
        pytest.param(
            "base: &b {x: 1, y: 1}\nown: {<<: *b}", [{"base": {"x": 1, "y": 1}, "own": {"x": 1, "y": 1}}], id="<<"
        ),
        pytest.param(
            "base: &b {x: 1, y: 1}\nown:\n  <<: *b\n  y: 2",
            [{"base": {"x": 1, "y": 1}, "own": {"x": 1, "y": 2}}],
            id="a merge may be overridden",
        ),
        pytest.param(
            "- &b {x: 1}\n- &c {x: 2, y: 2}\n- {<<: [*b, *c], z: 3}",
            [[{"x": 1}, {"x": 2, "y": 2}, {"x": 1, "y": 2, "z": 3}]],
            id="several merges may overlap",
        ),
    ],
)
def test_documents_are_read(text: str, documents: list[Any]) -> None:
    assert load(text) == documents


@given(st.dictionaries(st.text(max_size=3), DOCUMENTS))
def test_json_reads_back_as_written(document: Any) -> None:
    assert load(json.dumps(document)) == load(json.dumps(document, indent=1)) == [document]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: 1\nb: [1, 2\n", "in.yaml: line 3, column 1: not valid YAML: ", id="an open bracket"),
        pytest.param("a: 1\n\tb: 2", "in.yaml: line 2, column 1: not valid YAML: ", id="a tab"),
        pytest.param(
            "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n",
            "in.yaml: line 5, column 3: not valid YAML: duplicate key 'c'",
            id="a duplicate key",
        ),
        pytest.param(
            "a: 1\n---\n{b: 1, b: 2}",
            "in.yaml: line 3, column 8: not valid YAML: duplicate key 'b'",
            id="in another document",
        ),
        pytest.param(
            "1: a\n0x1: b", "in.yaml: line 2, column 1: not valid YAML: duplicate key '0x1'", id="by its value"
        ),
        pytest.param(
            "x: &b {y: 1}\nz:\n  <<: *b\n  y: 2\n  y: 3",
            "in.yaml: line 5, column 3: not valid YAML: duplicate key 'y'",
            id="beside a merge",
        ),
        pytest.param(
            "? [a]\n: b", "in.yaml: line 1, column 3: not valid YAML: found unhashable key", id="a list as key"
        ),
        pytest.param("a: !!python/name:os.system x", "in.yaml: line 1, column 4: not valid YAML: ", id="foreign types"),
        pytest.param("a: *nobody", "in.yaml: line 1, column 4: not valid YAML: found undefined alias", id="an alias"),
        pytest.param('{"a": 1,}}', "in.yaml: line 1, column 10: not valid YAML: ", id="broken JSON"),
        pytest.param("a: \x00", "in.yaml: not valid YAML: ", id="a control character"),
        pytest.param("[" * 100_000, "in.yaml: n", id="too deep"),
        pytest.param(f"a: {'9' * 5000}", "in.yaml: not valid YAML: ", id="a number without end"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, message: str) -> None:
    assert refusal(text).startswith(message)


@pytest.mark.parametrize(
    ("document", "places"),
    [
        pytest.param(POD, [""], id="an object"),
        pytest.param([POD, POD], ["[0]", "[1]"], id="a plain list"),
        pytest.param({"kind": "List", "items": [POD, POD]}, ["items[0]", "items[1]"], id="a List"),
        pytest.param({"kind": "PodList", "items": [POD]}, ["items[0]"], id="a List of one kind"),
        pytest.param({"kind": "List", "items": None}, [], id="an empty List"),
        pytest.param({"kind": "List", "items": [{"kind": "List", "items": [POD]}]}, ["items[0].items[0]"], id="nested"),
    ],
)
def test_lists_are_unfolded(document: Any, places: list[str]) -> None:
    assert list(manifests_in([document], "in.yaml")) == [(place, POD) for place in places]


def test_places_name_the_document_where_there_are_several() -> None:
    documents = [POD, {"kind": "List", "items": [POD]}]
    assert [place for place, _ in manifests_in(documents, "in.yaml")] == ["document 1", "document 2.items[0]"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("5", "in.yaml: expected a Kubernetes object, got 5", id="a number"),
        pytest.param("a: 1\n---\nword", "in.yaml: document 2: expected a Kubernetes object, got 'word'", id="a word"),
        pytest.param("[a]", "in.yaml: [0]: expected a Kubernetes object, got 'a'", id="a list of words"),
        pytest.param(
            "{kind: List, items: 5}", "in.yaml: items: expected a list of Kubernetes objects, got 5", id="items"
        ),
        pytest.param("{kind: List, items: {a: 1}}", "in.yaml: items: expected a list", id="items in a mapping"),
    ],
)
def test_what_is_no_object_is_refused_with_its_place(text: str, message: str) -> None:
    assert refusal(text).startswith(message)


def test_text_may_be_zipped_and_may_have_a_mark(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "a.yaml", tmp_path / "b.yaml"
    plain.write_text("ä: 1", encoding="utf-8-sig")
    zipped.write_bytes(gzip.compress("ä: 1".encode()))
    assert read_text(plain) == read_text(zipped) == "ä: 1"


def spoiled(data: bytes) -> bytes:
    zipped = bytearray(gzip.compress(data))
    zipped[10] = 0xFF  # the first byte after the header: a block of a type that does not exist
    return bytes(zipped)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"a: \xff", "not UTF-8 text: byte 3 is 0xff", id="not text"),
        pytest.param(gzip.compress(b"a: 1")[:-9], "cannot be read: ", id="a truncated archive"),
        pytest.param(spoiled(b"some text" * 20), "cannot be read: ", id="a spoiled archive"),
        pytest.param(b"\x1f\x8bno archive", "cannot be read: ", id="not an archive"),
    ],
)
def test_what_is_no_text_is_refused_with_its_file(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "in.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_text(file)
    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["as it is", "zipped"])
def test_a_text_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(manifests, "MAX_BYTES", 2 << 20)
    file = tmp_path / "in.yaml"
    file.write_bytes(pack(b" " * (2 << 20)))
    assert len(read_text(file)) == 2 << 20
    file.write_bytes(pack(b" " * ((2 << 20) + 1)))
    with pytest.raises(InputError, match="larger than 2 MiB of text"):
        read_text(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        read_text(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a folder: expected a file"):
        read_text(tmp_path)


def test_aliases_that_stand_for_too_much_are_refused():
    levels = (f"b{i}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]" for i in range(9))
    with pytest.raises(InputError, match=r"bomb.yaml: its aliases stand for more than 100,000,000 values"):
        load_documents("\n".join(["a: &a0 [x]", *levels]), "bomb.yaml")
