"""The scenarios: each yields conversations by name, which follow from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tests.apiserver.sidebyside.conversing import Conversation
from tests.apiserver.sidebyside.documents import all_documents
from tests.apiserver.sidebyside.scenarios.life import life

Hold = Callable[[Conversation], None]
Scenario = Callable[[int], Iterator[tuple[str, Hold]]]


def _in_namespace(name: str, talk: Callable[[Conversation, str], None]) -> tuple[str, Hold]:
    namespace = f"g-{name.lower()}"

    def hold(conversation: Conversation) -> None:
        conversation.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        talk(conversation, namespace)

    return name, hold


def _lives(seed: int) -> Iterator[tuple[str, Hold]]:
    for number, document in enumerate(all_documents()):
        name = f"life-{number}-{document['kind']}"
        yield _in_namespace(
            name, lambda talk, namespace, document=document: life(talk, namespace, document, random.Random(seed))
        )


SCENARIOS: dict[str, Scenario] = {"life": _lives}


def conversations(names: Sequence[str], seed: int) -> Iterator[tuple[str, Hold]]:
    """Yields the conversations of the named scenarios."""
    for name in names:
        yield from SCENARIOS[name](seed)
