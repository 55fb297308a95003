"""The REST paths of the interface, in one table: requests are answered and the OpenAPI document is made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.batchoperator.esi.external import ExternalBatchJob, ExternalScheduling, ExternalTestbed
from wavetank.batchoperator.esi.interface import Interface

Answer = Callable[[Interface, str, Any], Any]


@dataclass(frozen=True)
class Route:
    """One operation: `answer` gets the interface, the name in the path and the body, read as `body`.

    A result of None is answered with `nothing`. `refusals` are the other statuses, with when they are answered.
    """

    method: str
    path: str
    operation: str
    summary: str
    answer: Answer
    result: Any
    body: Any = None
    nothing: int = 404
    refusals: Mapping[int, str] | None = None


_MISSING = {404: "There is no such resource."}
_INVALID = {
    400: "The body is malformed; `field` is the place.",
    422: "The body names a testbed, job or slot that does not exist; `field` is the place.",
    409: "The resource keeps being changed by others.",
    413: "The body has more than 512 KB.",
}

ROUTES = (
    Route(
        "GET",
        "/external/testbeds",
        "listTestbeds",
        "All testbeds with their slots",
        lambda interface, name, body: interface.testbeds(),
        list[ExternalTestbed],
    ),
    Route(
        "GET",
        "/external/testbeds/{name}",
        "getTestbed",
        "One testbed with its slots",
        lambda interface, name, body: interface.testbed(name),
        ExternalTestbed,
        refusals=_MISSING,
    ),
    Route(
        "GET",
        "/external/jobs",
        "listJobs",
        "All jobs, by name",
        lambda interface, name, body: interface.jobs(),
        dict[str, ExternalBatchJob],
    ),
    Route(
        "GET",
        "/external/jobs/{name}",
        "getJob",
        "One job",
        lambda interface, name, body: interface.job(name),
        ExternalBatchJob,
        refusals=_MISSING,
    ),
    Route(
        "PUT",
        "/external/jobs",
        "updateJob",
        "Stores the externalScheduler data of a job; its other fields are ignored",
        lambda interface, name, body: interface.update_job(body),
        ExternalBatchJob,
        body=ExternalBatchJob,
        refusals={**{status: _INVALID[status] for status in (400, 409, 413)}, **_MISSING},
    ),
    Route(
        "GET",
        "/external/schedulings",
        "listSchedulings",
        "All schedulings",
        lambda interface, name, body: interface.schedulings(),
        list[ExternalScheduling],
    ),
    Route(
        "POST",
        "/external/schedulings",
        "createScheduling",
        "Creates a scheduling, or replaces the jobs of the one with this name",
        lambda interface, name, body: interface.put_scheduling(body),
        ExternalScheduling,
        body=ExternalScheduling,
        refusals=_INVALID,
    ),
    Route(
        "GET",
        "/external/schedulings/{name}",
        "getScheduling",
        "One scheduling with its state and those of its jobs",
        lambda interface, name, body: interface.scheduling(name),
        ExternalScheduling,
        refusals=_MISSING,
    ),
    Route(
        "DELETE",
        "/external/schedulings/{name}",
        "deleteScheduling",
        "Deletes a scheduling, which releases its jobs, and returns it as it was",
        lambda interface, name, body: interface.delete_scheduling(name),
        ExternalScheduling,
        nothing=304,
        refusals={304: "There is no such scheduling; nothing was changed."},
    ),
)


def find_route(method: str, path: str) -> tuple[Route | None, str, list[str]]:
    """Returns the route of a request, the name in its path, and all methods that the path has.

    A slash at the end changes nothing, as with Spring.
    """
    parts = path.removesuffix("/").split("/")
    found = [(route, name) for route in ROUTES if (name := _match(route.path, parts)) is not None]
    methods = [route.method for route, _ in found]
    for route, name in found:
        if route.method == method:
            return route, name, methods
    return None, "", methods


def _match(template: str, parts: list[str]) -> str | None:
    """Returns the name in a path, empty if it has none; None if the path is another one."""
    *fixed, last = template.split("/")
    if parts[:-1] != fixed or not parts[-1]:
        return None
    if last == "{name}":
        return parts[-1]
    return "" if parts[-1] == last else None
