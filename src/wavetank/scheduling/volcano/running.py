from __future__ import annotations

from collections.abc import Callable

from wavetank.scheduling.volcano.actions import ACTIONS
from wavetank.scheduling.volcano.session.closing import write_statuses
from wavetank.scheduling.volcano.session.outcome import SessionOutcome
from wavetank.scheduling.volcano.session.session import Session


def run_session(session: Session, tell: Callable[[str], None] | None = None) -> SessionOutcome:
    """Runs the actions of an open session and closes it; `tell` is called with the name of each before it starts.

    It is called once more, with an empty name, when the last action is over and nothing has been put back yet.
    """
    for name in session.conf.actions:
        if tell is not None:
            tell(name)
        ACTIONS[name](session)
    if tell is not None:
        tell("")
    session.settle()
    write_statuses(session)
    session.end()
    return session.outcome
