from __future__ import annotations

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME_CLAIM, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.storage import PersistentVolumeClaim
from wavetank.cluster.store.store import Store


class EphemeralVolumes:
    """The ephemeral-volume-controller: a claim for each ephemeral volume of a pod, deleted with the pod.

    An existing claim of that name with another owner is not changed, and the pod cannot run.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        store.subscribe(POD, self)
        for pod in store.list(POD):
            self.added(pod)

    def added(self, new: Pod) -> None:
        """Creates the claims of a new pod."""
        if not any(volume.ephemeral for volume in new.spec.volumes):
            return
        for volume in new.spec.manifest["volumes"]:
            if volume.get("ephemeral") is not None:
                self._create(new, f"{new.name}-{volume['name']}", volume["ephemeral"].get("volumeClaimTemplate") or {})

    def modified(self, old: Pod, new: Pod) -> None:
        """Does nothing: the volumes of a pod do not change."""

    def deleted(self, old: Pod) -> None:
        """Deletes the claims of a deleted pod."""
        for volume in old.spec.volumes:
            claim = self._claim(old, volume.claim_name(old.name) or "") if volume.ephemeral else None
            if claim is not None and claim.owner == old.uid:
                self._store.delete(claim)

    def _create(self, pod: Pod, name: str, template: dict[str, object]) -> None:
        if self._claim(pod, name) is not None:
            return
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
        given = template.get("metadata")
        metadata = {**(given if isinstance(given, dict) else {}), "name": name, "namespace": pod.namespace}
        head = {
            "apiVersion": "v1",
            "kind": PersistentVolumeClaim.kind,
            "metadata": {**metadata, "ownerReferences": [owner]},
        }
        self._store.create(PersistentVolumeClaim({**head, "spec": template.get("spec") or {}}))

    def _claim(self, pod: Pod, name: str) -> PersistentVolumeClaim | None:
        found = self._store.find(PERSISTENT_VOLUME_CLAIM, pod.namespace, name)
        assert found is None or isinstance(found, PersistentVolumeClaim)
        return found
