from __future__ import annotations

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.cluster.store.store import Store


class Plugin:
    """An admission plugin: it may change an object before validation, and refuse it before or after."""

    name = ""

    def __init__(self, store: Store) -> None:
        self.store = store

    def mutate(self, attributes: Attributes) -> None:
        """Changes the object, or refuses it with a StatusError."""

    def validate(self, attributes: Attributes) -> None:
        """Refuses the complete object with a StatusError."""
