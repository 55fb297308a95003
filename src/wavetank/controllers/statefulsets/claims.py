from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME_CLAIM
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError, ConflictError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.statefulsets.members import Member, claim_documents, claim_name
from wavetank.controllers.statefulsets.spec import is_wanted, spec_of

_DELETE, _RETAIN = "Delete", "Retain"
COMPONENT = "statefulset-controller"

Reference = dict[str, Any]


class Claims:
    """The claims of StatefulSets' pods: created before the pod, owned according to the retention policy."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context

    def create_missing(self, owner: Resource, member: Member) -> None:
        """Creates the claims that a pod needs; ConflictError if one of them is being deleted."""
        for document in claim_documents(owner, member.ordinal):
            name = document["metadata"]["name"]
            present = self._find(owner, name)
            if present is None:
                self._create(owner, member, document)
            elif present.deleted is not None:
                raise ConflictError(f"pvc {name} is being deleted")

    def _create(self, owner: Resource, member: Member, document: dict[str, Any]) -> None:
        where = f"Claim {document['metadata']['name']} {{}}Pod {member.name} in StatefulSet {owner.name}"
        try:
            self._context.client.create(document)
        except ApiError as error:
            message = f"Create {where.format('for ')} failed error: {error}"
            self._context.record_event(owner, "Warning", "FailedCreate", message, COMPONENT)
            raise
        self._context.record_event(owner, "Normal", "SuccessfulCreate", f"Create {where.format('')} success", COMPONENT)

    def are_stale(self, owner: Resource, member: Member) -> bool:
        """Tells whether a claim is owned by an earlier pod of the same name and will be deleted with it."""
        if _policy(owner)[0] != _DELETE:
            return False
        return any(_names_another(claim, "v1", "Pod", member.name, "") for claim in self._present(owner, member))

    def have_right_owners(self, owner: Resource, member: Member) -> bool:
        """Tells whether each claim has the owner that the retention policy requires."""
        return all(_has_right_owner(owner, member, claim) for claim in self._present(owner, member))

    def set_owners(self, owner: Resource, member: Member) -> None:
        """Gives each claim the owner that the retention policy requires."""
        for claim in self._present(owner, member):
            if not _has_right_owner(owner, member, claim):
                document = claim.render()
                references = _new_references(owner, member, claim)
                document["metadata"] = {**document["metadata"], "ownerReferences": references}
                if not references:
                    del document["metadata"]["ownerReferences"]
                self._context.client.update(claim, document)

    def _present(self, owner: Resource, member: Member) -> Iterator[Resource]:
        for template in spec_of(owner).get("volumeClaimTemplates") or ():
            claim = self._find(owner, claim_name(owner, template, member.ordinal))
            if claim is not None:
                yield claim

    def _find(self, owner: Resource, name: str) -> Resource | None:
        return self._context.store.find(PERSISTENT_VOLUME_CLAIM, owner.namespace, name)


def _policy(owner: Resource) -> tuple[str, str]:
    """Returns the retention policy: when the set is scaled down, and when it is deleted."""
    policy = spec_of(owner).get("persistentVolumeClaimRetentionPolicy") or {}
    return policy.get("whenScaled", _RETAIN), policy.get("whenDeleted", _RETAIN)


def _has_right_owner(owner: Resource, member: Member, claim: Resource) -> bool:
    if _names_another(claim, "apps/v1", "StatefulSet", owner.name, owner.uid):
        return True  # it is deleted with that owner
    if _names_another(claim, "v1", "Pod", member.name, _uid(member)):
        return True
    ours = [each for each in _references(claim) if each.get("uid") in (owner.uid, _uid(member) or None)]
    if _has_other_controller(owner, member, claim):
        return not ours
    if any(not each.get("controller") for each in ours):
        return False
    return {each["uid"] for each in ours} == {each["uid"] for each in _required_owners(owner, member)}


def _new_references(owner: Resource, member: Member, claim: Resource) -> list[Reference]:
    others = [each for each in _references(claim) if not _names(each, owner, member)]
    if _has_other_controller(owner, member, claim):
        return others
    return [*others, *_required_owners(owner, member)]


def _required_owners(owner: Resource, member: Member) -> list[Reference]:
    """Returns the required owner of a claim: a pod that is scaled down, the set, or none."""
    when_scaled, when_deleted = _policy(owner)
    if when_scaled == _DELETE and not is_wanted(owner, member.ordinal):
        return [controller_reference(member.pod)] if member.pod is not None else []
    return [controller_reference(owner)] if when_deleted == _DELETE else []


def _has_other_controller(owner: Resource, member: Member, claim: Resource) -> bool:
    if _policy(owner) == (_RETAIN, _RETAIN):
        return False
    return any(each.get("controller") and not _names(each, owner, member) for each in _references(claim))


def _names(reference: Reference, owner: Resource, member: Member) -> bool:
    who = (reference.get("apiVersion"), reference.get("kind"), reference.get("name"))
    return who in (("apps/v1", "StatefulSet", owner.name), ("v1", "Pod", member.name))


def _names_another(claim: Resource, api_version: str, kind: str, name: str, uid: str) -> bool:
    """Tells whether a claim is owned by another object of the same kind and name."""
    who = (api_version, kind, name)
    found = [each for each in _references(claim) if (each.get("apiVersion"), each.get("kind"), each.get("name")) == who]
    return bool(found) and found[0].get("uid") != uid


def _uid(member: Member) -> str:
    return member.pod.uid if member.pod is not None else ""


def _references(claim: Resource) -> list[Reference]:
    metadata: Mapping[str, Any] = claim.manifest.get("metadata") or {}
    return list(metadata.get("ownerReferences") or ())
