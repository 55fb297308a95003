"""Chooses devices for claims: first fit, with backtracking over all claims of a pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wavetank.cel.values import EvaluationError
from wavetank.cluster.objects.dra import ALL, Allocation, Device, DeviceId, DeviceRequest, MatchAttribute, ResourceClaim
from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.devices import Devices
from wavetank.scheduling.framework.plugin import PluginError
from wavetank.scheduling.plugins.dynamicresources.pools import Pool, node_selector, pools_on

if TYPE_CHECKING:
    from wavetank.cluster.fields.deviceselectors import DeviceSelector

MAX_DEVICES = 32  # that one claim can get


class _Key(NamedTuple):
    """Which alternative of which request of which claim."""

    claim: int
    request: int
    alternative: int = 0


class _Wanted(NamedTuple):
    """A request with how many devices it needs; for "all", which these are."""

    request: DeviceRequest
    base_name: str
    amount: int
    all_devices: Sequence[Device]


class _Match:
    """A matchAttribute constraint, with the value that the devices chosen so far share."""

    def __init__(self, constraint: MatchAttribute) -> None:
        self._constraint = constraint
        self._value: tuple[str, Any] | None = None
        self._devices = 0

    def add(self, wanted: _Wanted, device: Device) -> bool:
        """Adds a device; returns False if it does not have the same value as the others."""
        if not self._concerns(wanted):
            return True
        value = device.attribute(self._constraint.attribute)
        if value is None or (self._devices and value != self._value):
            return False
        self._value = value
        self._devices += 1
        return True

    def remove(self, wanted: _Wanted) -> None:
        """Removes a device."""
        self._devices -= self._concerns(wanted)

    def _concerns(self, wanted: _Wanted) -> bool:
        names = self._constraint.requests
        return not names or wanted.base_name in names or wanted.request.name in names


class Allocator:
    """Allocates the claims of one pod, on one node after the other; what is taken elsewhere is looked up once."""

    def __init__(self, devices: Devices, claims: Sequence[ResourceClaim]) -> None:
        self._devices = devices
        self._claims = claims
        self._taken = devices.allocated()

    def allocate(self, node: Node) -> list[Allocation] | None:
        """Returns an allocation for each claim, or None if they cannot all be had on the node.

        PluginError if a claim or its class is at fault, or if devices are being changed just now.
        """
        search = _Search(node, self._devices, self._claims, self._taken)
        if search.succeeds():
            return search.allocations()
        if any(pool.is_invalid for pool in search.pools):
            raise InvalidPoolsError("invalid resource pools were encountered")
        return None


class InvalidPoolsError(PluginError):
    """A pool has two devices of one name: other nodes may still do."""


class _Search:
    def __init__(
        self, node: Node, devices: Devices, claims: Sequence[ResourceClaim], taken: frozenset[DeviceId]
    ) -> None:
        self.pools = pools_on(node, devices)
        self._node = node
        self._devices = devices
        self._claims = claims
        self._taken = taken
        self._chosen: list[list[tuple[_Wanted, Device]]] = [[] for _ in claims]
        self._users: dict[DeviceId, set[int]] = {}
        self._matching: dict[tuple[_Key, DeviceId], bool] = {}
        self._constraints = [[_Match(item) for item in claim.constraints] for claim in claims]
        self._wanted = dict(self._all_wanted())
        self._matching = {}  # the validation before has used it under keys of its own

    # the requests

    def _all_wanted(self) -> Iterator[tuple[_Key, _Wanted]]:
        for i, claim in enumerate(self._claims):
            least = 0
            for j, request in enumerate(claim.requests):
                found = [self._validated(_Key(i, j, k), request.name) for k in range(len(request.alternatives))]
                yield from ((_Key(i, j, k), wanted) for k, wanted in enumerate(found))
                least += min(wanted.amount for wanted in found)
            if least > MAX_DEVICES:
                limit = f"number of requested devices {least} exceeds the claim limit of {MAX_DEVICES}"
                raise PluginError(f"claim {_name(claim)}: {limit}")

    def _validated(self, key: _Key, base_name: str) -> _Wanted:
        request = self._claims[key.claim].requests[key.request].alternatives[key.alternative]
        if request.mode != ALL:
            return _Wanted(request, base_name, request.count, ())
        # kube-scheduler looks up an alternative under the number of the one before, and so sees the first one's answers
        under = key._replace(alternative=max(0, key.alternative - 1))
        found = [
            device
            for pool in self.pools
            for device in self._devices_of(pool, key)
            if self._is_selectable(request, under, device)
        ]
        return _Wanted(request, base_name, len(found), found)

    def _devices_of(self, pool: Pool, key: _Key) -> Sequence[Device]:
        """Returns all devices of a pool for a request for all of them; the pool must be complete and valid."""
        trouble = "being updated" if pool.is_incomplete else "invalid" if pool.is_invalid else ""
        if trouble:
            claim = self._claims[key.claim]
            request = claim.requests[key.request].alternatives[key.alternative].name.rpartition("/")[2]
            what = f"asks for all devices, but resource pool {pool.driver}/{pool.name} is currently {trouble}"
            raise PluginError(f"claim {_name(claim)}, request {request}: {what}")
        return pool.devices

    def _is_selectable(self, request: DeviceRequest, key: _Key, device: Device) -> bool:
        known = self._matching.get((key, device.id))
        if known is None:
            known = self._matches(request, key, device)
            self._matching[key, device.id] = known
        return known

    def _matches(self, request: DeviceRequest, key: _Key, device: Device) -> bool:
        found = self._devices.device_class(request.class_name)
        if found is None:
            what = f"could not retrieve device class {request.class_name}"
            raise PluginError(f"claim {_name(self._claims[key.claim])}, request {request.name}: {what}")
        of_class = _all_match(found.selectors, device, f"class {found.name}")
        return of_class and _all_match(request.selectors, device, f"claim {_name(self._claims[key.claim])}")

    # the search

    def succeeds(self) -> bool:
        """Finds devices for all requests."""
        return self._request(_Key(0, 0))

    def _request(self, key: _Key) -> bool:
        """Allocates a request and all that come after it."""
        if key.claim >= len(self._claims):
            return True
        requests = self._claims[key.claim].requests
        if key.request >= len(requests):
            return self._request(_Key(key.claim + 1, 0))
        alternatives = range(len(requests[key.request].alternatives))
        return any(self._device(key._replace(alternative=i), 0) for i in alternatives)

    def _device(self, key: _Key, number: int) -> bool:
        """Allocates the device with this number of a request, and all that come after it."""
        wanted = self._wanted[key]
        if wanted.request.mode == ALL and not wanted.all_devices:
            return False
        if number >= wanted.amount:
            return self._request(_Key(key.claim, key.request + 1))
        if len(self._chosen[key.claim]) + wanted.amount - number > MAX_DEVICES:
            return False
        if wanted.request.mode == ALL:
            # kube-scheduler goes on with the first alternative, whichever it has begun with
            return self._try(key, wanted, wanted.all_devices[number], key._replace(alternative=0), number)
        pools = (pool for pool in self.pools if not pool.is_incomplete and not pool.is_invalid)
        return any(
            self._is_selectable(wanted.request, key, device) and self._try(key, wanted, device, key, number)
            for pool in pools
            for device in pool.devices
            if not self._is_in_use(wanted.request, key, device)
        )

    def _try(self, key: _Key, wanted: _Wanted, device: Device, following: _Key, number: int) -> bool:
        if self._is_in_use(wanted.request, key, device) or not self._fits_constraints(key, wanted, device):
            return False
        self._chosen[key.claim].append((wanted, device))
        self._users.setdefault(device.id, set()).add(key.claim)
        if self._device(following, number + 1):
            return True
        self._chosen[key.claim].pop()
        self._users[device.id].discard(key.claim)
        for constraint in self._constraints[key.claim]:
            constraint.remove(wanted)
        return False

    def _is_in_use(self, request: DeviceRequest, key: _Key, device: Device) -> bool:
        users = self._users.get(device.id, ())
        return key.claim in users if request.admin_access else device.id in self._taken or bool(users)

    def _fits_constraints(self, key: _Key, wanted: _Wanted, device: Device) -> bool:
        constraints = self._constraints[key.claim]
        for i, constraint in enumerate(constraints):
            if not constraint.add(wanted, device):
                for added in constraints[:i]:
                    added.remove(wanted)
                if wanted.request.mode == ALL:
                    what = f"cannot add device {'/'.join(device.id)} because a claim constraint would not be satisfied"
                    request = wanted.request.name.rpartition("/")[2]
                    raise PluginError(f"claim {_name(self._claims[key.claim])}, request {request}: {what}")
                return False
        return True

    def allocations(self) -> list[Allocation]:
        """Returns what was found, for each claim."""
        found = []
        for chosen in self._chosen:
            results = [_result(wanted.request, device.id) for wanted, device in chosen]
            selector = node_selector(self._node, self._devices, [device.id for _, device in chosen])
            manifest: dict[str, Any] = {"devices": {"results": results}}
            found.append(Allocation({**manifest, "nodeSelector": selector} if selector else manifest))
        return found


def _result(request: DeviceRequest, device: DeviceId) -> dict[str, Any]:
    result: dict[str, Any] = {"request": request.name, **device._asdict()}
    return {**result, "adminAccess": True} if request.admin_access else result


def _all_match(selectors: Sequence[DeviceSelector], device: Device, owner: str) -> bool:
    for i, selector in enumerate(selectors):
        try:
            if not device.matches(selector):
                return False
        except EvaluationError as error:
            raise PluginError(f"{owner}: selector #{i}: CEL runtime error: {error}") from None
    return True


def _name(claim: ResourceClaim) -> str:
    return f"{claim.namespace}/{claim.name}"
