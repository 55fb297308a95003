from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.controllers.deployments.draft import PROGRESSING, Draft, a_condition, set_condition
from wavetank.controllers.deployments.newreplicaset import NewReplicaSet
from wavetank.controllers.deployments.proportions import proportional_sizes
from wavetank.controllers.deployments.replicasets import (
    DESIRED,
    Templates,
    active,
    active_or_latest,
    by_age,
    count,
    noted,
    revision,
    size,
    total_size,
)
from wavetank.controllers.deployments.scaling import Scaler
from wavetank.controllers.deployments.status import TIMED_OUT, is_complete, plain_status, rollout_status
from wavetank.controllers.framework.context import ControllerContext

_PAUSED, _RESUMED = "DeploymentPaused", "DeploymentResumed"


class Rollout:
    """One sync of a Deployment with its ReplicaSets, and the next step of its rollout."""

    def __init__(
        self, context: ControllerContext, draft: Draft, sets: Sequence[Resource], templates: Templates
    ) -> None:
        self._context = context
        self._draft = draft
        self._now = context.clock.now
        self._scaler = Scaler(context, draft)
        self._new_sets = NewReplicaSet(context, draft)
        ordered = by_age(sets)
        self._new = next((each for each in ordered if templates.match(each, draft.template)), None)
        self._old = [each for each in ordered if each is not self._new]

    @property
    def _all(self) -> list[Resource | None]:
        return [*self._old, self._new]

    @property
    def sets(self) -> list[Resource]:
        """Returns the current ReplicaSets, the oldest first."""
        return by_age(each for each in self._all if each is not None)

    @property
    def is_settled(self) -> bool:
        """Tells whether only reports are left to do until a spec changes."""
        limit = self._draft.history_limit
        kept = limit is None or len(self._old) <= limit
        return kept and not self._draft.paused and size(self._new) == self._draft.replicas and not active(self._old)

    # reports

    def note_pause(self) -> None:
        """Sets the condition of a paused or resumed Deployment, so that a pause does not count as lack of progress."""
        draft, condition = self._draft, self._draft.condition(PROGRESSING)
        reason = condition["reason"] if condition is not None else ""
        if draft.deadline_s is None or reason == TIMED_OUT or draft.paused == (reason == _PAUSED):
            return
        reason, word = (_PAUSED, "paused") if draft.paused else (_RESUMED, "resumed")
        message = f"Deployment is {word}"
        set_condition(draft.status, a_condition(PROGRESSING, "Unknown", reason, message, render_time(self._now)))
        draft.write(self._context.client)

    def report(self) -> None:
        """Writes the counts of pods."""
        self._draft.write(self._context.client, plain_status(self._draft, self._all, self._new, self._now))

    def report_rollout(self) -> None:
        """Writes the counts of pods and the progress of the rollout."""
        self._draft.write(self._context.client, rollout_status(self._draft, self._all, self._new, self._now))

    # scaling

    def is_resized(self) -> bool:
        """Tells whether the desired number of pods has changed since the ReplicaSets got their sizes."""
        self._revise()
        stated = (noted(each, DESIRED) for each in active(self._all))
        return any(number is not None and number != self._draft.replicas for number in stated)

    def resize(self) -> None:
        """Scales the ReplicaSets in proportion, without continuing a rollout."""
        self._revise()
        self._resize()
        if self._draft.paused:
            self._clean_up()
        self.report()

    def _resize(self) -> None:
        only = active_or_latest(self._new, self._old)
        if only is not None:
            self._scale(only, self._draft.replicas)
        elif self._new is not None and self._is_saturated(self._new):
            for each in active(self._old):
                self._scale(each, 0)
        elif self._draft.rolling:
            for each, wanted in proportional_sizes(self._draft, active(self._all)):
                self._replace(each, self._scaler.scale(each, wanted))

    def _is_saturated(self, new: Resource) -> bool:
        wanted = self._draft.replicas
        return size(new) == wanted and noted(new, DESIRED) == wanted and count([new], "availableReplicas") == wanted

    # rolling

    def roll(self) -> None:
        """Scales the new ReplicaSet up or the old ones down, as far as maxSurge and maxUnavailable allow."""
        self._revise(create=True)
        if not self._grow() and not self._shrink():
            self._clean_up_if_complete()
        self.report_rollout()

    def _grow(self) -> bool:
        assert self._new is not None
        wanted, present = self._draft.replicas, size(self._new)
        if present == wanted:
            return False
        return self._scale(self._new, wanted if present > wanted else self._new_sets.size_of(self._new, self._all))

    def _shrink(self) -> bool:
        """Scales the old ReplicaSets down, unavailable pods first."""
        old = active(self._old)
        least = self._draft.replicas - self._draft.max_unavailable
        missing = size(self._new) - count([self._new], "availableReplicas")
        spare = total_size(self._all) - least - missing
        if not old or spare <= 0:
            return False
        before = total_size(self._old)
        for each in old:
            unhealthy = size(each) - count([each], "availableReplicas")
            if spare > 0 and unhealthy:
                taken = min(spare, unhealthy)
                self._scale(each, size(each) - taken)
                spare -= taken
        spare = count([*active(self._old), self._new], "availableReplicas") - least
        for each in active(self._old):
            if spare > 0:
                taken = min(spare, size(each))
                self._scale(each, size(each) - taken)
                spare -= taken
        return total_size(self._old) < before

    # recreating

    def recreate(self) -> None:
        """Scales all old ReplicaSets to 0 before the new one gets pods."""
        self._revise()
        shrunk = [self._scale(each, 0) for each in active(self._old)]
        if not shrunk and not self._has_old_pods():
            self._revise(create=True)
            assert self._new is not None
            self._scale(self._new, self._draft.replicas)
            self._clean_up_if_complete()
        self.report_rollout()

    def _has_old_pods(self) -> bool:
        if count(self._old, "replicas"):
            return True
        return any(not pod.finished for each in self._old for pod in self._context.pods.of(each.uid))

    # ReplicaSets

    def _revise(self, create: bool = False) -> None:
        """Updates the revision and the annotations of the new ReplicaSet, which is created if needed."""
        number = max((revision(each) or 0 for each in self._old), default=0) + 1
        if self._new is not None:
            self._new = self._new_sets.keep(self._new, number)
        elif create:
            self._new = self._new_sets.make(number, self._old)

    def _clean_up_if_complete(self) -> None:
        if is_complete(self._draft, self._draft.status):
            self._clean_up()

    def _clean_up(self) -> None:
        """Deletes the oldest empty ReplicaSets beyond the history limit."""
        alive = [each for each in self._old if each.deleted is None]
        limit = self._draft.history_limit
        if limit is None or len(alive) <= limit:
            return
        for each in sorted(alive, key=lambda each: revision(each) or 0)[: len(alive) - limit]:
            if not size(each) and not count([each], "replicas") and _is_observed(each):
                self._context.client.delete(each)

    def _scale(self, each: Resource, wanted: int) -> bool:
        """Scales a ReplicaSet; returns whether its size has changed."""
        if size(each) == wanted:
            return False
        self._replace(each, self._scaler.scale(each, wanted))
        return True

    def _replace(self, each: Resource, by: Resource) -> None:
        if each is self._new:
            self._new = by
        else:
            self._old = [by if other is each else other for other in self._old]


def _is_observed(each: Resource) -> bool:
    generation = (each.manifest.get("metadata") or {}).get("generation") or 0
    return bool(((each.manifest.get("status") or {}).get("observedGeneration") or 0) >= generation)
