"""The group apps, and replication controllers."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.amounts import (
    check_amount_or_percentage,
    check_at_most_all,
    check_collisions_kept,
    check_status_counts,
    figure,
)
from wavetank.apiserver.validation.errors import (
    IMMUTABLE,
    Document,
    Errors,
    by_key,
    check_not_negative,
    structs,
)
from wavetank.apiserver.validation.metadata import (
    check_annotations,
    check_labels,
    check_metadata,
    check_metadata_update,
    check_selector,
    is_empty_selector,
    show_selector,
)
from wavetank.apiserver.validation.pods.pods import check_pod_annotations, check_template
from wavetank.apiserver.validation.pods.templates import (
    check_always_restarted,
    check_matching_template,
    check_pod_selector,
    selects,
)
from wavetank.apiserver.validation.storage.claims import check_claim_spec

_UPDATABLE = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy',"
    " 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_MUTABLE = (
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
)
_UNMATCHED = "`selector` does not match template `labels`"


def check_deployment(deployment: Document) -> Errors:
    """Checks a new deployment."""
    yield from check_metadata(deployment["metadata"], True, names.subdomain_problems)
    yield from _check_deployment_spec(deployment["spec"])


def check_deployment_update(new: Document, old: Document) -> Errors:
    """Checks a changed deployment."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_deployment_spec(new["spec"])
    yield from _check_selector_kept(new["spec"].get("selector"), old["spec"].get("selector"))


def check_deployment_status_update(new: Document, old: Document) -> Errors:
    """Checks a deployment's status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    fields = ("updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
    yield from check_status_counts(new.get("status") or {}, fields)
    yield from check_collisions_kept(new, old)


def check_replica_set(replica_set: Document) -> Errors:
    """Checks a new replica set."""
    yield from check_metadata(replica_set["metadata"], True, names.subdomain_problems)
    yield from _check_replica_set_spec(replica_set["spec"])


def check_replica_set_update(new: Document, old: Document) -> Errors:
    """Checks a changed replica set."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_replica_set_spec(new["spec"])
    yield from _check_selector_kept(new["spec"].get("selector"), old["spec"].get("selector"))


def check_replicas_status_update(new: Document, old: Document) -> Errors:
    """Checks the status of a replica set or a replication controller."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_status_counts(
        new.get("status") or {}, ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    )


def check_stateful_set(stateful_set: Document) -> Errors:
    """Checks a new stateful set."""
    yield from check_metadata(stateful_set["metadata"], True, names.label_problems)
    spec = stateful_set["spec"]
    for where, claim in structs(spec, "spec", "volumeClaimTemplates"):
        yield from check_claim_spec(claim.get("spec") or {}, f"{where}.spec")
    if spec.get("serviceName"):
        for problem in names.label_problems(spec["serviceName"]):
            yield invalid("spec.serviceName", spec["serviceName"], problem)
    yield from _check_stateful_set_spec(spec)


def check_stateful_set_update(new: Document, old: Document) -> Errors:
    """Checks a changed stateful set: only some fields may change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_stateful_set_spec(new["spec"])
    fixed, before = ({k: v for k, v in one["spec"].items() if k not in _MUTABLE} for one in (new, old))
    if fixed != before:
        yield forbidden("spec", _UPDATABLE)


def check_stateful_set_status_update(new: Document, old: Document) -> Errors:
    """Checks a stateful set's status."""
    fields = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    yield from check_status_counts(new.get("status") or {}, fields, ready="status.readyReplicas")
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_collisions_kept(new, old)


def check_daemon_set(daemon_set: Document) -> Errors:
    """Checks a new daemon set."""
    yield from check_metadata(daemon_set["metadata"], True, names.subdomain_problems)
    yield from _check_daemon_set_spec(daemon_set["spec"])


def check_daemon_set_update(new: Document, old: Document) -> Errors:
    """Checks a changed daemon set."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_selector_kept(new["spec"].get("selector"), old["spec"].get("selector"))
    yield from _check_daemon_set_spec(new["spec"])


def check_daemon_set_status_update(new: Document, old: Document) -> Errors:
    """Checks a daemon set's status."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for name, count in (new.get("status") or {}).items():
        if isinstance(count, int):
            yield from check_not_negative(f"status.{name}", count)
    yield from check_collisions_kept(new, old)


def check_controller_revision(revision: Document) -> Errors:
    """Checks a new controller revision."""
    yield from _check_revision(revision)
    data = revision.get("data")
    if data is None:
        yield required("data", "data is mandatory")
    elif not isinstance(data, dict):
        yield required("data", "data must be a valid JSON object")


def check_controller_revision_update(new: Document, old: Document) -> Errors:
    """Checks a changed controller revision: its data may not change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_revision(new)
    if new.get("data") != old.get("data"):
        yield invalid("data", new.get("data"), IMMUTABLE)


def check_replication_controller(controller: Document) -> Errors:
    """Checks a new replication controller."""
    yield from check_metadata(controller["metadata"], True, names.subdomain_problems)
    yield from _check_replication_controller_spec(controller["spec"])


def check_replication_controller_update(new: Document, old: Document) -> Errors:
    """Checks a changed replication controller."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_replication_controller_spec(new["spec"])


def check_pod_template(template: Document) -> Errors:
    """Checks a stored template of pods."""
    yield from check_metadata(template["metadata"], True, names.subdomain_problems)
    yield from check_template(template.get("template") or {}, "template")


def check_pod_template_update(new: Document, old: Document) -> Errors:
    """Checks a changed template of pods."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_template(new.get("template") or {}, "template")


def _check_selector_kept(new: Document | None, old: Document | None) -> Errors:
    if new != old:
        yield invalid("spec.selector", show_selector(new), IMMUTABLE)


def _check_deployment_spec(spec: Document) -> Errors:
    yield from check_not_negative("spec.replicas", spec.get("replicas"))
    yield from check_pod_selector(spec, "spec", "deployment")
    yield from _check_matching(spec)
    yield from _check_strategy(spec.get("strategy") or {})
    for name in ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        yield from check_not_negative(f"spec.{name}", spec.get(name))
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        yield invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def _check_replica_set_spec(spec: Document) -> Errors:
    for name in ("replicas", "minReadySeconds"):
        yield from check_not_negative(f"spec.{name}", spec.get(name))
    yield from check_pod_selector(spec, "spec", "deployment")
    yield from _check_matching(spec)


def _check_matching(spec: Document) -> Errors:
    if selects(spec.get("selector"), {}) is None:
        yield invalid("spec.selector", show_selector(spec["selector"]), "invalid label selector")
        return
    yield from check_matching_template(spec, "spec")
    yield from check_always_restarted(spec, "spec", "ReplicaSet")


def _check_strategy(strategy: Document) -> Errors:
    kind, rolling, path = strategy.get("type") or "", strategy.get("rollingUpdate"), "spec.strategy"
    if kind == "Recreate":
        if rolling is not None:
            yield forbidden(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif kind == "RollingUpdate":
        if rolling is None:
            yield required(f"{path}.rollingUpdate", "this should be defaulted and never be nil")
        else:
            yield from _check_rolling_deployment(rolling, f"{path}.rollingUpdate")
    else:
        shown = internal("apps.DeploymentStrategy", strategy)
        yield unsupported(path, shown, ("Recreate", "RollingUpdate"))


def _check_rolling_deployment(rolling: Document, path: str) -> Errors:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    yield from check_amount_or_percentage(unavailable, f"{path}.maxUnavailable")
    yield from check_amount_or_percentage(surge, f"{path}.maxSurge")
    if not figure(unavailable) and not figure(surge):
        yield invalid(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
    yield from check_at_most_all(unavailable, f"{path}.maxUnavailable")


def _check_stateful_set_spec(spec: Document) -> Errors:
    policy = spec.get("podManagementPolicy") or ""
    if not policy:
        yield required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        yield invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _check_stateful_strategy(spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in retention.keys() & {"whenDeleted", "whenScaled"}:
        if retention[name] not in ("Retain", "Delete"):
            path = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
            yield unsupported(path, retention[name], ("Retain", "Delete"))
    for name in ("replicas", "minReadySeconds"):
        yield from check_not_negative(f"spec.{name}", spec.get(name))
    yield from check_not_negative("spec.ordinals.start", (spec.get("ordinals") or {}).get("start"))
    yield from check_pod_selector(spec, "spec", "statefulset")
    yield from _check_stateful_template(spec)
    yield from check_always_restarted(spec, "spec", "StatefulSet")


def _check_stateful_template(spec: Document) -> Errors:
    """Checks the template with the volumes that its claims will become."""
    if selects(spec.get("selector"), {}) is None:
        yield invalid("spec.selector", show_selector(spec["selector"]))
        return
    template = dict(spec.get("template") or {})
    pod = {k: v for k, v in (template.get("spec") or {}).items() if k not in ("subdomain", "hostname")}
    claimed = [(claim.get("metadata") or {}).get("name", "") for claim in spec.get("volumeClaimTemplates") or ()]
    others = [volume for volume in pod.get("volumes") or () if volume.get("name") not in claimed]
    added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in dict.fromkeys(claimed)]
    if added or others:
        pod["volumes"] = [*added, *others]
    yield from check_matching_template({**spec, "template": {**template, "spec": pod}}, "spec")
    metadata = template.get("metadata") or {}
    yield from check_labels(metadata.get("labels"), "spec.template.labels")
    yield from check_annotations(metadata.get("annotations"), "spec.template.annotations")
    yield from check_pod_annotations(metadata.get("annotations") or {}, pod, "spec.template.annotations")


def _check_stateful_strategy(strategy: Document) -> Errors:
    kind, rolling, path = strategy.get("type") or "", strategy.get("rollingUpdate"), "spec.updateStrategy"
    if not kind:
        yield required(path)
    elif kind == "OnDelete":
        if rolling is not None:
            shown = internal("apps.RollingUpdateStatefulSetStrategy", rolling)
            yield invalid(f"{path}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        yield from check_not_negative(f"{path}.rollingUpdate.partition", (rolling or {}).get("partition"))
    else:
        shown = internal("apps.StatefulSetUpdateStrategy", strategy)
        yield invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")


def _check_daemon_set_spec(spec: Document) -> Errors:
    selector = spec.get("selector")
    yield from check_selector(selector, "spec.selector")
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if selects(selector, labels or {}) is False:
        yield invalid("spec.template.metadata.labels", by_key(labels), _UNMATCHED)
    if selector is not None and is_empty_selector(selector):
        yield invalid("spec.selector", show_selector(selector), "empty selector is invalid for daemonset")
    yield from check_template(spec.get("template") or {}, "spec.template")
    yield from check_always_restarted(spec, "spec", "DaemonSet")
    yield from check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    yield from _check_daemon_strategy(spec.get("updateStrategy") or {})
    yield from check_not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))


def _check_daemon_strategy(strategy: Document) -> Errors:
    kind, rolling, path = strategy.get("type") or "", strategy.get("rollingUpdate"), "spec.updateStrategy"
    if kind == "RollingUpdate":
        if rolling is None:
            yield required(f"{path}.rollingUpdate")
        else:
            yield from _check_rolling_daemon_set(rolling, f"{path}.rollingUpdate")
    elif kind != "OnDelete":
        shown = internal("apps.DaemonSetUpdateStrategy", strategy)
        yield unsupported(path, shown, ("RollingUpdate", "OnDelete"))


def _check_rolling_daemon_set(rolling: Document, path: str) -> Errors:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for name, amount in (("maxUnavailable", unavailable), ("maxSurge", surge)):
        yield from check_amount_or_percentage(amount, f"{path}.{name}")
    for name, amount in (("maxUnavailable", unavailable), ("maxSurge", surge)):
        yield from check_at_most_all(amount, f"{path}.{name}")
    if figure(unavailable) and figure(surge):
        yield invalid(f"{path}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not figure(unavailable) and not figure(surge):
        yield required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


def _check_revision(revision: Document) -> Errors:
    yield from check_metadata(revision["metadata"], True, names.subdomain_problems)
    yield from check_not_negative("revision", revision.get("revision"))


def _check_replication_controller_spec(spec: Document) -> Errors:
    yield from check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    selector, template = spec.get("selector") or {}, spec.get("template")
    if not selector:
        yield required("spec.selector")
    yield from check_not_negative("spec.replicas", spec.get("replicas"))
    if template is None:
        yield required("spec.template")
        return
    labels = (template.get("metadata") or {}).get("labels") or {}
    if not selector.items() <= labels.items():
        yield invalid("spec.template.metadata.labels", by_key(labels), _UNMATCHED)
    yield from check_template(template, "spec.template")
    yield from check_always_restarted(spec, "spec", "ReplicationController")
