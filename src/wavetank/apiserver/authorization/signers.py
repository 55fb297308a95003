from __future__ import annotations

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import Authorizer
from wavetank.apiserver.requests.request import User

_GROUP = "certificates.k8s.io"


def may_sign(authorizer: Authorizer, user: User, verb: str, signer: str) -> bool:
    """Tells whether a user may approve or sign (`verb`) for a signer, or for all signers of its domain."""
    names = (signer, f"{signer.partition('/')[0]}/*")
    return any(authorizer.authorize(user, Attributes(verb, _GROUP, "signers", name=name)).allowed for name in names)
