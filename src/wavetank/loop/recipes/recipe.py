from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


def _as_they_are(documents: Sequence[Document], configuration: Mapping[str, Any]) -> list[Document]:
    return list(documents)


@dataclass(frozen=True)
class Completed:
    """A module that lacks something in the version that Go's proxy has: a copy of it, with more files.

    They are the sources of that name in wavetank's `gosources`, and belong into its `folder`.
    """

    module: str
    version: str
    sources: str
    folder: str

    @property
    def place(self) -> str:
        """Returns the folder of the copy, beside go.mod."""
        return self.module.replace("/", "-")


@dataclass(frozen=True)
class Recipe:
    """What is known of a program: how it is built, and how it is started in the loop.

    A program with a `module` is built from Go's module proxy: its main package is `package`, or the sources of that
    name in wavetank's `gosources` if it has none of its own that fits. `linked` is the variable that holds its version.
    `replaced` are lines of go.mod's replace block, `completed` is a module that needs more files. `manifests` are
    patterns of files in the module, whose objects the program needs in its cluster; `adapt` completes them for a
    configuration.

    `flags` and `environment` are those for a single instance without rate limits. With `configure` the program has a
    flag --config; it completes a user's document. `services` maps Services of its webhooks to the ports on which it
    listens. `has_flag`: the kubeconfig is given by the flag --kubeconfig, otherwise by the environment only. `replaces`
    are built-in controllers that are off beside it.
    """

    module: str = ""
    version: str = ""  # one that was tried
    package: str = ""
    sources: str = ""
    linked: str = ""
    replaced: tuple[str, ...] = ()
    completed: Completed | None = None
    manifests: tuple[str, ...] = ()
    adapt: Callable[[Sequence[Document], Mapping[str, Any]], list[Document]] = _as_they_are
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    configure: Callable[[Mapping[str, Any]], Document] | None = None
    services: Mapping[str, int] = field(default_factory=dict)
    has_flag: bool = True
    replaces: frozenset[str] = frozenset()
