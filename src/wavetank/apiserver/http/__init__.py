"""The transport: requests, responses, content negotiation, authentication, TLS, the server."""
