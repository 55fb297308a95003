"""The pods of a manifest of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import (
    CRON_JOB,
    DAEMON_SET,
    DEPLOYMENT,
    HORIZONTAL_POD_AUTOSCALER,
    JOB,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    STATEFUL_SET,
    VOLCANO_JOB,
)
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.rules.cron import ScheduleError, parse_schedule
from wavetank.controllers.volcanojobs.spec import read_job
from wavetank.controllers.volcanojobs.validation import problems_of
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.manifests.behavior import behavior_of
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.manifests.submissions import Submission
from wavetank.workloads.manifests.volcanojobs import behavior_of_epochs, submitted_after, task_annotations, tasks_of

PREFIX = "wavetank.dev/"
ARRIVAL = "wavetank.dev/arrival"  # annotation: when the object is submitted, from the start of the run
LIFETIME = "wavetank.dev/lifetime"  # annotation: how long after that it is deleted, with its pods
OF_THE_OWNER = (ARRIVAL, LIFETIME)
DEFAULT_JOB_DURATION: Nanoseconds = 60 * SECOND  # of a Job's container without a known duration


def submissions_of(manifest: Manifest, specs: SpecTable) -> Iterator[Submission]:
    """Yields the pods of a manifest, those of one template together; other kinds than these are refused.

    A Pod is itself. A Job, Deployment, ReplicaSet, ReplicationController or StatefulSet becomes its pods, named
    `<name>-<number>`; a Volcano Job those of each of its tasks, named `<job>-<task>-<number>`. The pods of a DaemonSet
    or a CronJob depend on the cluster: their submissions have none, as that of a suspended Job, and are of use only if
    a controller takes the object itself. So is that of a HorizontalPodAutoscaler.
    """
    given = make_object(manifest, specs)
    time = fields.duration(given.annotations.get(ARRIVAL, "0"), f"metadata.annotations.{ARRIVAL}")
    if isinstance(given, Pod):
        yield Submission(time, (given.name,), given.namespace, given.manifest, given.behavior)
    elif given.group_kind == VOLCANO_JOB:
        yield from _volcano_job(given, specs)
    elif given.group_kind == HORIZONTAL_POD_AUTOSCALER:
        yield Submission(time, (), given.namespace, manifest, None, given, lifetime_of(given))
    elif given.group_kind in EXPANDED:
        size = EXPANDED[given.group_kind](fields.mapping(manifest.get("spec"), "spec"))
        if given.group_kind == CRON_JOB:
            yield Submission(time, (), given.namespace, manifest, None, _scheduled(given), lifetime_of(given))
            return
        duration = DEFAULT_JOB_DURATION if given.group_kind == JOB else None
        pod = pod_of_template(manifest, manifest["spec"].get("template"), "spec.template", specs, duration)
        names = tuple(f"{given.name}-{i}" for i in range(size))
        source = kept_alive(given)
        yield Submission(time, names, given.namespace, pod.manifest, pod.behavior, source, lifetime_of(given))
    else:
        expected = ", ".join(("Pod", *EXPANDED, VOLCANO_JOB, HORIZONTAL_POD_AUTOSCALER))
        raise InputError(
            f"a {given.group_kind} cannot be submitted as a workload yet: expected {expected}", path="kind"
        )


def pod_of_template(
    owner: Manifest, template: object, path: str, specs: SpecTable, duration: Nanoseconds | None
) -> Pod:
    """Makes a pod of its owner's template, which stands at `path`; it has the owner's name and namespace.

    What the owner's annotations say to wavetank is meant for its pods. `duration` is how long one runs that does
    not tell; None is forever.
    """
    try:
        given = fields.mapping(template, "")
        metadata = fields.mapping(given.get("metadata") or {}, "metadata")
        place = {key: value for key, value in owner["metadata"].items() if key in ("name", "namespace")}
        own = fields.strings(metadata.get("annotations"), "metadata.annotations")
        annotations = {**_own_annotations(owner), **own}
        metadata = {**metadata, **place, **({"annotations": annotations} if annotations else {})}
        head = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        pod = make_object({**head, "spec": given.get("spec")}, specs, duration)
    except InputError as error:
        raise error.inside(path=path) from None
    assert isinstance(pod, Pod)
    return pod


def kept_alive(owner: Resource) -> Resource:
    """Returns an owner for its controller, which keeps its pods running as long as it exists.

    wavetank's annotations of the owner move to its template; a missing selector is made of the template's labels.
    """
    spec = fields.mapping(owner.manifest.get("spec"), "spec")
    template = fields.mapping(spec.get("template"), "spec.template")
    policy = fields.mapping(template.get("spec"), "spec.template.spec").get("restartPolicy", "Always")
    if policy != "Always" and owner.group_kind != JOB:
        path = "spec.template.spec.restartPolicy"
        raise InputError(f"expected Always in a {owner.manifest_kind}, got {policy!r:.60}", path=path)
    metadata = dict(fields.mapping(template.get("metadata") or {}, "spec.template.metadata"))
    annotations = {**_own_annotations(owner.manifest), **(metadata.get("annotations") or {})}
    if annotations:
        metadata["annotations"] = annotations
    changed: dict[str, Any] = {"template": {**template, "metadata": metadata}}
    if owner.group_kind != JOB:  # which gets a selector of its own
        metadata["labels"] = metadata.get("labels") or {"app": owner.name}
        labels = metadata["labels"]
        own = labels if owner.group_kind == REPLICATION_CONTROLLER else {"matchLabels": labels}
        changed["selector"] = spec.get("selector") or own
    return parse_resource({**owner.manifest, "spec": {**spec, **changed}}, SpecTable())


def _scheduled(cron_job: Resource) -> Resource:
    """Returns a CronJob for its controller: wavetank's annotations move to the template of its Jobs' pods."""
    spec = fields.mapping(cron_job.manifest.get("spec"), "spec")
    template = fields.mapping(spec.get("jobTemplate"), "spec.jobTemplate")
    metadata = {"name": cron_job.name, "annotations": cron_job.annotations}
    try:
        job = Resource({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec")})
        _check_restart_policy(fields.mapping(template.get("spec"), "spec"))
        made = kept_alive(job).manifest["spec"]
    except InputError as error:
        raise error.inside(path="spec.jobTemplate") from None
    job_template = {**template, "spec": made}
    return parse_resource({**cron_job.manifest, "spec": {**spec, "jobTemplate": job_template}}, SpecTable())


def lifetime_of(owner: Resource) -> Nanoseconds | None:
    """Returns after which time an owner is deleted; None: never."""
    stated = owner.annotations.get(LIFETIME)
    return None if stated is None else fields.duration(stated, f"metadata.annotations.{LIFETIME}")


def _own_annotations(owner: Manifest) -> dict[str, str]:
    annotations = owner["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key.startswith(PREFIX) and key not in OF_THE_OWNER}


def _volcano_job(job: Resource, specs: SpecTable) -> Iterator[Submission]:
    stated = job.annotations.get(ARRIVAL)
    time = submitted_after(job) if stated is None else fields.duration(stated, f"metadata.annotations.{ARRIVAL}")
    problem = problems_of(job.name, read_job(job.manifest))
    if problem:
        raise InputError(problem)
    kept = _volcano_kept_alive(job)
    for task in tasks_of(job):
        path = f"{task.path}.template"
        pod = pod_of_template(job.manifest, task.template, path, specs, DEFAULT_JOB_DURATION)
        metadata = {**pod.manifest["metadata"]}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **task_annotations(job, task)}
        spec = {**pod.manifest["spec"], "schedulerName": task.scheduler}
        behavior = behavior_of_epochs(pod.manifest, path) or pod.behavior
        manifest = {**pod.manifest, "metadata": metadata, "spec": spec}
        yield Submission(time, task.pod_names(), job.namespace, manifest, behavior, kept)


def _volcano_kept_alive(job: Resource) -> Resource:
    """Returns a Volcano Job as its controller is to have it: what its annotations say to wavetank is for its pods."""
    own = _own_annotations(job.manifest)
    if not own:
        return job
    tasks = [{**task, "template": _annotated(task["template"], own)} for task in job.manifest["spec"]["tasks"]]
    return parse_resource({**job.manifest, "spec": {**job.manifest["spec"], "tasks": tasks}}, SpecTable())


def _annotated(template: Mapping[str, Any], annotations: Mapping[str, str]) -> dict[str, Any]:
    """Returns a template with annotations; those that it has already stay."""
    metadata = template.get("metadata") or {}
    return {**template, "metadata": {**metadata, "annotations": {**annotations, **(metadata.get("annotations") or {})}}}


def behavior_of_task(manifest: Manifest) -> PodBehavior:
    """Returns what a pod of a Volcano Job does: its epochs, or as long as it shows, or a minute."""
    return behavior_of_epochs(manifest, "") or behavior_of(manifest, DEFAULT_JOB_DURATION)


def behavior_of_owned(manifest: Manifest) -> PodBehavior:
    """Returns what a pod does that a controller may have made: one of a Job that does not tell runs for a minute."""
    return behavior_of(manifest, default_duration(manifest))


def default_duration(manifest: Manifest) -> Nanoseconds | None:
    """Returns how long a container runs whose command tells nothing: a minute in a Job, else forever (None)."""
    owners = (manifest.get("metadata") or {}).get("ownerReferences") or ()
    in_job = any(owner.get("controller") and owner.get("kind") == "Job" for owner in owners)
    return DEFAULT_JOB_DURATION if in_job else None


def replicas(spec: Mapping[str, Any]) -> int:
    """Returns the replicas of a Deployment, ReplicaSet, ReplicationController or StatefulSet."""
    value = spec.get("replicas")
    return fields.integer(1 if value is None else value, "spec.replicas", 0, fields.MOST_OBJECTS)


def _parallelism(spec: Mapping[str, Any]) -> int:
    parallel, completions = spec.get("parallelism"), spec.get("completions")
    size = fields.integer(1 if parallel is None else parallel, "spec.parallelism", 0, fields.MOST_OBJECTS)
    wanted = fields.integer(size if completions is None else completions, "spec.completions", 0, fields.MOST_OBJECTS)
    _check_restart_policy(spec)
    return 0 if spec.get("suspend") else wanted


def _schedule(spec: Mapping[str, Any]) -> int:
    """Refuses a CronJob that would never start; it has no pods yet."""
    try:
        parse_schedule(str(spec.get("schedule") or ""), str(spec.get("timeZone") or ""))
    except ScheduleError as error:
        raise InputError(str(error), path="spec.schedule") from None
    return 0


def _check_restart_policy(spec: Mapping[str, Any]) -> None:
    path = "spec.template.spec.restartPolicy"
    template = fields.mapping(spec.get("template"), "spec.template")
    policy = fields.mapping(template.get("spec"), "spec.template.spec").get("restartPolicy")
    if policy not in ("Never", "OnFailure"):
        raise InputError(f"expected Never or OnFailure in a Job, got {policy!r:.60}", path=path)


EXPANDED: dict[str, Callable[[Mapping[str, Any]], int]] = {
    JOB: _parallelism,
    DEPLOYMENT: replicas,
    REPLICA_SET: replicas,
    REPLICATION_CONTROLLER: replicas,
    STATEFUL_SET: replicas,
    DAEMON_SET: lambda spec: 0,
    CRON_JOB: _schedule,
}
