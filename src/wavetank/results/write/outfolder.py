"""The folder of results: written completely, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, ENOTDIR
from os import W_OK, access, strerror
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from wavetank.errors import InputError
from wavetank.files import locked, remove_unlocked
from wavetank.results import layout
from wavetank.results.facts import ExperimentFacts, read_facts

_PREFIX = ".wavetank-"
_LOCK = "lock"


def remove_leftovers(folder: Path) -> None:
    """Removes unfinished results of runs that were killed: no process holds their lock any more."""
    for left in folder.glob(f"{_PREFIX}*"):
        remove_unlocked(left, _LOCK)


def check_out(out: Path) -> None:
    """Raises InputError if `out` cannot be written, or has other contents: only earlier results are replaced."""
    try:
        if out.exists() and not out.is_dir():
            raise InputError("is a file: expected a folder for the results", source=str(out))
        if out.resolve() in (Path.cwd(), *Path.cwd().parents):
            raise InputError("is the working folder, or contains it: choose another for the results", source=str(out))
        parent = next(each for each in out.resolve().parents if each.exists())
        if not parent.is_dir():
            raise NotADirectoryError(ENOTDIR, strerror(ENOTDIR))
        if not access(parent, W_OK):
            raise PermissionError(EACCES, strerror(EACCES))
        foreign = _foreign(out) if out.is_dir() else []
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise _unwritable(out, error) from None
    if foreign:
        problem = f"is a folder with something else in it ({foreign[0]}): choose another for the results"
        raise InputError(problem, source=str(out))


def holds_results(out: Path) -> bool:
    """Tells whether there are results of an earlier experiment in a folder."""
    return bool(_schedulers_of(out))


@contextmanager
def written_whole(out: Path) -> Iterator[Path]:
    """Yields a temporary folder that replaces `out` at the end; after an error everything is as before."""
    target = out.resolve()
    made = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _beside(target) as (new, old):
            yield new
            _replace(target, new, old)
    except BaseException as error:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _unwritable(out, error) from error
        raise


@contextmanager
def _beside(target: Path) -> Iterator[tuple[Path, Path]]:
    """Yields a new folder, and a path for the old one, on the same file system as `target`."""
    remove_leftovers(target.parent)
    both = Path(mkdtemp(prefix=_PREFIX, dir=target.parent))
    try:
        with locked(both / _LOCK):
            (both / "new").mkdir()
            yield both / "new", both / "old"
    finally:
        rmtree(both, ignore_errors=True)


def _replace(target: Path, new: Path, old: Path) -> None:
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


def _foreign(out: Path) -> list[str]:
    """Returns the names in a folder that are not results of wavetank."""
    ours = _schedulers_of(out)
    if ours:
        ours |= layout.EXPERIMENT_FILES
    return sorted(path.name for path in out.iterdir() if path.name not in ours)


def _schedulers_of(out: Path) -> set[str]:
    """Returns the schedulers of earlier results; none if experiment.json is not one of ours."""
    try:
        facts = read_facts(out / layout.EXPERIMENT, ExperimentFacts)
    except InputError:
        return set()
    return {scheduler.name for scheduler in facts.schedulers}


def _unwritable(out: Path, error: Exception) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    return InputError(f"cannot be written: {reason or error}", source=str(out))
