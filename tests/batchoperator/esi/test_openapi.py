from __future__ import annotations

from openapi_spec_validator import validate

from tests.batchoperator.esi.serving import ServedInterface
from wavetank.batchoperator.esi.routes import ROUTES


def test_the_openapi_document_is_valid_and_has_every_route(served: ServedInterface) -> None:
    document = served.ask("GET", "/openapi.json", token=None).json
    validate(document)
    operations = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert operations == {(route.method, route.path) for route in ROUTES} | {("GET", "/external/stream")}
    assert document["components"]["schemas"]["ExternalScheduling"]["required"] == ["name", "testBed"]
