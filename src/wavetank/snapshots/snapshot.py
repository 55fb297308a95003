from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.files import replacing
from wavetank.kernel.garbage import rare_collections
from wavetank.snapshots.kinds import SNAPSHOT_KINDS
from wavetank.snapshots.owners import with_owners
from wavetank.snapshots.pruning import pruned
from wavetank.snapshots.pseudonyms import Pseudonyms, anonymized
from wavetank.words import counted
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.open import open_cluster

_SUFFIXES = (".yaml", ".yml", ".json", ".gz")
_FIXED_KINDS = ("StatefulSet", "DaemonSet")


@dataclass(frozen=True)
class Snapshot:
    """A cluster at one moment: its objects, with the controllers of its pods; `notes` say what was assumed."""

    cluster: Cluster
    notes: list[str] = field(default_factory=list)

    @property
    def manifests(self) -> Sequence[Manifest]:
        """Returns all objects."""
        return self.cluster.manifests

    @property
    def description(self) -> str:
        """Says what it holds: 3 nodes, 27 pods, 4 controllers."""
        counts = Counter(str(manifest.get("kind")) for manifest in self.manifests)
        owners = sum(counts[kind] for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"))
        parts = ((counts["Node"], "node"), (counts["Pod"], "pod"), (owners, "controller"))
        return ", ".join(counted(number, noun) for number, noun in parts)


def is_snapshot(path: Path) -> bool:
    """Tells whether a path looks like a snapshot: a file, its name, or a folder of such files."""
    if path.is_dir():
        return any(each.suffix in _SUFFIXES for each in path.iterdir())
    return path.is_file() or path.suffix in _SUFFIXES


def open_snapshot(paths: Sequence[Path]) -> Snapshot:
    """Reads a snapshot from files of Kubernetes objects, or folders of such files.

    Controllers that only the pods' ownerReferences name are inferred. InputError if something cannot be read.
    """
    with rare_collections():  # a large snapshot makes millions of objects, none of them garbage
        cluster = open_cluster([file for path in paths for file in _files(path)])
        return make_snapshot(cluster.manifests, cluster.sources)


def make_snapshot(manifests: Sequence[Manifest], sources: Sequence[str] = ()) -> Snapshot:
    """Makes a snapshot of objects: missing controllers are inferred, and no rollout goes on."""
    owners = with_owners(manifests)
    cluster = Cluster([_fixed(each) for each in owners.manifests], tuple(sources))
    return Snapshot(cluster, [*owners.notes, *_missing_nodes(cluster)])


def snapshot_of(store: Store, sources: Sequence[str] = ()) -> Snapshot:
    """Makes a snapshot of a simulated cluster, with what a snapshot file holds."""
    found = (resource for kind in SNAPSHOT_KINDS for resource in store.list(kind))
    ended = ("Succeeded", "Failed")
    rendered = [made for each in found if (made := each.render()).get("status", {}).get("phase") not in ended]
    return reduced(make_snapshot(rendered, sources))


def reduced(snapshot: Snapshot, anonymize: bool = False) -> Snapshot:
    """Returns what a snapshot file holds: what scheduling reads, and pseudonyms in place of names if asked for."""
    kept = [made for manifest in snapshot.manifests if (made := pruned(manifest)) is not None]
    if anonymize:
        pseudonyms = Pseudonyms(_secret_of(snapshot.manifests))
        kept = [anonymized(manifest, pseudonyms) for manifest in kept]
    return Snapshot(Cluster(kept, snapshot.cluster.sources), snapshot.notes)


def write_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Writes a snapshot as a List of objects, one per line, gzipped if the name ends with .gz.

    JSON is YAML too, and read a hundred times as fast. The same objects give the same bytes.
    """
    items = b",\n".join(msgspec.json.encode(manifest) for manifest in snapshot.manifests)
    text = b'{"apiVersion":"v1","kind":"List","items":[\n' + items + b"\n]}\n"
    with replacing(path) as unfinished:
        unfinished.write_bytes(gzip.compress(text, 6, mtime=0) if path.suffix == ".gz" else text)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES)
    if not found:
        raise InputError("a folder without files of Kubernetes objects", source=str(path))
    return found


def _fixed(manifest: Manifest) -> Manifest:
    """Keeps a controller from replacing pods because the snapshot lacks the revision that they were made from."""
    if manifest.get("kind") not in _FIXED_KINDS:
        return manifest
    return {**manifest, "spec": {**(manifest.get("spec") or {}), "updateStrategy": {"type": "OnDelete"}}}


def _missing_nodes(cluster: Cluster) -> list[str]:
    """Says how many pods are on nodes that the snapshot lacks."""
    nodes = {"", *cluster.node_names}
    pods = (manifest for manifest in cluster.manifests if manifest.get("kind") == "Pod")
    number = sum(str((pod.get("spec") or {}).get("nodeName") or "") not in nodes for pod in pods)
    return [f"{counted(number, 'pod')} on nodes that the snapshot does not have"] if number else []


def _secret_of(manifests: Sequence[Manifest]) -> str:
    """Returns the key of the pseudonyms: the uid of kube-system, which is secret outside the cluster; "" without it."""
    return next(
        (
            str(each["metadata"].get("uid") or "")
            for each in manifests
            if each.get("kind") == "Namespace" and each["metadata"].get("name") == "kube-system"
        ),
        "",
    )
