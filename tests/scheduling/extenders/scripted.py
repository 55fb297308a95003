"""An extender that answers as a test tells it to."""

from __future__ import annotations

from wavetank.scheduling.framework.extenders.extenders import Extender

URL = "http://extender"


class Scripted:
    """Answers each verb as told; an exception is raised, a function is called with the request."""

    def __init__(self, **answers):
        self.answers = answers
        self.calls = []

    def call(self, verb, request):
        self.calls.append((verb, request))
        answer = self.answers[verb]
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer


def an_extender(client, name="a", *, cached=True, **config):
    return Extender({"urlPrefix": f"{URL}/{name}", "nodeCacheCapable": cached, **config}, client)
