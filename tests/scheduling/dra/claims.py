"""Devices and claims as small as a test needs them."""

from __future__ import annotations

DRIVER = "gpu.example.com"


def a_device(name, *, model="a100", memory="40Gi", **attributes):
    typed = {key: {"int": value} if isinstance(value, int) else {"string": value} for key, value in attributes.items()}
    return {
        "name": name,
        "attributes": {"model": {"string": model}, **typed},
        "capacity": {"memory": {"value": memory}},
    }


def a_slice(node, *devices, count=1, generation=1, name=None):
    pool = {"name": node, "generation": generation, "resourceSliceCount": count}
    spec = {"driver": DRIVER, "nodeName": node, "pool": pool, "devices": list(devices)}
    return _object("ResourceSlice", name or f"slice-{node}", spec)


def a_class(name="gpu", *expressions):
    return _object("DeviceClass", name, {"selectors": [_cel(text) for text in expressions]})


def a_claim(name, *requests, constraints=(), allocation=None, users=(), namespace="default"):
    devices = {"requests": list(requests), "constraints": list(constraints)}
    claim = _object("ResourceClaim", name, {"devices": devices}, namespace=namespace)
    status = {"allocation": allocation, "reservedFor": [{"uid": uid} for uid in users]}
    return {**claim, "status": status} if allocation else claim


def exactly(name="r", count=1, *, of="gpu", mode="ExactCount", where=()):
    wanted = {
        "deviceClassName": of,
        "count": count,
        "allocationMode": mode,
        "selectors": [_cel(text) for text in where],
    }
    return {"name": name, "exactly": wanted}


def first_of(name, *alternatives):
    """A request with alternatives, each given as (name, count, expression)."""
    return {
        "name": name,
        "firstAvailable": [
            {"name": alternative, "deviceClassName": "gpu", "count": count, "selectors": [_cel(text)]}
            for alternative, count, text in alternatives
        ],
    }


def on(node, *devices, request="r"):
    """An allocation of devices on a node."""
    results = [{"request": request, "driver": DRIVER, "pool": node, "device": device} for device in devices]
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    return {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]}}


def wanting(*names):
    """The part of a pod's spec that names claims."""
    return {"resourceClaims": [{"name": f"c{i}", "resourceClaimName": name} for i, name in enumerate(names)]}


def model(name):
    return f'device.attributes["{DRIVER}"].model == "{name}"'


def _cel(text):
    return {"cel": {"expression": text}}


def _object(kind, name, spec, **metadata):
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}
