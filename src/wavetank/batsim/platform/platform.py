from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wavetank.batsim.platform.machine import Machine, State
from wavetank.batsim.platform.power import sleeps_of
from wavetank.batsim.platform.routes import Routes, routes_of
from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.hosts import (
    COMPUTE_NODE,
    MASTER,
    MASTER_HOST,
    ROLES,
    STORAGE,
    Host,
    hosts_of,
    parse_platform,
)
from wavetank.workloads.formats.batsim.wattage import powers_of
from wavetank.workloads.inputfile import InputFile


@dataclass(frozen=True)
class Platform:
    """Machines by their ids: first those that compute, then storages; `routes` join them if there are links."""

    machines: list[Machine]
    storages: list[Machine] = field(default_factory=list)
    routes: Routes | None = None
    states: Counter[State] = field(default_factory=Counter)  # machines in each state

    def __post_init__(self) -> None:
        for machine in self.machines:
            self.states[machine.state] += 1
            machine.counts = self.states

    def __getitem__(self, number: int) -> Machine:
        computing = len(self.machines)
        return self.machines[number] if number < computing else self.storages[number - computing]

    @property
    def size(self) -> int:
        """Returns the number of machines and storages."""
        return len(self.machines) + len(self.storages)


@dataclass(frozen=True)
class PlatformOptions:
    """How a platform is read: `roles` by the names of hosts; at most `most` machines compute (0: all)."""

    energy: bool = False
    master: str = MASTER_HOST
    roles: Mapping[str, str] = field(default_factory=dict)
    most: int = 0


DEFAULT_OPTIONS = PlatformOptions()


def read_platform(path: Path, options: PlatformOptions = DEFAULT_OPTIONS) -> Platform:
    """Reads a SimGrid platform; InputError if it has no master host, or too few others."""
    file = InputFile.read(path)
    try:
        root = parse_platform(file)
        hosts = [_with_role(host, options.roles) for host in hosts_of(root)]
        unknown = options.roles.keys() - {host.name for host in hosts}
        if unknown:
            raise InputError(f"there is no host {min(unknown)!r:.60} to give a role")
        return _platform(hosts, options, routes_of(root))
    except InputError as error:
        raise error.inside(source=file.source) from None


def parse_role(text: str) -> tuple[list[str], str]:
    """Reads `host1,host2:role`."""
    hosts, _, role = text.rpartition(":")
    if not hosts or role not in ROLES:
        raise InputError(f"expected HOST[,HOST…]:ROLE with one of {', '.join(ROLES)}, got {text!r:.60}")
    return hosts.split(","), role


def _with_role(host: Host, roles: Mapping[str, str]) -> Host:
    if host.name not in roles:
        return host
    return host._replace(properties={**host.properties, "role": roles[host.name]})


def _platform(hosts: list[Host], options: PlatformOptions, routes: Routes | None) -> Platform:
    by_role: dict[str, list[Host]] = {role: [] for role in ROLES}
    for host in hosts:
        by_role[host.role(options.master)].append(host)
    if len(by_role[MASTER]) != 1:
        names = ", ".join(host.name for host in by_role[MASTER]) or "none"
        raise InputError(f"expected one master host (a host {options.master!r}, or of role master), got {names}")
    computing = by_role[COMPUTE_NODE][: options.most or None]
    if len(computing) < max(1, options.most):
        raise InputError(f"expected at least {max(1, options.most)} compute nodes, got {len(computing)}")
    machines = [_machine(host, i, options.energy) for i, host in enumerate(computing)]
    storages = [_machine(host, len(machines) + i, False) for i, host in enumerate(by_role[STORAGE])]
    return Platform(machines, storages, routes)


def _machine(host: Host, number: int, energy: bool) -> Machine:
    try:
        if not re.fullmatch(r"[1-9]\d{0,5}", host.cores):
            raise InputError(f"expected a number of cores, got {host.cores!r:.60}", path="core")
        speeds = host.speeds()
        if not re.fullmatch(r"\d{1,4}", host.pstate) or int(host.pstate) >= len(speeds):
            raise InputError(f"expected one of {len(speeds)} power states, got {host.pstate!r:.60}", path="pstate")
    except InputError as error:
        raise error.inside(path=host.path) from None
    powers, sleeps = (powers_of(host), sleeps_of(host)) if energy else ((), {})
    machine = Machine(number, host.name, speeds, int(host.cores), powers, sleeps, int(host.pstate))
    machine.properties, machine.zone_properties = host.properties, host.zone_properties
    return machine
