from __future__ import annotations

from wavetank.apiserver import errors
from wavetank.apiserver.verbs.objects import Document

_LISTS = ("initContainers", "containers", "ephemeralContainers")


def choose_container(pod: Document, asked: str) -> str:
    """Returns the container that a request means; 400 if it names a wrong one, or none of several."""
    spec, name = pod["spec"], pod["metadata"]["name"]
    names = [str(each["name"]) for field in _LISTS for each in spec.get(field) or []]
    if asked:
        if asked not in names:
            raise errors.bad_request(f"container {asked} is not valid for pod {name}")
        return asked
    if len(spec["containers"]) == 1:
        return str(spec["containers"][0]["name"])
    raise errors.bad_request(f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]")
