"""The HTTP transport of the API: ASGI under uvicorn, authentication, TLS, kubeconfig."""
