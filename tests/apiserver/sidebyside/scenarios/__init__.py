"""The scenarios: each yields conversations by name, which follow from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tests.apiserver.sidebyside.conversing import Conversation
from tests.apiserver.sidebyside.documents import Document, all_documents
from tests.apiserver.sidebyside.scenarios.changes import changes
from tests.apiserver.sidebyside.scenarios.initial import initial
from tests.apiserver.sidebyside.scenarios.life import life
from tests.apiserver.sidebyside.scenarios.lists import lists
from tests.apiserver.sidebyside.scenarios.pods import pods
from tests.apiserver.sidebyside.scenarios.reading import reading
from tests.apiserver.sidebyside.scenarios.roles import roles
from tests.apiserver.sidebyside.scenarios.selecting import selecting
from tests.apiserver.sidebyside.scenarios.subresources import paths, subresources
from tests.apiserver.sidebyside.scenarios.webhooks import webhooks
from tests.apiserver.sidebyside.scenarios.writes import writes

Hold = Callable[[Conversation], None]
Scenario = Callable[[int], Iterator[tuple[str, Hold]]]


def _in_namespace(name: str, talk: Callable[[Conversation, str], None]) -> tuple[str, Hold]:
    namespace = f"g-{name.lower()}"

    def hold(conversation: Conversation) -> None:
        conversation.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        talk(conversation, namespace)

    return name, hold


def _of_documents(name: str, talk: Callable[[Conversation, str, Document, random.Random], None]) -> Scenario:
    """Returns the scenario that speaks of each document."""

    def made(seed: int) -> Iterator[tuple[str, Hold]]:
        for number, document in enumerate(all_documents()):

            def hold(conversation: Conversation, namespace: str, document: Document = document) -> None:
                talk(conversation, namespace, document, random.Random(seed))

            yield _in_namespace(f"{name}-{number}-{document['kind']}", hold)

    return made


def _of_namespace(name: str, talk: Callable[[Conversation, str, random.Random], None]) -> Scenario:
    """Returns the scenario of one conversation."""

    def made(seed: int) -> Iterator[tuple[str, Hold]]:
        yield _in_namespace(name, lambda conversation, namespace: talk(conversation, namespace, random.Random(seed)))

    return made


SCENARIOS: dict[str, Scenario] = {
    "life": _of_documents("life", life),
    "writes": _of_documents("writes", writes),
    "changes": _of_documents("changes", changes),
    "selecting": _of_documents("selecting", selecting),
    "initial": _of_namespace("initial", initial),
    "lists": _of_namespace("lists", lists),
    "pods": _of_namespace("pods", pods),
    "reading": _of_namespace("reading", reading),
    "subresources": _of_namespace("subresources", subresources),
    "webhooks": _of_namespace("webhooks", webhooks),
    "paths": _of_namespace("paths", paths),
    "roles": _of_namespace("roles", roles),
}
WITH_RBAC = ("roles",)  # scenarios of servers that authorize by roles


def conversations(names: Sequence[str], seed: int) -> Iterator[tuple[str, Hold]]:
    """Yields the conversations of the named scenarios."""
    for name in names:
        yield from SCENARIOS[name](seed)
