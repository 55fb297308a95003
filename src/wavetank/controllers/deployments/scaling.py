from __future__ import annotations

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.draft import Draft
from wavetank.controllers.deployments.replicasets import size, sized
from wavetank.controllers.framework.context import ControllerContext

COMPONENT = "deployment-controller"


class Scaler:
    """Scales the ReplicaSets of a Deployment."""

    def __init__(self, context: ControllerContext, draft: Draft) -> None:
        self._context = context
        self._draft = draft

    def scale(self, each: Resource, wanted: int) -> Resource:
        """Writes the size and the Deployment's desired number, if they have changed; returns the new version."""
        draft, before = self._draft, size(each)
        annotations = sized(each.annotations, draft.replicas, draft.replicas + draft.max_surge)
        if before == wanted and annotations == dict(each.annotations):
            return each
        document = each.render()
        document["metadata"] = {**document["metadata"], "annotations": annotations}
        document["spec"] = {**document["spec"], "replicas": wanted}
        new = self._context.client.update(each, document)
        if before != wanted:
            way = "up" if wanted > before else "down"
            message = f"Scaled {way} replica set {each.name} from {before} to {wanted}"
            self._context.record_event(draft.resource, "Normal", "ScalingReplicaSet", message, COMPONENT)
        return new
