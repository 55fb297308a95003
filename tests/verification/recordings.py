"""Recordings as small as a test needs them: nodes of 4 CPUs and 8Gi, pods of 1 CPU and 1Gi."""

from __future__ import annotations

import gzip
import json

import msgspec

from wavetank.verification import Recording

# what NodeResourcesFit and NodeResourcesBalancedAllocation give to a node that would then hold so many such pods
FIT = {1: 81, 2: 62, 3: 43}
BALANCED = {1: 93, 2: 87, 3: 81}


def scored(pod, held, chosen, **changes):
    """An attempt that scored nodes: `held` gives for each, in order, how many pods it would then hold."""
    scores = {
        "TaintToleration": dict.fromkeys(held, 300),
        "NodeResourcesFit": {node: FIT[pods] for node, pods in held.items()},
        "NodeResourcesBalancedAllocation": {node: BALANCED[pods] for node, pods in held.items()},
        "ImageLocality": dict.fromkeys(held, 0),
        "DynamicResources": dict.fromkeys(held, 0),
    }
    total = {node: sum(of_plugin[node] for of_plugin in scores.values()) for node in held}
    best = sorted(node for node in held if total[node] == max(total.values()))
    found = {"feasible": sorted(held), "scores": scores, "total": total, "candidates": best, "scoring_skipped": None}
    return _attempt(pod, chosen=chosen, **found, **changes)


def single(pod, chosen, **changes):
    """An attempt that found one node."""
    return _attempt(pod, **{"chosen": chosen, "feasible": [chosen], "candidates": [chosen], **changes})


def failed(pod, message, reasons, **changes):
    """An attempt that found none."""
    found = {"feasible": [], "candidates": [], "scoring_skipped": "no_feasible", "chosen": None}
    return _attempt(pod, **{**found, "message": message, "reasons": reasons, **changes})


def _attempt(pod, **fields):
    nothing = {"scores": {}, "total": {}, "message": None, "nominated": None, "victims": []}
    return {"pod": f"default/{pod}", "seq": 0, "scoring_skipped": "single_feasible", **nothing, **fields}


def created(pod, *attempts, outcome="bound", **fields):
    """A step that creates a pod, and its result."""
    key = f"default/{pod['metadata']['name']}"
    result = {"pod": key, "outcome": outcome, "attempts": list(attempts), "stored": pod, **fields}
    return {"op": "create", "pod": pod}, result


def done(op, name="", *attempts, outcome="applied", **fields):
    """Any other step, and its result; `name` is of a node or a pod."""
    key = f"node:{name}" if op.startswith("node_") else f"default/{name}"
    return {"op": op, "name": name, **fields}, {"pod": key, "outcome": outcome, "attempts": list(attempts)}


def a_document(nodes, *played, existing=(), **fields):
    """A recording as it stands in a file."""
    for seq, attempt in enumerate(attempt for _, result in played for attempt in result["attempts"]):
        attempt["seq"] = attempt["seq"] or seq
    return {
        "family": "small",
        "name": "small-000",
        "kube_scheduler": "v1.35.8",
        "config": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"},
        "nodes": nodes,
        "existing": list(existing),
        "existing_stored": [{key: pod[key] for key in ("metadata", "spec")} for pod in existing],
        "steps": [step for step, _ in played],
        "results": [result for _, result in played],
        "options": {},
        **fields,
    }


def a_recording(*args, **fields):
    return msgspec.convert(a_document(*args, **fields), Recording)


def write(document, folder, name="small-000.json.gz"):
    path = folder / name
    path.write_bytes(gzip.compress(json.dumps(document).encode()))
    return path
