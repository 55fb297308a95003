from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import Arrival, ObjectArrival


class Submission(NamedTuple):
    """Pods of one manifest, submitted together; `run` is what each of them does.

    `source` is the object that they belong to, if they are not submitted by themselves, and `lifetime` how long it is
    there; None: forever.
    """

    time: Nanoseconds
    names: tuple[str, ...]
    namespace: str
    manifest: Manifest
    behavior: PodBehavior | None
    source: Resource | None = None
    lifetime: Nanoseconds | None = None


class SubmittedWorkload:
    """Pods that are submitted manifest by manifest, at one time in the order in which they were given.

    Two pods of one name in a namespace are refused.
    """

    def __init__(self, file: InputFile, submissions: Iterable[Submission]) -> None:
        self._submissions = sorted(submissions, key=lambda submission: submission.time)
        pods = sum(len(submission.names) for submission in self._submissions)
        self.description = f"{pods} pods from {file.name}"

    def names(self) -> set[str]:
        """Returns the names of all objects that own pods, and of pods without an owner."""
        owners = {each.source.name for each in self._submissions if each.source is not None}
        return owners | {name for each in self._submissions if each.source is None for name in each.names}

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; the same for every seed."""
        for submission in self._submissions:
            yield from _pods(submission, specs)

    def object_arrivals(
        self, specs: SpecTable, streams: Streams, kinds: Collection[str]
    ) -> Iterator[Arrival | ObjectArrival]:
        """Yields objects of these kinds once, in place of all their pods, and other pods."""
        last: Resource | None = None
        for submission in self._submissions:
            source = submission.source
            if source is None or source.group_kind not in kinds:
                yield from _pods(submission, specs)
            elif source is not last:
                last = source
                yield ObjectArrival(submission.time, source.copy(), submission.lifetime)


def _pods(submission: Submission, specs: SpecTable) -> Iterator[Arrival]:
    time, names, namespace, manifest, behavior, _, _ = submission
    spec = specs.intern(manifest["spec"])
    for name in names:
        yield Arrival(time, Pod(manifest, spec, name=name, namespace=namespace, behavior=behavior))


class Names:
    """The names that pods have already; one more of the same name in a namespace is refused."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def take(self, submission: Submission) -> Submission:
        """Notes the names of the submission's pods; one that is taken leaves them all untaken."""
        names = {(submission.namespace, name) for name in submission.names}
        for name in sorted(names & self._seen):
            raise InputError(f'a second pod "{name[1]}": names must be unique in a namespace', path="metadata.name")
        self._seen |= names
        return submission
