from __future__ import annotations

import hmac
import secrets


class OneTimeLogin:
    """A code that can be exchanged for the token once; without a token there is none.

    The code is part of a link that is printed in a terminal. A link that leaks later, from a history or a log, is worth
    nothing.
    """

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._code = secrets.token_urlsafe(24) if token else ""

    def link(self, page: str) -> str:
        """Returns the address of the page with the code in its fragment, which browsers never send."""
        return f"{page}#login={self._code}" if self._code else page

    def exchange(self, code: str) -> str | None:
        """Returns the token for the code, and forgets the code; None if it is wrong or was used."""
        if not self._code or not hmac.compare_digest(code.encode(), self._code.encode()):
            return None
        self._code = ""
        return self._token
