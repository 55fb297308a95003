"""The sockets through which programs in the loop reach the API server."""
