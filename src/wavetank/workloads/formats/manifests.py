"""Kubernetes manifests as a cluster, and as pods to submit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.cluster.manifests import manifests_in
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.expansion import submissions_of
from wavetank.workloads.manifests.nodes import copies_of
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.manifests.submissions import Names, Submission, SubmittedWorkload


def are_manifests(file: InputFile) -> bool:
    """Tells whether a file looks like Kubernetes objects: the first document is one, or a list."""
    first = file.documents[0] if file.documents else None
    return isinstance(first, list) or (isinstance(first, dict) and "kind" in first)


def read_cluster_manifests(file: InputFile) -> list[Manifest]:
    """Reads every object of the file, of any kind; a snapshot's pods stay bound to their nodes.

    A Node with the annotation wavetank.dev/count stands for as many.
    """
    return list(objects_in(file, manifests_in(file.documents, file.source)))


def objects_in(file: InputFile, manifests: Iterable[tuple[str, Manifest]]) -> Iterator[Manifest]:
    """Yields manifests, each given with its place in the file, once it is clear that an object can be made of them."""
    specs = SpecTable()
    for place, manifest in manifests:
        try:
            make_object(manifest, specs)
            copies = copies_of(manifest)
        except InputError as error:
            file.skip(error.inside(path=place), "an object that cannot be used")
        else:
            yield from copies


class ManifestWorkload(SubmittedWorkload):
    """The Pods, Jobs, Deployments, ReplicaSets and StatefulSets of a file, each submitted at its arrival.

    The annotation wavetank.dev/arrival says when, the start of the run if there is none; at one time the
    order is that of the file. A workload resource becomes its pods, as `submissions_of` names them, and
    nothing replaces them. How long they run is what `behavior_of` reads; a Job's pods that do not tell, a minute.
    """

    def __init__(self, file: InputFile) -> None:
        super().__init__(file, submissions_in(file, manifests_in(file.documents, file.source)))


def submissions_in(file: InputFile, manifests: Iterable[tuple[str, Manifest]]) -> Iterator[Submission]:
    """Yields the pods of manifests, each given with its place in the file; a lenient reading skips what is wrong."""
    specs, names = SpecTable(), Names()
    for place, manifest in manifests:
        try:
            submissions = list(map(names.take, submissions_of(manifest, specs)))
        except InputError as error:
            file.skip(error.inside(path=place), "an object that cannot be submitted")
        else:
            yield from submissions
