"""The exceptions of the package."""

from __future__ import annotations


class WavetankError(Exception):
    """The base class of all errors that wavetank raises on purpose; `exit_status` is what the command ends with."""

    exit_status = 2


class InputError(WavetankError):
    """Something in a file, a flag or an argument cannot be used.

    `path` is the place inside the input (`spec.schedulers[1].config`), `source` the file or flag it came from.
    Both are prefixed to the message, so that one line says where to look and what was expected.
    """

    def __init__(self, message: str, *, path: str = "", source: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.source = source

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.path, self.message) if part)

    def inside(self, *, path: str = "", source: str = "") -> InputError:
        """Returns the same error seen from further out: `path` and `source` of the enclosing document go in front."""
        if source and source == self.source and not path:
            return self
        joined = _join(path, self.path) if not self.source else path
        inner = InputError(self.message, path=self.path, source=self.source) if self.source else None
        return InputError(str(inner) if inner else self.message, path=joined, source=source or "")

    def __reduce__(self) -> tuple[object, ...]:  # keyword arguments do not survive pickling by themselves
        return (_rebuild_input_error, (self.message, self.path, self.source))


class SchedulerError(WavetankError):
    """A scheduler attached to the simulation failed; the message names it."""

    exit_status = 3


class StandstillError(SchedulerError):
    """The clock of a run stands still while its actors go on; the message names them."""


def _join(outer: str, inner: str) -> str:
    if not outer or not inner:
        return outer or inner
    if outer.startswith("document "):  # a place in a file of several documents, not a field
        return f"{outer}: {inner}"
    return f"{outer}{inner}" if inner.startswith("[") else f"{outer}.{inner}"


def _rebuild_input_error(message: str, path: str, source: str) -> InputError:
    return InputError(message, path=path, source=source)
