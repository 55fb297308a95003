from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from wavetank.cluster.releases import Version, read_version, version_name
from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.processes.configuration import changes, scheduler_names
from wavetank.loop.timesteps.sync import TimestepSync

PATIENCE_S = 60.0  # default limit of real time that a program may run without becoming quiet


@dataclass(frozen=True)
class ProcessDefinition:
    """A real scheduler that runs as a program in the loop.

    `file` is its executable, built with the overlay; `version` its Kubernetes release; `configuration` the user's
    KubeSchedulerConfiguration, which is completed when a run starts; `arguments` follow wavetank's own.

    A program that is not `built` by wavetank runs unmodified: `file`, or any `command`. With `sync` it is not in
    lockstep but synchronized by time steps. `listen` is the address of the API for it. A program with neither file nor
    command is started by the user and connects there.
    """

    name: str
    package: str
    version: str
    file: str
    configuration: Mapping[str, Any]
    arguments: tuple[str, ...] = ()
    patience_s: float = PATIENCE_S
    slack: Nanoseconds = 0  # its timers are due at multiples of this; 0: exactly
    built: bool = True
    command: tuple[str, ...] = ()
    sync: TimestepSync | None = None
    listen: tuple[str, int] | None = None
    manifests: tuple[Mapping[str, Any], ...] = ()  # objects that it needs in its cluster: definitions of its kinds

    @property
    def kubernetes(self) -> str:
        """Returns the release of Kubernetes whose libraries it uses; empty if that is not known."""
        return self.version

    @property
    def tells(self) -> bool:
        """Tells whether it reports every attempt at a pod, as kube-scheduler does."""
        return not self.command

    @property
    def own_timers(self) -> bool:
        """Tells whether it acts by its own timers even if no pod waits for it."""
        return False

    @property
    def exact(self) -> bool:
        """Tells whether it runs in lockstep and was built for virtual time, so that runs are exactly repeatable."""
        return self.built and self.sync is None

    @property
    def remote(self) -> bool:
        """Tells whether the user starts it."""
        return not (self.file or self.command)

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it schedules."""
        return scheduler_names(self.configuration)

    @property
    def description(self) -> str:
        """Describes it in a line, with the changes of its configuration."""
        way = "in virtual time" if self.sync is None else "in timesteps"
        if self.remote:
            return f"a program that connects to {self._address}, {way}"
        if self.command:
            return f"{' '.join(self.command)}, the unmodified program {way}"
        changed = ", ".join(changes(self.configuration))
        program = f"{self.package} {self.version}".strip()
        return f"{program}, the real program {way} ({changed})"

    @property
    def _address(self) -> str:
        return ":".join(map(str, self.listen or ()))

    def notes(self, release: Version) -> list[str]:
        """Returns notes for the user: that its runs are not repeatable, that it is of another release."""
        return [*self._repeatability(), *self._other_release(release)]

    def _repeatability(self) -> list[str]:
        if self.exact:
            return []
        why = "an unmodified program on virtual time" if self.sync is None else "a program in timesteps, by real time"
        return [f"{self.name}: not exactly repeatable: {why}"]

    def _other_release(self, release: Version) -> list[str]:
        if not self.version:
            return []
        if read_version(self.version) == release:
            return []
        return [f"{self.name}: {self.package} is {self.version}, but kubernetesVersion is {version_name(release)}"]


@dataclass(frozen=True)
class VolcanoProcess(ProcessDefinition):
    """Volcano's own scheduler as a program in the loop.

    `conf` is the text of its volcano-scheduler.conf, empty for the compiled-in one; `release` that of the Kubernetes
    libraries in it. It works in sessions, also for PodGroups that have no pods yet.
    """

    conf: str = ""
    scheduler_name: str = "volcano"
    release: str = ""
    admits_pod_groups: ClassVar[bool] = True  # before the pods of Volcano's Jobs are created

    @property
    def kubernetes(self) -> str:
        """Returns the release of Kubernetes whose libraries it uses."""
        return self.release

    @property
    def tells(self) -> bool:
        """Returns False: a session says nothing of most pods."""
        return False

    @property
    def own_timers(self) -> bool:
        """Returns True: it holds a session every second."""
        return True

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerName of the pods that it schedules."""
        return (self.scheduler_name,)

    @property
    def description(self) -> str:
        """Describes it in a line."""
        return f"Volcano {self.version}, the real program in virtual time"

    def notes(self, release: Version) -> list[str]:
        """Returns no notes: it has its own release, whatever the cluster's, and is repeatable."""
        return []


@dataclass(frozen=True)
class ControllerDefinition:
    """Any controller that was built for the loop: its executable and arguments, without those for the API's address.

    The kubeconfig is given by the environment variable KUBECONFIG, and by the flag of that name if it `has_flag`. A
    `configuration` is written to a file and given by --config. `manifests` are objects that it needs in its cluster:
    definitions of its kinds, its webhooks. `services` are the Services (NAMESPACE/NAME) whose webhooks it serves, with
    the ports on which it listens. `release` is that of Kubernetes, if its version is another. Its timers are due at
    multiples of `slack`.
    """

    name: str
    package: str
    version: str
    file: str
    arguments: tuple[str, ...] = ()
    has_flag: bool = True
    patience_s: float = PATIENCE_S
    environment: Mapping[str, str] = field(default_factory=dict)
    configuration: Mapping[str, Any] | None = None
    manifests: tuple[Mapping[str, Any], ...] = ()
    services: Mapping[str, int] = field(default_factory=dict)
    release: str = ""
    slack: Nanoseconds = 0
    replaces: frozenset[str] = frozenset()  # built-in controllers that are off beside it

    @property
    def kubernetes(self) -> str:
        """Returns the release of Kubernetes whose libraries it uses."""
        return self.release or self.version

    @property
    def description(self) -> str:
        """Describes it in a line."""
        return f"{self.package} {self.version}, the real program in virtual time"


@dataclass(frozen=True)
class ManagerDefinition:
    """A kube-controller-manager that was built for the loop: its executable, and its enabled controllers."""

    package: str
    version: str
    file: str
    controllers: Sequence[str]
    arguments: tuple[str, ...] = ()
    patience_s: float = PATIENCE_S
    slack: Nanoseconds = 0

    @property
    def description(self) -> str:
        """Describes it in a line."""
        return f"{self.package} {self.version}, the real program in virtual time ({', '.join(self.controllers)})"
