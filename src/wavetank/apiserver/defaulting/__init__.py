"""The values that the API server gives to fields which a client left out, one file per API group."""
