from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.errors import InputError
from wavetank.workloads.workload import Arrival, ObjectArrival

Complete = Callable[[Pod], None]


class Submitter:
    """Creates the workload's pods and objects at their times; it reads only one of them ahead.

    `complete` is called with each pod before it is created, `finish` with each other object, unless `create` has
    created it in another way; InputError if they refuse one. Objects are deleted at the end of their lifetime, and
    their pods by the garbage collector.
    """

    def __init__(
        self,
        context: ActorContext,
        arrivals: Iterator[Arrival | ObjectArrival],
        complete: Complete,
        finish: Callable[[Resource], Resource] | None = None,
        create: Callable[[Resource], Resource | None] | None = None,
    ) -> None:
        self._store = context.store
        self._clock = context.clock
        self._arrivals = arrivals
        self._complete = complete
        self._finish = finish
        self._create = create
        self._next: Arrival | ObjectArrival | None = None
        self._plan()

    @property
    def is_done(self) -> bool:
        """Tells whether everything was submitted."""
        return self._next is None

    def _plan(self) -> None:
        self._next = next(self._arrivals, None)
        if self._next is not None:
            self._clock.at(self._next.time, self._submit)

    def _submit(self) -> None:
        coming, now = self._next, self._clock.now
        while coming is not None and coming.time == now:
            if isinstance(coming, Arrival):
                check_pod(coming.pod, self._complete)
                self._store.create(coming.pod)
            else:
                self._create_object(coming)
            self._next = coming = next(self._arrivals, None)
        if coming is not None:
            self._clock.at(coming.time, self._submit)

    def _create_object(self, arrival: ObjectArrival) -> None:
        try:
            made = (self._create and self._create(arrival.resource)) or self._store_object(arrival.resource)
        except ApiError as error:
            raise InputError(str(error), path=_place(arrival.resource)) from None
        if arrival.lifetime is not None:
            self._clock.after(arrival.lifetime, partial(self._end, made))

    def _store_object(self, resource: Resource) -> Resource:
        made = resource if self._finish is None else self._finish(resource)
        check_template(made, self._complete)
        self._store.create(made)
        return made

    def _end(self, submitted: Resource) -> None:
        present = self._store.find(submitted.group_kind, submitted.namespace, submitted.name)
        if present is not None and present.uid == submitted.uid:
            self._store.discard(present)


def check_pod(pod: Pod, complete: Complete) -> None:
    """Completes a pod before it is created; InputError with the pod's name if it is refused."""
    try:
        complete(pod)
    except ApiError as error:
        raise InputError(str(error), path=_place(pod)) from None


def check_template(owner: Resource, complete: Complete) -> None:
    """Refuses an owner whose pods would all be refused: otherwise its pods would be missing without a message."""
    template = (owner.manifest.get("spec") or {}).get("template")
    if not isinstance(template, dict) or not template.get("spec"):
        return
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": owner.name, "namespace": owner.namespace}}
    try:
        complete(Pod.parse({**head, "spec": template["spec"]}, SpecTable()))
    except ApiError as error:
        raise InputError(str(error), path=_place(owner)) from None


def _place(resource: Resource) -> str:
    return f"{resource.manifest_kind.lower()} {'/'.join(part for part in resource.key if part)}"
