"""K8sSim's interface: simulations that are stepped by a client, and the server for them."""
