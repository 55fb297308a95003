"""The error of a client that applies other values to fields of other managers."""

from __future__ import annotations

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.managedfields.entries import UPDATE, Entry
from wavetank.apiserver.structured.fieldsets import Path, shown
from wavetank.cel.gotext import quote


def refusal(conflicts: list[tuple[Entry, Path]]) -> StatusError:
    """Returns the 409 that lists all conflicts."""
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {_name(entry)}", "field": shown(path)}
        for entry, path in conflicts
    ]
    return StatusError(409, "Conflict", _message(conflicts), {"causes": causes})


def _message(conflicts: list[tuple[Entry, Path]]) -> str:
    if len(conflicts) == 1:
        entry, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {_name(entry)}: {shown(path)}"
    by_manager: dict[str, list[tuple[Entry, Path]]] = {}
    for entry, path in conflicts:
        by_manager.setdefault(entry.identifier, []).append((entry, path))
    lines = []
    for _, theirs in sorted(by_manager.items()):
        lines.append(f"conflicts with {_name(theirs[0][0])}:")
        lines += (f"- {shown(path)}" for _, path in theirs)
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def _name(entry: Entry) -> str:
    name = quote(entry.manager)
    if entry.subresource:
        name += f" with subresource {quote(entry.subresource)}"
    return f"{name} using {entry.api_version}" if entry.operation == UPDATE else name
