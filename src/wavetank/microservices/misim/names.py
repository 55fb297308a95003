from __future__ import annotations

from wavetank.errors import InputError
from wavetank.microservices.misim.fields import hint


def plain_name(service: str, operation: str) -> str:
    """Returns the name of an operation without that of its service."""
    return operation.removeprefix(f"{service}.")


class Names:
    """Services and their operations in order, to find what a name means.

    With `prefix_is_qualified` an operation whose name begins with the service's counts as qualified, as in MiSim.
    """

    def __init__(self, prefix_is_qualified: bool) -> None:
        self.services: dict[str, list[str]] = {}
        self._prefix_is_qualified = prefix_is_qualified

    def declare(self, service: str, operations: list[str]) -> None:
        """Adds a service."""
        self.services[service] = operations

    def resolve(self, service: str | None, operation: str | None, path: str) -> tuple[str, str]:
        """Returns the (service, operation) that is meant."""
        if operation is None:
            raise InputError("expected the name of an operation", path=path)
        if service is not None and not self._is_qualified(service, operation):
            return self._checked(service, plain_name(service, operation), path)
        if "." in operation:
            first, _, second = operation.partition(".")
            return self._checked(first, second, path)
        for name, operations in self.services.items():
            if operation in operations:
                return name, operation
        known = {each for operations in self.services.values() for each in operations}
        raise InputError(f"no service has an operation {operation!r}{hint(operation, known)}", path=path)

    def _is_qualified(self, service: str, operation: str) -> bool:
        return operation.startswith(service) and self._prefix_is_qualified

    def _checked(self, service: str, operation: str, path: str) -> tuple[str, str]:
        if service not in self.services:
            raise InputError(f"no such service: {service!r}{hint(service, self.services)}", path=path)
        if operation not in self.services[service]:
            known = self.services[service]
            raise InputError(f"service {service!r} has no operation {operation!r}{hint(operation, known)}", path=path)
        return service, operation
