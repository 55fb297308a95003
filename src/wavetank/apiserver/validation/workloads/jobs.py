"""Jobs and cron jobs."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.fielderrors import invalid, required, too_long, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import IMMUTABLE, Document, Errors, by_key, check_choice, check_not_negative
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_selector, show_selector
from wavetank.apiserver.validation.pods.pods import check_template
from wavetank.apiserver.validation.pods.templates import selects
from wavetank.apiserver.validation.schedules import schedule_problem, zone_problem
from wavetank.apiserver.validation.workloads.jobpolicies import check_failure_policy, check_success_policy

_COUNTS = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
_MODES = ("NonIndexed", "Indexed")
_OWN_LABELS = (
    ("controller-uid", "uid"),
    ("job-name", "name"),
    ("batch.kubernetes.io/controller-uid", "uid"),
    ("batch.kubernetes.io/job-name", "name"),
)
_MANY = 100_000
_FEWER = 10_000


def check_job(job: Document) -> Errors:
    """Checks a new job."""
    yield from check_metadata(job["metadata"], True, names.subdomain_problems)
    yield from _check_generated_selector(job)
    spec = job["spec"]
    yield from _check_selecting_spec(spec)
    if spec.get("completionMode") == "Indexed" and (spec.get("completions") or 0) > 0:
        name = job["metadata"].get("name", "")
        longest = f"{name}-{spec['completions'] - 1}"
        if names.label_problems(longest):
            problem = f"will not able to create pod with invalid DNS label: {longest}"
            yield invalid("metadata.name", name, problem)


def check_job_update(new: Document, old: Document) -> Errors:
    """Checks a changed job: what it runs may change only while it has never run."""
    yield from check_job(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    spec, before = new["spec"], old["spec"]
    yield from _check_selecting_spec(spec)
    yield from _check_completions_kept(spec, before)
    if spec.get("selector") != before.get("selector"):
        yield invalid("spec.selector", show_selector(spec.get("selector")), IMMUTABLE)
    yield from _check_template_kept(new, old)
    for name in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"):
        if spec.get(name) != before.get(name):
            yield invalid(f"spec.{name}", _shown(name, spec.get(name)), IMMUTABLE)


def check_cron_job(cron_job: Document) -> Errors:
    """Checks a new cron job; the names of its jobs will be longer than its own."""
    yield from check_metadata(cron_job["metadata"], True, names.subdomain_problems)
    yield from _check_cron_spec(cron_job["spec"], None)
    name = cron_job["metadata"].get("name", "")
    if len(name) > 52:
        yield invalid("metadata.name", name, "must be no more than 52 characters")


def check_cron_job_update(new: Document, old: Document) -> Errors:
    """Checks a changed cron job."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_cron_spec(new["spec"], old["spec"])


def check_nothing_more(new: Document, old: Document) -> Errors:
    """Checks what has no rules beyond those of all metadata."""
    return iter(())


def _check_generated_selector(job: Document) -> Errors:
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector") or spec.get("selector") is None:
        return
    path = "spec.template.metadata.labels"
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    for key, field in _OWN_LABELS:
        expected = metadata.get(field) or ""
        if key not in labels:
            yield required(f"{path}[{key}]", f"must be '{expected}'")
        elif labels[key] != expected:
            yield invalid(f"{path}[{key}]", by_key(labels), f"must be '{expected}'")
    own = {key: metadata.get(field) or "" for key, field in _OWN_LABELS}
    if selects(spec["selector"], own) is False:
        yield invalid("spec.selector", show_selector(spec["selector"]), "`selector` not auto-generated")


def _check_selecting_spec(spec: Document) -> Errors:
    yield from check_job_spec(spec, "spec")
    selector = spec.get("selector")
    if selector is None:
        yield required("spec.selector")
    yield from check_selector(selector, "spec.selector")
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if selects(selector, labels or {}) is False:
        problem = "`selector` does not match template `labels`"
        yield invalid("spec.template.metadata.labels", by_key(labels), problem)


def check_job_spec(spec: Document, path: str) -> Errors:
    """Checks what jobs and templates of jobs have in common."""
    for name in (*_COUNTS, "backoffLimitPerIndex", "maxFailedIndexes"):
        yield from check_not_negative(f"{path}.{name}", spec.get(name))
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        yield required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if "managedBy" in spec:
        yield from check_domain_path(spec["managedBy"], f"{path}.managedBy")
        if len(spec["managedBy"]) > 63:
            yield too_long(f"{path}.managedBy", 63)
    yield from _check_mode(spec, path)
    if "podFailurePolicy" in spec:
        yield from check_failure_policy(spec, f"{path}.podFailurePolicy")
    yield from check_success_policy(spec, f"{path}.successPolicy")
    yield from _check_replacement(spec, f"{path}.podReplacementPolicy")
    yield from check_template(spec.get("template") or {}, f"{path}.template")
    yield from _check_restarts(spec, f"{path}.template.spec.restartPolicy")


def check_domain_path(value: str, path: str) -> Errors:
    """Checks a path that begins with a domain, such as acme.io/foo."""
    host, _, rest = value.partition("/")
    if not value:
        yield required(path)
    elif not host or not rest:
        yield invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        for problem in names.subdomain_problems(host):
            yield invalid(path, host, problem)


def _check_mode(spec: Document, path: str) -> Errors:
    mode, completions, failed = spec.get("completionMode"), spec.get("completions"), spec.get("maxFailedIndexes")
    if mode is not None and mode not in _MODES:
        yield unsupported(f"{path}.completionMode", mode, _MODES)
    if mode == "Indexed":
        if completions is None:
            yield required(f"{path}.completions", "when completion mode is Indexed")
        if (spec.get("parallelism") or 0) > _MANY:
            problem = f"must be less than or equal to {_MANY} when completion mode is Indexed"
            yield invalid(f"{path}.parallelism", spec["parallelism"], problem)
        if completions is not None and failed is not None and failed > completions:
            yield invalid(f"{path}.maxFailedIndexes", failed, "must be less than or equal to completions")
        if failed is not None and failed > _MANY:
            yield invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to {_MANY}")
        if (completions or 0) > _MANY and "backoffLimitPerIndex" in spec:
            yield from _check_many(spec, path)
    elif mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if name in spec:
                yield invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")


def _check_many(spec: Document, path: str) -> Errors:
    above = f"when completions are above {_MANY} and used with backoff limit per index"
    if "maxFailedIndexes" not in spec:
        yield required(f"{path}.maxFailedIndexes", f"must be specified when completions is above {_MANY}")
    for name in ("parallelism", "maxFailedIndexes"):
        if (spec.get(name) or 0) > _FEWER:
            yield invalid(f"{path}.{name}", spec[name], f"must be less than or equal to {_FEWER} {above}")


def _check_replacement(spec: Document, path: str) -> Errors:
    policy = spec.get("podReplacementPolicy")
    allowed = ("Failed",) if "podFailurePolicy" in spec else ("Failed", "TerminatingOrFailed")
    if policy is not None and policy not in allowed:
        yield unsupported(path, policy, allowed)


def _check_restarts(spec: Document, path: str) -> Errors:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        yield required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield unsupported(path, policy, ("OnFailure", "Never"))
    elif "podFailurePolicy" in spec and policy != "Never":
        yield invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')


def _check_completions_kept(spec: Document, before: Document) -> Errors:
    completions, known = spec.get("completions"), before.get("completions")
    if completions == known:
        return
    if spec.get("completionMode") != "Indexed":
        yield invalid("spec.completions", completions, IMMUTABLE)
    elif completions is not None and completions != spec.get("parallelism"):
        yield invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")


def _check_template_kept(new: Document, old: Document) -> Errors:
    template, before = new["spec"].get("template") or {}, old["spec"].get("template") or {}
    if _may_be_placed_anew(old):
        before = _placed_as(before, template)
    if template != before:
        yield invalid("spec.template", internal("core.PodTemplateSpec", template), IMMUTABLE)


def _may_be_placed_anew(job: Document) -> bool:
    """Tells whether a job is suspended and has never run: then it may still choose its nodes."""
    return bool(job["spec"].get("suspend")) and not (job.get("status") or {}).get("startTime")


def _placed_as(template: Document, other: Document) -> Document:
    metadata, spec = dict(template.get("metadata") or {}), dict(template.get("spec") or {})
    _adopt(metadata, other.get("metadata") or {}, ("labels", "annotations"))
    wanted = other.get("spec") or {}
    _adopt(spec, wanted, ("nodeSelector", "tolerations", "schedulingGates"))
    affinity = dict(spec.get("affinity") or {})
    _adopt(affinity, wanted.get("affinity") or {}, ("nodeAffinity",))
    if affinity or "affinity" in wanted:
        spec["affinity"] = affinity
    else:
        spec.pop("affinity", None)
    return {**template, "metadata": metadata, "spec": spec}


def _adopt(owner: Document, other: Document, fields: tuple[str, ...]) -> None:
    for name in fields:
        if name in other:
            owner[name] = other[name]
        else:
            owner.pop(name, None)


def _shown(name: str, value: Any) -> Any:
    types = {"podFailurePolicy": "batch.PodFailurePolicy", "successPolicy": "batch.SuccessPolicy"}
    return internal(types[name], value) if name in types and value is not None else value


def _check_cron_spec(spec: Document, before: Document | None) -> Errors:
    schedule, zone = spec.get("schedule") or "", spec.get("timeZone")
    if not schedule:
        yield required("spec.schedule")
    else:
        yield from _check_schedule(schedule, zone, before)
    yield from check_not_negative("spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds"))
    if zone is not None and (before is None or before.get("timeZone") != zone) and zone_problem(zone):
        yield invalid("spec.timeZone", zone, zone_problem(zone))
    yield from check_choice("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), ("Allow", "Forbid", "Replace"))
    template = (spec.get("jobTemplate") or {}).get("spec") or {}
    yield from check_job_spec(template, "spec.jobTemplate.spec")
    if template.get("selector") is not None:
        yield invalid(
            "spec.jobTemplate.spec.selector", show_selector(template["selector"]), "`selector` will be auto-generated"
        )
    if template.get("manualSelector"):
        yield unsupported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false"))
    for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from check_not_negative(f"spec.{name}", spec.get(name))


def _check_schedule(schedule: str, zone: str | None, before: Document | None) -> Errors:
    problem = schedule_problem(schedule)
    if problem:
        yield invalid("spec.schedule", schedule, problem)
    if "TZ" in schedule:
        if "TZ" not in ((before or {}).get("schedule") or ""):
            problem = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            yield invalid("spec.schedule", schedule, problem)
        elif zone is not None:
            yield invalid("spec.schedule", schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
