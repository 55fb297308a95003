from __future__ import annotations

from dataclasses import replace
from typing import Any

from wavetank.apiserver import errors
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.subresources.binding import DONE
from wavetank.apiserver.subresources.conditions import set_condition
from wavetank.apiserver.verbs.deleting import DeleteOptions, Deleter
from wavetank.apiserver.verbs.identity import set_namespace
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.write import Write, Written
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import FAILED, PENDING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource, render_time

_REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_ALLOWED = "DisruptionAllowed"
_TABLE = "PodDisruptionBudget.policy"
_RETRY_S = 10
_MOST_DISRUPTED = 2000  # disrupted pods that a budget's status may list
_CONDITION = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}


class Evictor:
    """Evicts pods if their disruption budgets allow it."""

    def __init__(self, writer: Writer, deleter: Deleter) -> None:
        self._writer = writer
        self._deleter = deleter
        self._objects = writer.objects

    def evict(self, pods: Kind, body: Subresource, namespace: str, name: str, request: Request) -> Written:
        """Evicts the pod that a path names, with the options of the Eviction in the body."""
        options = WriteOptions.read(request, "Create")
        eviction = self._writer.read_body(body, request, options)
        write = Write(pods, namespace, name, request, options, "eviction")
        set_namespace(write, eviction)
        self._writer.admit_creation(write, body, eviction)
        if eviction["metadata"].get("name") != name:
            raise errors.bad_request("name in URL does not match name in Eviction object")
        deletion = DeleteOptions.of(eviction.get("deleteOptions") or {})
        deletion = replace(deletion, dry_run=deletion.dry_run or options.dry_run, admitted=True)
        pod = self._objects.get(pods, namespace, name)
        assert isinstance(pod, Pod)
        if not _needs_no_budget(pod):
            self._check_budgets(pod, deletion.dry_run)
        self._delete(pods, pod, deletion, request)
        return Written(dict(DONE), 201)

    def _check_budgets(self, pod: Pod, dry_run: bool) -> None:
        budgets = [each for each in self._objects.store.list(_TABLE) if _covers(each, pod)]
        if len(budgets) > 1:
            raise errors.plain(_SEVERAL)
        if not budgets:
            return
        document = budgets[0].render()
        if not _is_ready(self._objects.render(pod)) and _lets_unready_go(document):
            return
        _refuse(document)
        if not dry_run:
            self._take(budgets[0], document, pod.name)

    def _take(self, budget: Resource, document: Document, pod: str) -> None:
        """Writes into a budget that one more pod is being disrupted."""
        now = render_time(self._objects.store.clock.now)
        status = document["status"] = dict(document["status"])
        status["disruptionsAllowed"] -= 1
        status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod: now}
        if status["disruptionsAllowed"] == 0:
            _say_no_more(status, now)
        kind = self._objects.kinds.named("policy/v1", "PodDisruptionBudget")
        assert kind is not None
        self._writer.exchange(kind, document, budget)

    def _delete(self, pods: Kind, pod: Pod, deletion: DeleteOptions, request: Request) -> None:
        self._deleter.check_preconditions(pods, pod, deletion)
        if not deletion.dry_run:
            document = pod.render()
            set_condition(document, _CONDITION, render_time(self._objects.store.clock.now))
            marked = self._writer.exchange(pods, document, pod)
            if deletion.version is not None:
                deletion = replace(deletion, version=str(marked.resource_version))
        self._deleter.delete(pods, pod.namespace, pod.name, deletion, request)


def _needs_no_budget(pod: Pod) -> bool:
    return pod.phase in (SUCCEEDED, FAILED, PENDING) or pod.deleted is not None


def _covers(budget: Any, pod: Pod) -> bool:
    return (
        isinstance(budget, PodDisruptionBudget)
        and budget.namespace == pod.namespace
        and budget.selector.matches(pod.labels)
    )


def _is_ready(pod: Document) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _lets_unready_go(budget: Document) -> bool:
    status = budget.get("status") or {}
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    desired = status.get("desiredHealthy") or 0
    return desired > 0 and (status.get("currentHealthy") or 0) >= desired


def _refuse(budget: Document) -> None:
    """Raises a 429 or 403 if a budget allows no disruption, or its status is not up to date."""
    name, status = budget["metadata"]["name"], budget.get("status") or {}
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        raise _too_many(f"The disruption budget {name} is still being processed by the server.", _RETRY_S)
    allowed = status.get("disruptionsAllowed") or 0
    if allowed < 0:
        raise errors.forbidden("poddisruptionbudget.policy", name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or {}) > _MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise errors.forbidden("poddisruptionbudget.policy", name, why)
    if allowed == 0:
        raise _too_many(_why_not(name, status))


def _why_not(name: str, status: Document) -> str:
    condition: Document = next((each for each in status.get("conditions") or [] if each["type"] == _ALLOWED), {})
    message = condition.get("message") if condition.get("status") == "False" else ""
    desired, current = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
    no = f"The disruption budget {name} does not allow evicting pods currently"
    if message and condition.get("reason") == "SyncFailed":
        return f"{no} because it failed sync: {message}"
    if current <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"
    return f"{no} ({condition.get('reason')}): {message}" if message else no


def _too_many(message: str, retry_after_s: int = 0) -> errors.StatusError:
    cause = {"reason": "DisruptionBudget", "message": message}
    return errors.too_many_requests(_REFUSAL, [cause], retry_after_s)


def _say_no_more(status: Document, now: str) -> None:
    """Sets the condition of a budget that no further disruption is allowed."""
    conditions = [each for each in status.get("conditions") or [] if each["type"] != _ALLOWED]
    old: Document = next((each for each in status.get("conditions") or [] if each["type"] == _ALLOWED), {})
    since = old.get("lastTransitionTime", now) if old.get("status") == "False" else now
    made = {"type": _ALLOWED, "status": "False", "lastTransitionTime": since}
    made |= {"reason": "InsufficientPods", "message": ""}
    if status.get("observedGeneration"):
        made["observedGeneration"] = status["observedGeneration"]
    status["conditions"] = [*conditions, made]
