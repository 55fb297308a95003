from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wavetank.cluster.fields.selectors import LabelSelector, Requirement, parse_selector_text
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import ApiError, NoKindMatchError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.podautoscaler.autoscaler import Autoscaler
from wavetank.controllers.podautoscaler.configuration import Configuration
from wavetank.controllers.podautoscaler.limits import Limited, ScaleEvents, limit
from wavetank.controllers.podautoscaler.metrics import InvalidMetricError, Json, Measured, MetricEvaluation
from wavetank.controllers.podautoscaler.replicacalculator import Situation, Tolerances
from wavetank.controllers.podautoscaler.selections import Selections
from wavetank.controllers.podautoscaler.stabilization import Recommendations, Stabilized
from wavetank.controllers.podautoscaler.status import ABLE_TO_SCALE, SCALING_ACTIVE, SCALING_LIMITED, Status
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.textcache import cached_text

NORMAL, WARNING = "Normal", "Warning"
COMPONENT = "horizontal-pod-autoscaler"

_TRIES = 5  # of a write of the scale that meets a conflict
_PAUSE: Nanoseconds = SECOND * 21 // 2000  # between two of them; the real one is 10 to 11 ms, by chance
_UNREADABLE_SCALE = (
    "received an object from a /scale endpoint which was not convertible to autoscaling Scale: "
    'failed to parse target selector: couldn\'t parse the selector string "{}": {}'
)


class SyncError(Exception):
    """A sync without a decision; the text is what the controller logs."""


@dataclass
class History:
    """What the controller remembers of one autoscaler: it goes when the autoscaler is missing at its turn."""

    recommendations: Recommendations | None = None
    events: ScaleEvents | None = None


@dataclass
class SyncOutcome:
    """The outcome of one sync; fields that it did not reach are None.

    `proposed` is the largest proposal of the metrics, `desired` the size after stabilization and all limits.
    `rescaled` tells whether the target was given that size, for that `reason`.
    """

    key: Key
    time: Nanoseconds
    autoscaler: Autoscaler
    scale: Scale | None = None
    proposed: int | None = None
    metric: str = ""
    desired: int | None = None
    rescaled: bool = False
    reason: str = ""
    error: str = ""


@dataclass(frozen=True)
class SyncContext:
    """What all syncs share."""

    controller: ControllerContext
    configuration: Configuration
    selections: Selections
    evaluation: MetricEvaluation


class Sync:
    """One sync of one autoscaler: reads the scale and the metrics, decides, writes scale and status.

    It is over at once, unless a write of the scale meets a conflict and is tried again; then `done` is called.
    """

    def __init__(
        self,
        context: SyncContext,
        hpa: Resource,
        autoscaler: Autoscaler,
        history: History,
        done: Callable[[SyncOutcome], None],
    ) -> None:
        self._context = context
        self._client, self._clock = context.controller.client, context.controller.clock
        self._hpa = hpa
        self._autoscaler = autoscaler
        self._history = history
        self._done = done
        self._status = Status(hpa.manifest.get("status") or {}, self._clock)
        self._metrics: list[Json] | None = None
        self._current = 0
        self._reference = f"{autoscaler.kind}/{hpa.namespace}/{autoscaler.name}"
        self.outcome = SyncOutcome(hpa.key, self._clock.now, autoscaler)

    def run(self) -> None:
        """Runs the sync."""
        try:
            scale = self.outcome.scale = self._read_scale()
            self._current = scale.spec_replicas
            if self._history.recommendations is None:
                self._history.recommendations = Recommendations(self._current, self._clock.now)
            rescale = self._decide(scale)
        except SyncError as error:
            self._end(str(error))
            return
        if rescale:
            self._rescale(scale, 1)
        else:
            self._finish(rescaled=False)

    def _tell(self, type_: str, reason: str, message: str) -> None:
        self._context.controller.record_event(self._hpa, type_, reason, message, COMPONENT)

    # the scale

    def _read_scale(self) -> Scale:
        try:
            scale = self._get_scale()
        except (ApiError, InputError) as error:
            self._tell(WARNING, "FailedGetScale", str(error))
            message = f"the HPA controller was unable to get the target's current scale: {error}"
            self._status.set_condition(ABLE_TO_SCALE, False, "FailedGetScale", message)
            self._write_status()
            if isinstance(error, NoKindMatchError):
                raise SyncError(f"unable to determine resource for scale target reference: {error}") from None
            raise SyncError(f"failed to query scale subresource for {self._reference}: {error}") from None
        message = "the HPA controller was able to get the target's current scale"
        self._status.set_condition(ABLE_TO_SCALE, True, "SucceededGetScale", message)
        return scale

    def _get_scale(self) -> Scale:
        target = self._autoscaler
        if target.api_version.count("/") > 1:
            raise InputError(f"unexpected GroupVersion string: {target.api_version}")
        scale = self._client.get_scale(target.group, target.kind, self._hpa.namespace, target.name)
        try:
            if any(each.operator in ("Gt", "Lt") for each in _parse(scale.selector).requirements or ()):
                raise InputError("comparisons are not part of a LabelSelector")
        except InputError as error:
            raise InputError(_UNREADABLE_SCALE.format(scale.selector, error)) from None
        return scale

    # the decision

    def _decide(self, scale: Scale) -> bool:
        """Sets the desired size; returns whether it is to be written."""
        least, most = self._autoscaler.min_replicas, self._autoscaler.max_replicas
        if self._current == 0 and least != 0:
            message = "scaling is disabled since the replica count of the target is zero"
            self._status.set_condition(SCALING_ACTIVE, False, "ScalingDisabled", message)
            self.outcome.desired = 0
            return False
        if self._current > most:
            self.outcome.reason = "Current number of replicas above Spec.MaxReplicas"
            self.outcome.desired = most
            return True
        if self._current < least:
            self.outcome.reason = "Current number of replicas below Spec.MinReplicas"
            self.outcome.desired = least
            return True
        self._propose(scale)
        assert self.outcome.proposed is not None
        wanted = max(self.outcome.proposed, 0)
        if wanted > self._current:
            self.outcome.reason = f"{self.outcome.metric} above target"
        if wanted < self._current:
            self.outcome.reason = "All metrics below target"
        self.outcome.desired = self._normalize(wanted)
        return self.outcome.desired != self._current

    def _propose(self, scale: Scale) -> None:
        """Sets the largest proposal of all metrics."""
        try:
            best, error = self._evaluate(scale)
        except SyncError as failure:
            self._status.set_replicas(self._current, self._status.desired_replicas, self._metrics, rescaled=False)
            self._write_status()
            self._tell(WARNING, "FailedComputeMetricsReplicas", str(failure))
            what = "failed to compute desired number of replicas based on listed metrics for"
            raise SyncError(f"{what} {self._reference}: {failure}") from None
        message = f"the HPA was able to successfully calculate a replica count from {best.name}"
        self._status.set_condition(SCALING_ACTIVE, True, "ValidMetricFound", message)
        self.outcome.proposed, self.outcome.metric, self.outcome.error = best.replicas, best.name, error

    def _evaluate(self, scale: Scale) -> tuple[Measured, str]:
        """Returns the metric with the largest proposal, and what is wrong with others: then it may not scale down."""
        given = self._situation(scale)
        selector, namespace = _parse(scale.selector), self._hpa.namespace
        best: Measured | None = None
        invalid: list[InvalidMetricError] = []
        self._metrics = []
        for spec in self._autoscaler.metrics:
            try:
                measured = self._context.evaluation.evaluate(spec, namespace, selector, given)
            except InvalidMetricError as error:
                self._tell(WARNING, error.reason, error.why)
                self._metrics.append({"type": ""})
                invalid.append(error)
                continue
            self._metrics.append(measured.status)
            if best is None or best.replicas == 0 or measured.replicas > best.replicas:
                best = measured
        if not invalid and best is not None:
            return best, ""
        text = f"invalid metrics ({len(invalid)} invalid out of {len(self._metrics)}), first error is: {invalid[0]}"
        if best is None or best.replicas < self._current:
            message = f"the HPA was unable to compute the replica count: {invalid[0].why}"
            self._status.set_condition(SCALING_ACTIVE, False, invalid[0].reason, message)
            raise SyncError(text)
        return best, text

    def _situation(self, scale: Scale) -> Situation:
        if not scale.selector:
            self._tell(WARNING, "SelectorRequired", "selector is required")
            message = "the HPA target's scale is missing a selector"
            self._status.set_condition(SCALING_ACTIVE, False, "InvalidSelector", message)
            raise SyncError("selector is required")
        selections = self._context.selections
        selection = selections.select(self._hpa.key, _parse(scale.selector))
        rivals = selections.rivals(self._hpa.key)
        if len(rivals) > 1:
            names = " ".join("/".join(key) for key in rivals)
            text = f"pods by selector {_text(scale.selector)} are controlled by multiple HPAs: [{names}]"
            self._tell(WARNING, "AmbiguousSelector", text)
            self._status.set_condition(SCALING_ACTIVE, False, "AmbiguousSelector", text)
            raise SyncError(text)
        return Situation(self._current, scale.status_replicas, selection, self._tolerances(), self._clock.now)

    def _tolerances(self) -> Tolerances:
        general, behavior = self._context.configuration.tolerance, self._autoscaler.behavior
        if behavior is None:
            return Tolerances(general, general)
        down, up = behavior.down.tolerance, behavior.up.tolerance
        return Tolerances(general if down is None else down, general if up is None else up)

    def _normalize(self, wanted: int) -> int:
        """Stabilizes and limits the wanted size."""
        stabilized = self._stabilize(wanted)
        self._status.set_condition(ABLE_TO_SCALE, True, stabilized.reason, stabilized.message)
        limited = self._limit(stabilized.replicas)
        is_limited = limited.replicas != stabilized.replicas
        self._status.set_condition(SCALING_LIMITED, is_limited, limited.reason, limited.message)
        return limited.replicas

    def _stabilize(self, wanted: int) -> Stabilized:
        made, behavior, now = self._history.recommendations, self._autoscaler.behavior, self._clock.now
        window = self._context.configuration.downscale_stabilization
        assert made is not None
        if behavior is None:
            return made.stabilize(wanted, now, window)
        down = window // SECOND * SECOND if behavior.down.window is None else behavior.down.window
        return made.stabilize_within(wanted, self._current, now, behavior.up.window or 0, down)

    def _limit(self, wanted: int) -> Limited:
        least, most = self._autoscaler.min_replicas, self._autoscaler.max_replicas
        if self._autoscaler.behavior is None:
            return limit(wanted, self._current, least, most)
        events = self._history.events or ScaleEvents()
        return events.limit(wanted, self._current, (least, most), self._autoscaler.behavior, self._clock.now)

    # writing

    def _rescale(self, scale: Scale, attempt: int) -> None:
        """Writes the desired size; after a conflict again, with the newest version but the same size."""
        desired = self.outcome.desired
        assert desired is not None
        try:
            self._client.update_scale(scale, desired)
        except ApiError as error:
            newest = self._newest(scale)
            if error.reason == "Conflict" and attempt < _TRIES:
                self._clock.after(_PAUSE, lambda: self._rescale(newest, attempt + 1), background=True)
            else:
                self._fail_to_rescale(desired, error)
            return
        self._rescaled(desired)

    def _newest(self, scale: Scale) -> Scale:
        try:
            return self._get_scale()
        except (ApiError, InputError):
            return scale

    def _fail_to_rescale(self, desired: int, error: ApiError) -> None:
        self._tell(WARNING, "FailedRescale", f"New size: {desired}; reason: {self.outcome.reason}; error: {error}")
        message = f"the HPA controller was unable to update the target scale: {error}"
        self._status.set_condition(ABLE_TO_SCALE, False, "FailedUpdateScale", message)
        self._status.set_replicas(self._current, self._status.desired_replicas, self._metrics, rescaled=False)
        self._write_status()
        self._end(f"failed to rescale {self._reference}: {error}")

    def _rescaled(self, desired: int) -> None:
        message = f"the HPA controller was able to update the target scale to {desired}"
        self._status.set_condition(ABLE_TO_SCALE, True, "SucceededRescale", message)
        self._tell(NORMAL, "SuccessfulRescale", f"New size: {desired}; reason: {self.outcome.reason}")
        behavior = self._autoscaler.behavior
        if behavior is not None:
            self._history.events = self._history.events or ScaleEvents()
            self._history.events.record(self._current, desired, self._clock.now, behavior)
        self.outcome.rescaled = True
        self._finish(rescaled=True)

    def _finish(self, rescaled: bool) -> None:
        desired = self.outcome.desired if rescaled else self._current
        assert desired is not None
        self._status.set_replicas(self._current, desired, self._metrics, rescaled)
        self._end(self._write_status() or self.outcome.error)

    def _write_status(self) -> str:
        """Writes the status if it says something new; returns what is wrong if that is refused."""
        document = self._status.document()
        if document is None:
            return ""
        try:
            self._client.update_status(self._hpa, document)
        except ApiError as error:
            self._tell(WARNING, "FailedUpdateStatus", str(error))
            return f"failed to update status for {self._hpa.name}: {error}"
        return ""

    def _end(self, error: str) -> None:
        self.outcome.error = error
        self._done(self.outcome)


def _text(selector: str) -> str:
    """Writes a selector in the order of its keys, as the scale client does."""
    terms = sorted(_parse(selector).requirements or (), key=lambda each: each.key)
    return ",".join(_term(each) for each in terms)


def _term(each: Requirement) -> str:
    if each.operator in ("Exists", "DoesNotExist"):
        return each.key if each.operator == "Exists" else f"!{each.key}"
    if each.operator == "In" and len(each.values) == 1:
        return f"{each.key}={next(iter(each.values))}"
    return f"{each.key} {each.operator.lower()} ({','.join(sorted(each.values))})"


@cached_text(1024, long=1_000_000)  # each sync reads it several times
def _parse(selector: str) -> LabelSelector:
    return parse_selector_text(selector)
