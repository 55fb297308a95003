"""Who issues tokens of service accounts, and for whom: the values of the real server that ours is compared with."""

from __future__ import annotations

ISSUER = "https://x"
AUDIENCES = (ISSUER,)
