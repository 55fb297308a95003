"""Takes a snapshot of a cluster through its API server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavetank.batchoperator.client.remote.connection import Connection, RefusedError, UnreachableError
from wavetank.batchoperator.client.remote.kubeconfig import read_server
from wavetank.batchoperator.client.remote.paths import ServedKind
from wavetank.cluster.store.errors import ApiError, NotFoundError
from wavetank.errors import InputError
from wavetank.snapshots.kinds import SNAPSHOT_KINDS
from wavetank.snapshots.snapshot import Snapshot, make_snapshot

_PAGE = 500  # objects of an answer


def take_snapshot(kubeconfig: Path, context: str | None = None) -> Snapshot:
    """Reads all kinds of a snapshot from the API server of a kubeconfig.

    A kind that the server does not have, or does not let us list, is left out with a note. InputError if the server
    does not answer, or refuses nodes or pods.
    """
    connection = Connection(read_server(kubeconfig, context))
    manifests: list[dict[str, Any]] = []
    notes: list[str] = []
    try:
        for kind, served in SNAPSHOT_KINDS.items():
            try:
                manifests += _listed(connection, kind.partition(".")[0], served)
            except NotFoundError:
                notes.append(f"the server has no {served.plural}")
            except RefusedError as error:
                if served.plural in ("nodes", "pods"):
                    raise
                notes.append(f"without {served.plural}: {error}")
    except (UnreachableError, ApiError) as error:
        raise InputError(str(error), source=str(kubeconfig)) from None
    finally:
        connection.close()
    made = make_snapshot(manifests)
    return Snapshot(made.cluster, [*notes, *made.notes])


def _listed(connection: Connection, kind: str, served: ServedKind) -> Iterator[dict[str, Any]]:
    """Yields the objects of a kind, page by page; lists leave apiVersion and kind out of their items."""
    token = ""
    while True:
        query = f"?limit={_PAGE}" + (f"&continue={token}" if token else "")
        answer = connection.request("GET", served.collection() + query)
        for item in answer.get("items") or ():
            yield {**item, "apiVersion": served.api_version, "kind": kind}
        token = (answer.get("metadata") or {}).get("continue") or ""
        if not token:
            return
