"""The Kubernetes releases that wavetank knows. CONTRIBUTING.md says how to add one."""

from __future__ import annotations

import re
from dataclasses import dataclass

Version = tuple[int, int]  # a minor release, such as (1, 36)


@dataclass(frozen=True, slots=True)
class Release:
    """A minor release of Kubernetes 1 to behave like.

    `patch` is the patch release that wavetank was compared with, and `go` the Go that it is built with; without a
    patch release only the scheduler's plugins, defaults and changes are known.
    """

    minor: int
    patch: int | None = None
    go: str = ""

    @property
    def version(self) -> Version:
        """Returns (1, minor)."""
        return 1, self.minor

    @property
    def name(self) -> str:
        """Returns the name of the minor release, such as 1.36."""
        return version_name(self.version)

    @property
    def number(self) -> str:
        """Returns the number of the patch release, such as 1.36.4."""
        assert self.patch is not None, f"no patch release of {self.name} is known"
        return f"{self.name}.{self.patch}"

    @property
    def tag(self) -> str:
        """Returns what the patch release is called by its programs and by Git, such as v1.36.4."""
        return f"v{self.number}"

    @property
    def modules(self) -> str:
        """Returns the version of the patch release's Go modules (k8s.io/api and others), such as v0.36.4."""
        return f"v0.{self.minor}.{self.patch}"


def version_name(version: Version) -> str:
    """Returns the name of a minor release, such as 1.36."""
    return f"{version[0]}.{version[1]}"


RELEASES = (
    *(Release(minor) for minor in range(19, 34)),
    Release(34, patch=10),
    Release(35, patch=8, go="1.26.10"),
    Release(36, patch=4),
)
OLDEST: Version = RELEASES[0].version
NEWEST: Version = RELEASES[-1].version

# The release that `wavetank serve` and the simulated kubelets are of: the one that apiserver/kinds and the other
# generated data were generated from.
SERVED: Release = next(release for release in RELEASES if release.minor == 35)


def read_version(text: str) -> Version | None:
    """Reads the minor release of texts such as 1.36, v1.36.4 and v1.36.4-rc.1; None if it is no release."""
    found = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.\d+(?:[-+].+)?)?", text)
    return (int(found[1]), int(found[2])) if found else None
