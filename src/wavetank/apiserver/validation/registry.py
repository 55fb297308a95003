"""The checks of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.apiserver.fielderrors import FieldError
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.validation import claims, names, persistentvolumes, pods, podupdates
from wavetank.apiserver.validation.errors import Document, Errors
from wavetank.apiserver.validation.metadata import check_common_metadata, check_metadata, check_metadata_update

Check = Callable[[Document], Errors]
CheckUpdate = Callable[[Document, Document], Errors]

_CREATE: Mapping[str, Check] = {
    "Pod": pods.check_pod,
    "PersistentVolume": persistentvolumes.check_persistent_volume,
    "PersistentVolumeClaim": claims.check_claim,
}
_UPDATE: Mapping[str, CheckUpdate] = {
    "Pod": podupdates.check_pod_update,
    "PersistentVolume": persistentvolumes.check_persistent_volume_update,
    "PersistentVolumeClaim": claims.check_claim_update,
}
_STATUS: Mapping[str, CheckUpdate] = {
    "Pod": podupdates.check_pod_status_update,
    "PersistentVolume": persistentvolumes.check_persistent_volume_status_update,
    "PersistentVolumeClaim": claims.check_claim_status_update,
}


def validate_create(kind: Kind, document: Document) -> list[FieldError]:
    """Returns what is wrong with a new object; what is common to all kinds is checked if the rest is fine."""
    check = _CREATE.get(kind.table)
    if check is not None:
        errors = list(check(document))
    else:
        errors = list(check_metadata(document["metadata"], kind.namespaced, names.subdomain_problems))
    return errors or list(check_common_metadata(document["metadata"], kind.namespaced))


def validate_update(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with a changed object; as in the real server, metadata is checked more than once."""
    return _checked(kind, new, old, _UPDATE.get(kind.table))


def validate_status_update(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with an object as it is written to the status subresource."""
    return _checked(kind, new, old, _STATUS.get(kind.table))


def _checked(kind: Kind, new: Document, old: Document, check: CheckUpdate | None) -> list[FieldError]:
    metadata, before = new["metadata"], old["metadata"]
    errors = [*check_common_metadata(metadata, kind.namespaced), *check_metadata_update(metadata, before, core=False)]
    errors.extend(check(new, old) if check is not None else check_metadata_update(metadata, before))
    return errors
