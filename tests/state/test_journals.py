"""A journal holds a prefix of what was written, wherever it was cut, and tells damage from an unfinished write."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.state.journal import Journal, JournaledHistory, begin_file
from wavetank.simulation.served.state.recordfile import HEADLINE, RecordFile, StateWriteError, read_records
from wavetank.simulation.served.state.records import Actors, make_again
from wavetank.simulation.served.state.statefolder import KeptState, StateFolder, fold

Contents = dict[str, tuple[str, int]]  # data and version, by name


class Journaled:
    """A store of config maps whose writes are journaled in a folder."""

    def __init__(self, folder: Path, least_growth: int = 1 << 20) -> None:
        folder.mkdir()
        self.folder = folder
        file = begin_file(folder / "journal-000001", 0)
        self.journal = Journal(file, least_growth=least_growth)
        self.store = Store(Clock(), JournaledHistory(100, self.journal))
        self.journal.follow(self.store, Actors())

    def write(self, name: str, data: str) -> None:
        """Writes a config map, one second later than the last."""
        self.store.clock.run(self.store.clock.now + SECOND)
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"d": data}}
        present = self.store.find("ConfigMap", "default", name)
        if present is None:
            self.store.create(Resource(manifest))
        else:
            new = present.copy()
            new.manifest = manifest
            self.store.update(new)

    def remove(self, name: str) -> None:
        self.store.delete(self.store.get("ConfigMap", "default", name))

    @property
    def contents(self) -> Contents:
        return {each.name: (each.manifest["data"]["d"], each.resource_version) for each in self.store.list("ConfigMap")}

    @property
    def file(self) -> Path:
        (path,) = (path for path in self.folder.glob("journal-*") if path.suffix != ".part")
        return path


def contents(kept: KeptState | None) -> Contents:
    if kept is None:
        return {}
    store = Store(Clock())
    made = [make_again(each, store.specs) for each in kept.objects]
    return {each.name: (each.manifest["data"]["d"], each.resource_version) for each in made}


@pytest.fixture
def states(tmp_path: Path) -> list[tuple[int, Contents, int]]:
    """Writes a small journal, and returns its length, the contents and the time after each commit."""
    journaled = Journaled(tmp_path / "state")
    found = [(journaled.file.stat().st_size, journaled.contents, 0)]
    steps = [[("a", "1")], [("b", "1"), ("a", "2")], [("b", "")], [("c", "1"), ("b", "3")], [("a", "")]]
    for step in steps:
        for name, data in step:
            journaled.write(name, data) if data else journaled.remove(name)
        journaled.journal.commit()
        found.append((journaled.file.stat().st_size, journaled.contents, journaled.store.clock.now))
    journaled.journal.close()
    return found


def test_a_journal_that_is_cut_at_any_byte_holds_all_commits_before(
    tmp_path: Path, states: list[tuple[int, Contents, int]]
) -> None:
    data = (tmp_path / "state" / "journal-000001").read_bytes()
    cut = tmp_path / "cut"
    for length in range(states[0][0], len(data) + 1):
        cut.write_bytes(data[:length])
        end, expected, now = max((state for state in states if state[0] <= length), key=lambda state: state[0])
        records = read_records(cut)
        kept = fold(records.payloads, "")
        assert (records.end, records.torn) == (end, length - end)
        assert contents(kept) == expected
        assert kept is None or kept.now == now


def test_a_server_that_finds_an_unfinished_write_goes_on_after_the_last_whole_one(
    tmp_path: Path, states: list[tuple[int, Contents, int]]
) -> None:
    file = tmp_path / "state" / "journal-000001"
    os.truncate(file, states[3][0] + 20)
    opened = StateFolder(tmp_path / "state")
    assert (contents(opened.kept), opened.torn) == (states[3][1], 20)
    store = Store(Clock(), JournaledHistory(100, opened.journal))
    opened.journal.follow(store, Actors())
    store.create(Resource({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "z"}, "data": {"d": "9"}}))
    opened.close()
    again = StateFolder(tmp_path / "state")
    again.journal.follow(store, Actors())
    assert contents(again.kept) == {**states[3][1], "z": ("9", 1)}
    again.close()


def test_a_changed_byte_is_never_taken_for_a_write(tmp_path: Path, states: list[tuple[int, Contents, int]]) -> None:
    data = (tmp_path / "state" / "journal-000001").read_bytes()
    changed = tmp_path / "changed"
    last = states[-2][0]
    for at in range(len(data)):
        changed.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        if at >= last + 12:  # in the last record, which may be an unfinished one
            assert contents(fold(read_records(changed).payloads, "")) == states[-2][1]
        else:
            with pytest.raises(InputError):
                read_records(changed)


def test_the_end_of_a_file_that_lost_power_may_be_empty(
    tmp_path: Path, states: list[tuple[int, Contents, int]]
) -> None:
    file = tmp_path / "state" / "journal-000001"
    with file.open("ab") as end:
        end.write(bytes(4096))
    assert contents(fold(read_records(file).payloads, "")) == states[-1][1]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(
            b"wavetank state 7\n", "has format 7; this version of wavetank reads format 1", id="a later format"
        ),
        pytest.param(b"PK\x03\x04", "is no state of wavetank", id="another file"),
        pytest.param(HEADLINE[:5], "is no state of wavetank", id="a cut headline"),
        pytest.param(HEADLINE, "ends before the objects that it begins with are complete", id="no snapshot"),
    ],
)
def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    (tmp_path / "journal-000001").write_bytes(data)
    with pytest.raises(InputError, match=problem):
        StateFolder(tmp_path)
    (tmp_path / "journal-000001").unlink()
    opened = StateFolder(tmp_path)  # and it is not locked
    opened.journal.follow(Store(Clock()), Actors())
    opened.close()


def snapshots(journaled: Journaled) -> Iterator[KeptState | None]:
    """Yields what a new server would find now."""
    copied = journaled.folder.with_name("copied")
    shutil.copytree(journaled.folder, copied)
    opened = StateFolder(copied)
    opened.journal.follow(Store(Clock()), Actors())
    kept = opened.kept
    assert not list(copied.glob("*.part"))
    opened.close()
    shutil.rmtree(copied)
    yield kept


def test_nothing_is_lost_while_a_file_is_written_anew(tmp_path: Path) -> None:
    journaled = Journaled(tmp_path / "state", least_growth=40_000)
    largest = 0
    for number in range(600):
        journaled.write(f"c-{number % 120}", str(number))
        if number % 7 == 0:
            journaled.remove(f"c-{number % 120}")
        journaled.journal.commit()
        largest = max(largest, journaled.file.stat().st_size)
        for kept in snapshots(journaled) if number % 5 == 0 else ():
            assert contents(kept) == journaled.contents
            assert kept is not None
            assert (kept.version, kept.now) == (journaled.store.version, journaled.store.clock.now)
    assert journaled.file.name > "journal-000002"
    assert largest < 150_000
    journaled.journal.close()


def test_a_file_is_written_anew_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.simulation.served.state.journal._SLICE_S", 0.0)
    monkeypatch.setattr("wavetank.simulation.served.state.journal._PIECE", 2000)
    journaled = Journaled(tmp_path / "state", least_growth=100_000)
    for number in range(30):
        journaled.write(f"c-{number}", "x" * 10_000)
    journaled.journal.commit()
    begun, commits = journaled.file, 1
    while journaled.file == begun:
        journaled.write(f"c-{commits % 30}", str(commits))
        journaled.journal.commit()
        commits += 1
    assert commits > 30
    for kept in snapshots(journaled):
        assert contents(kept) == journaled.contents
    journaled.journal.close()


def test_the_time_is_kept_while_a_file_is_written_anew(tmp_path: Path) -> None:
    journaled = Journaled(tmp_path / "state", least_growth=1)
    for number in range(120):
        journaled.write(f"c-{number}", "")
    for _ in range(8):
        journaled.journal.commit()
        journaled.store.clock.run(journaled.store.clock.now + 1)
        journaled.journal.commit()  # too early for a record of its own
        journaled.journal.commit(with_time=True)
        for kept in snapshots(journaled):
            assert kept is not None
            assert kept.now == journaled.store.clock.now
    journaled.journal.close()


def test_a_full_disk_is_an_error_and_not_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = RecordFile(tmp_path / "f", 0)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wavetank.simulation.served.state.recordfile.os.write", full)
    with pytest.raises(StateWriteError, match="No space left on device"):
        file.append(b"abc")
    file.close()


def test_an_object_that_cannot_be_kept_is_an_error_and_not_an_answer(tmp_path: Path) -> None:
    journaled = Journaled(tmp_path / "state")
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"d": object()}}
    journaled.store.create(Resource(manifest))
    with pytest.raises(StateWriteError, match="an object cannot be kept"):
        journaled.journal.commit()
    journaled.journal.close()


def test_a_folder_belongs_to_one_process_until_that_ends(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from wavetank.simulation.served.state.statefolder import StateFolder\n"
        f"kept = StateFolder(Path({str(tmp_path)!r})); print('open', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(InputError, match=f"is used by another server .process {process.pid}, since 2"):
            StateFolder(tmp_path)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    opened = StateFolder(tmp_path)
    opened.journal.follow(Store(Clock()), Actors())
    opened.close()
