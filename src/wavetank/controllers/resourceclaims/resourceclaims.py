from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.dra import ResourceClaim
from wavetank.cluster.objects.groupkinds import POD, RESOURCE_CLAIM
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store


class ResourceClaims:
    """The resourceclaim-controller: releases the claims of finished pods, and deallocates unused ones.

    Claims are not created from templates.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        store.subscribe(POD, self)

    def added(self, new: Pod) -> None:
        """Does nothing: a scheduler reserves the claims of a pod."""

    def modified(self, old: Pod, new: Pod) -> None:
        """Releases the claims of a pod that has just finished."""
        if new.finished and not old.finished:
            self._release(new)

    def deleted(self, old: Pod) -> None:
        """Releases the claims of a deleted pod that had not finished."""
        if not old.finished:
            self._release(old)

    def _release(self, pod: Pod) -> None:
        for item in pod.spec.manifest.get("resourceClaims") or ():
            claim = self._store.find(RESOURCE_CLAIM, pod.namespace, str(item.get("resourceClaimName") or ""))
            if isinstance(claim, ResourceClaim) and pod.uid in claim.reserved_for:
                self._give_back(claim, pod.uid)

    def _give_back(self, claim: ResourceClaim, uid: str) -> None:
        users = [user for user in claim.manifest["status"]["reservedFor"] if user.get("uid") != uid]
        status: dict[str, Any] = {"reservedFor": users} if users else {"reservedFor": None, "allocation": None}
        self._store.patch(RESOURCE_CLAIM, claim.namespace, claim.name, {"status": status})
