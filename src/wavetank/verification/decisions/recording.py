"""Recorded cycles of the real kube-scheduler, as they are in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.manifests import read_text
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.releases import SERVED, Version, read_version
from wavetank.errors import InputError
from wavetank.verification.microservices.recording import find_cases, read_case
from wavetank.words import did_you_mean

SUFFIX = ".json.gz"


class Preempting(msgspec.Struct, frozen=True):
    """A preemption's dry run: the nodes tried, and the victims on each feasible one."""

    potential_nodes: list[str]
    dry_run: dict[str, list[str]]


class ExtenderCall(msgspec.Struct, frozen=True):
    """A call to an extender and its answer; without an answer `status` is None and `failure` says why."""

    extender: str
    verb: str
    request: dict[str, Any]
    status: int | None
    response: Any = None
    failure: str | None = None

    @property
    def nodes(self) -> list[str]:
        """Returns the names of the nodes in the request, in their order."""
        items = (self.request.get("Nodes") or {}).get("items") or ()
        return self.request.get("NodeNames") or [item["metadata"]["name"] for item in items]


class Attempt(msgspec.Struct, frozen=True):
    """One scheduling cycle and its results in node names; scores are normalised and weighted.

    `scoring_skipped` says why nothing was scored: single_feasible, hint, no_score_plugins, no_feasible.
    `reserved` is the node that had been chosen when the attempt failed afterwards.
    """

    pod: str
    seq: int
    feasible: list[str]
    scores: dict[str, dict[str, int]]
    total: dict[str, int]
    candidates: list[str]
    chosen: str | None
    scoring_skipped: str | None
    message: str | None
    nominated: str | None
    victims: list[str]
    order: list[str] = []
    during_step: int | None = None
    evaluated_nodes: int | None = None
    reasons: dict[str, int] = {}
    prefilter_message: str | None = None
    preemption: Preempting | None = None
    deleted_victims: list[str] | None = None
    reserved: str | None = None
    error: bool = False
    tie_random: bool = False
    message_random: bool = False
    pv_matches: dict[str, dict[str, str]] = {}
    pv_bindings: dict[str, str] = {}
    provision: dict[str, str] = {}
    prebind_error: str | None = None
    hint: str | None = None
    not_eligible: str | None = None
    extender_calls: list[ExtenderCall] = []

    @property
    def held(self) -> list[str]:
        """Returns the scored nodes in the scheduler's order, which is also that of its log."""
        return self.order or list(self.total)

    @property
    def searched(self) -> list[str]:
        """Returns the nodes that passed the filters in the order of the search, as far as it is known."""
        return max([self.held, *(call.nodes for call in self.extender_calls)], key=len)

    @property
    def taken(self) -> str | None:
        """Returns the node that the cycle picked, also if binding failed later."""
        return self.chosen or self.reserved

    @property
    def outcome(self) -> str:
        """Returns the attempt's outcome, in the terms of Result.outcome."""
        if self.error:
            return "error"
        if self.chosen:
            return "bound"
        return "nominated" if self.nominated else "unschedulable"


class Step(msgspec.Struct, frozen=True):
    """One change of the cluster; its fields depend on `op`."""

    op: str
    pod: dict[str, Any] | None = None
    namespace: str | None = None
    name: str | None = None
    node: dict[str, Any] | None = None
    patch: dict[str, Any] | None = None
    resource: str | None = None
    pv: dict[str, Any] | None = None
    ephemeral: str | None = None


class Result(msgspec.Struct, frozen=True):
    """The result of a step; `stored` is the pod as the scheduler saw it, `allocations` those of its claims."""

    pod: str
    outcome: str
    attempts: list[Attempt]
    stored: dict[str, Any] | None = None
    start_time: str | None = None
    removed_after: bool = False
    allocations: dict[str, dict[str, Any]] = {}


class Provisioner(msgspec.Struct, frozen=True):
    """How volumes were provisioned: by the `topologyKey` label of nodes; some claims fail at first, some always."""

    topologyKey: str | None = None  # noqa: N815 - as the file says it
    fail_first: list[str] = []
    never: list[str] = []


class Recording(msgspec.Struct, frozen=True):
    """One scenario: a cluster, its changes step by step, and the decisions of one kube-scheduler process."""

    family: str
    name: str
    kube_scheduler: str
    config: dict[str, Any]
    nodes: list[dict[str, Any]]
    existing: list[dict[str, Any]]
    existing_stored: list[dict[str, Any]]
    steps: list[Step]
    results: list[Result]
    options: dict[str, bool]
    namespaces: list[dict[str, Any]] = []
    services: list[dict[str, Any]] = []
    replicaSets: list[dict[str, Any]] = []  # noqa: N815 - as the file says it
    pdbs: list[dict[str, Any]] = []
    storageClasses: list[dict[str, Any]] = []  # noqa: N815
    csiDrivers: list[dict[str, Any]] = []  # noqa: N815
    csiNodes: list[dict[str, Any]] = []  # noqa: N815
    csiStorageCapacities: list[dict[str, Any]] = []  # noqa: N815
    volumeAttachments: list[dict[str, Any]] = []  # noqa: N815
    persistentVolumes: list[dict[str, Any]] = []  # noqa: N815
    persistentVolumeClaims: list[dict[str, Any]] = []  # noqa: N815
    deviceClasses: list[dict[str, Any]] = []  # noqa: N815
    resourceSlices: list[dict[str, Any]] = []  # noqa: N815
    resourceClaims: list[dict[str, Any]] = []  # noqa: N815
    provisioner: Provisioner = Provisioner()
    feature_gates: dict[str, bool] = {}

    @property
    def version(self) -> Version:
        """Returns the recorded release, as (major, minor)."""
        version = read_version(self.kube_scheduler)
        if version is None:
            message = f"expected a release such as {SERVED.tag}, got {self.kube_scheduler!r}"
            raise InputError(message, path="kube_scheduler")
        return version

    def other_objects(self) -> list[Manifest]:
        """Returns the objects that a scheduler reads besides nodes and pods."""
        namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": item} for item in self.namespaces]
        storage = [*self.storageClasses, *self.csiDrivers, *self.csiNodes, *self.csiStorageCapacities]
        devices = [*self.deviceClasses, *self.resourceSlices, *self.resourceClaims]
        return [*namespaces, *self.services, *self.replicaSets, *self.pdbs, *storage, *self.volumeAttachments, *devices]

    def bound_pods(self) -> list[Manifest]:
        """Returns the pods that had a node before the scheduler started, with their status."""
        together = zip(self.existing, self.existing_stored, strict=True)
        return [{**stored, "status": submitted.get("status") or {}} for submitted, stored in together]


def find_recordings(place: Path, family: str | None = None) -> list[Path]:
    """Returns the recordings in a folder, or the one file, sorted by name; `family` keeps those of one family.

    Recordings of services are folders.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise InputError("no such folder", source=str(place))
    if cases := find_cases(place):
        return cases if family is None else [case for case in cases if read_case(case).family == family]
    found = sorted(place.glob(f"*{SUFFIX}"))
    if not found:
        raise InputError(f"no recordings here: expected files *{SUFFIX}", source=str(place))
    if family is None:
        return found
    families = {_family(path) for path in found}
    if family not in families:
        raise InputError(f"no family {family!r} here{did_you_mean(family, sorted(families))}", source=str(place))
    return [path for path in found if _family(path) == family]


def read_recording(path: Path) -> Recording:
    """Reads one file; InputError if it is invalid."""
    return parse_recording(read_text(path), path)


def parse_recording(text: str, path: Path) -> Recording:
    """Reads the text of one file."""
    try:
        recording = msgspec.json.decode(text, type=Recording)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not a recording: {error}", source=str(path)) from None
    _check_length(recording.results, recording.steps, "results", path)
    _check_length(recording.existing_stored, recording.existing, "existing_stored", path)
    return recording


def _check_length(given: Sequence[object], expected: Sequence[object], field: str, path: Path) -> None:
    if len(given) != len(expected):
        raise InputError(f"expected {len(expected)} entries, got {len(given)}", path=field, source=str(path))


def _family(path: Path) -> str:
    """Returns the family in a name such as v136-fit_least-100.json.gz, so that other files need not be opened."""
    return path.name.removesuffix(SUFFIX).rpartition("-")[0].rpartition("-")[2]
