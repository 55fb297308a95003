from __future__ import annotations

from wavetank.cluster.objects.pod import SUCCEEDED, Pod
from wavetank.controllers.jobs.backoff import Failures
from wavetank.controllers.jobs.intervals import count, has, render_intervals, with_indexes
from wavetank.controllers.jobs.podcontrol import JobPodControl
from wavetank.controllers.jobs.pods import index_of, is_failed, is_tracked
from wavetank.controllers.jobs.status import COMPLETE, FAILED, FAILURE_TARGET, SUCCESS_MET, new_condition
from wavetank.controllers.jobs.view import JobView

_MOST_UNCOUNTED = 500  # pods that are listed in a status before they are counted


class JobTracker:
    """Counts each finished pod of a Job exactly once, and writes the Job's status.

    A pod is first listed as uncounted in the status, then loses its finalizer, then is counted. SuccessCriteriaMet and
    FailureTarget are written with the list, Complete and Failed with the counts.
    """

    def __init__(self, view: JobView, pod_control: JobPodControl) -> None:
        self._view = view
        self._pod_control = pod_control
        self._new_indexes: list[int] = []
        self._releasing: list[Pod] = []  # pods that lose their finalizer

    def track(self, changed: bool) -> Failures:
        """Lists, counts and writes; returns the failures that determine the back-off from now on."""
        view, status = self._view, self._view.status
        pods = sorted(view.pods, key=_by_index) if view.spec.indexed else view.pods
        tracked = [pod for pod in pods if is_tracked(pod)]
        waiting = {pod.uid for pod in tracked}
        changed = status.count(waiting) or changed
        complete = self._list_uncounted(tracked)
        changed = self._update_indexes() or changed
        changed = self._add_target_condition() or changed or bool(self._new_indexes) or self._has_new_uncounted()
        if changed:
            self._write()
        waiting -= {pod.uid for pod in self._releasing if self._pod_control.release(pod)}
        counted = status.count(waiting)
        ended = complete and self._finish()
        if counted or ended:
            self._write()
        if ended:
            self._record_end()
        return view.new_failures if changed else view.failures

    # uncounted pods

    def _list_uncounted(self, tracked: list[Pod]) -> bool:
        """Lists the pods that can be counted; returns whether these were all."""
        status = self._view.status
        for pod in tracked:
            if not self._can_count(pod):
                continue
            self._releasing.append(pod)
            self._list_pod(pod)
            notes = len(self._new_indexes) + len(status.uncounted_succeeded) + len(status.uncounted_failed)
            if notes >= _MOST_UNCOUNTED:
                return False
        return True

    def _can_count(self, pod: Pod) -> bool:
        view = self._view
        if view.job.deleted is not None or view.finished is not None or pod.phase == SUCCEEDED:
            return True
        if not is_failed(pod, view.spec):
            return False
        index = index_of(pod)
        delayed = view.delayed.get(index) if index is not None else None
        return delayed is None or delayed.uid != pod.uid

    def _list_pod(self, pod: Pod) -> None:
        view, status, index = self._view, self._view.status, index_of(pod)
        if pod.phase == SUCCEEDED and pod.uid not in view.uncounted[1]:
            if not view.spec.indexed:
                if pod.uid not in view.uncounted[0]:
                    status.uncounted_succeeded.append(pod.uid)
            elif index is not None and view.has_valid_index(pod) and not has(view.counted_indexes, index):
                self._new_indexes.append(index)
            return
        given_up = view.finished is not None and view.finished["type"] != SUCCESS_MET
        is_new = pod.uid not in view.uncounted[1] and view.has_valid_index(pod)
        if is_new and (is_failed(pod, view.spec) or given_up) and view.match_failure_policy(pod).counts:
            status.uncounted_failed.append(pod.uid)

    def _has_new_uncounted(self) -> bool:
        status, uncounted = self._view.status, self._view.uncounted
        return not uncounted[0].issuperset(status.uncounted_succeeded) or not uncounted[1].issuperset(
            status.uncounted_failed
        )

    def _update_indexes(self) -> bool:
        view, status = self._view, self._view.status
        if not view.spec.indexed:
            return False
        view.succeeded_indexes = with_indexes(view.succeeded_indexes, self._new_indexes)
        before = status.completed_indexes, status.failed_indexes
        status.succeeded = count(view.succeeded_indexes)
        status.completed_indexes = render_intervals(view.succeeded_indexes)
        status.failed_indexes = None if view.failed_indexes is None else render_intervals(view.failed_indexes)
        return before != (status.completed_indexes, status.failed_indexes)

    def _add_target_condition(self) -> bool:
        """Adds the condition that the Job is about to finish, and prepares the final one."""
        view, match = self._view, self._view.finished
        if match is None or match["type"] not in (FAILURE_TARGET, SUCCESS_MET):
            return False
        end = COMPLETE if match["type"] == SUCCESS_MET else FAILED
        view.finished = new_condition(end, match.get("reason", ""), match.get("message", ""), view.now)
        if view.status.condition(match["type"]) is not None:
            return False
        view.status.conditions.append(match)
        return True

    # the end

    def _finish(self) -> bool:
        view, status = self._view, self._view.status
        if view.finished is None or status.uncounted_succeeded or status.uncounted_failed or view.terminating:
            return False
        status.ensure(view.finished)
        if view.finished["type"] == COMPLETE:
            status.completion_time = view.finished["lastTransitionTime"]
        return True

    def _record_end(self) -> None:
        view, match = self._view, self._view.finished
        assert match is not None
        if match["type"] == FAILED:
            view.record_event(view.job, "Warning", match.get("reason", ""), match.get("message", ""))
            return
        if view.spec.completions is not None and view.status.succeeded > view.spec.completions:
            message = "Too many succeeded pods running after completion count reached"
            view.record_event(view.job, "Warning", "TooManySucceededPods", message)
        view.record_event(view.job, "Normal", "Completed", "Job completed")

    def _write(self) -> None:
        view, status = self._view, self._view.status.render()
        if status != (view.job.manifest.get("status") or {}):
            view.job = view.context.client.update_status(view.job, status)


def _by_index(pod: Pod) -> int:
    index = index_of(pod)
    return -1 if index is None else index
