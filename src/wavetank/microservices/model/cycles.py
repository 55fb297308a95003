from __future__ import annotations

from wavetank.errors import InputError
from wavetank.microservices.model.architecture import Service, calls_of

_Edge = tuple[str, str]


def check_cycles(services: tuple[Service, ...]) -> None:
    """Refuses operations that wait for themselves through their calls: such a request would never end."""
    calls = {
        (service.name, operation.name): [(call.service, call.operation) for call in calls_of(operation.dependencies)]
        for service in services
        for operation in service.operations
    }
    done: set[_Edge] = set()
    for start in calls:
        _visit(start, calls, done, {})


def _visit(edge: _Edge, calls: dict[_Edge, list[_Edge]], done: set[_Edge], path: dict[_Edge, None]) -> None:
    if edge in path:
        names = [".".join(each) for each in [*path][[*path].index(edge) :]]
        raise InputError(f"a cycle of calls: {' -> '.join([*names, names[0]])}", path="microservices")
    if edge in done:
        return
    path[edge] = None
    for target in calls.get(edge, ()):
        _visit(target, calls, done, path)
    del path[edge]
    done.add(edge)
