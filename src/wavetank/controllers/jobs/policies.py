"""podFailurePolicy and successPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.jobs.intervals import Intervals, count, overlap, parse_intervals
from wavetank.controllers.jobs.pods import exit_codes

Policy = Mapping[str, Any]


class FailureMatch(NamedTuple):
    """The rule that a failed pod matches: its action, and the message if it fails the Job."""

    action: str = ""
    message: str = ""

    @property
    def counts(self) -> bool:
        """Tells whether the failure counts towards the back-off limit."""
        return self.action != "Ignore"


def match_failure_policy(policy: Policy | None, pod: Pod, context: ControllerContext) -> FailureMatch:
    """Matches a failed pod against a Job's podFailurePolicy."""
    for number, rule in enumerate((policy or {}).get("rules") or ()):
        action = str(rule.get("action"))
        what = _what_matches(rule, pod, context)
        if what:
            failed = f"{what} matching {action} rule at index {number}" if action == "FailJob" else ""
            return FailureMatch(action, failed)
    return FailureMatch()


def match_success_policy(policy: Policy | None, succeeded: Intervals, completions: int) -> str:
    """Returns which rule of a Job's successPolicy is met; empty if none is."""
    for number, rule in enumerate((policy or {}).get("rules") or () if succeeded else ()):
        wanted, least = rule.get("succeededIndexes"), rule.get("succeededCount")
        if wanted is not None:
            required = parse_intervals(wanted, completions)
            both = overlap(required, succeeded)
            met = bool(required) and (both == count(required) or (least is not None and both >= least))
        else:
            met = least is not None and count(succeeded) >= least
        if met:
            return f"Matched rules at index {number}"
    return ""


def _what_matches(rule: Policy, pod: Pod, context: ControllerContext) -> str:
    if rule.get("onExitCodes") is not None:
        return _matching_exit(rule["onExitCodes"], pod, context)
    for condition in (context.render(pod).get("status") or {}).get("conditions") or ():
        for pattern in rule.get("onPodConditions") or ():
            same = pattern.get("type") == condition.get("type")
            if same and (pattern.get("status") or "True") == condition.get("status"):
                return f"Pod {pod.namespace}/{pod.name} has condition {condition.get('type')}"
    return ""


def _matching_exit(requirement: Policy, pod: Pod, context: ControllerContext) -> str:
    name, values = requirement.get("containerName"), requirement.get("values") or ()
    for container, code in exit_codes(pod, context):
        if code and name in (None, container) and (code in values) == (requirement.get("operator") == "In"):
            return f"Container {container} for pod {pod.namespace}/{pod.name} failed with exit code {code}"
    return ""
