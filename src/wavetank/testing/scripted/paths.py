from __future__ import annotations

from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.errors import InputError


def path_of(kind: Kind, namespace: str, name: str = "", subresource: str = "") -> str:
    """Returns the path of an object, of a part of it, or of all objects of a kind in a namespace ("": in all)."""
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.api_version}"
    within = f"/namespaces/{namespace}" if kind.namespaced and namespace else ""
    parts = [part for part in (name, subresource) if part]
    return "/".join([f"{root}{within}/{kind.plural}", *parts])


def find_kind(kinds: KindTable, name: str) -> Kind:
    """Returns a kind by its name, plural, singular or short name, with or without a group: pods, deploy, jobs.batch.

    Of several versions the preferred one; InputError if there is none.
    """
    wanted = name.lower()
    for kind in kinds:
        names = {kind.kind.lower(), kind.plural, kind.singular, *kind.short_names}
        if wanted in names or (kind.group and wanted in {f"{each}.{kind.group}" for each in names}):
            return kind
    raise InputError(f"the cluster serves no kind {name!r}")
