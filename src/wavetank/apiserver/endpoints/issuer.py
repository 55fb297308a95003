"""What the issuer of service accounts' tokens says of itself: OpenID Connect discovery, and its public key."""

from __future__ import annotations

import msgspec

from wavetank.apiserver.endpoints.audiences import ISSUER
from wavetank.apiserver.endpoints.signing import signing_key
from wavetank.apiserver.requests.request import Request, Response

CONFIGURATION = "/.well-known/openid-configuration"
KEYS = "/openid/v1/jwks"

_CACHED = ("cache-control", "public, max-age=3600")


def issuer_document(request: Request) -> Response | None:
    """Answers the two paths of the issuer; None if it is another path."""
    if request.path == CONFIGURATION:
        described = {
            "issuer": ISSUER,
            "jwks_uri": f"https://{request.headers.get('host', 'localhost')}{KEYS}",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        return Response(200, [_CACHED, ("content-type", "application/json")], msgspec.json.encode(described))
    if request.path == KEYS:
        keys = msgspec.json.encode({"keys": [signing_key().public]})
        return Response(200, [_CACHED, ("content-type", "application/jwk-set+json")], keys)
    return None
