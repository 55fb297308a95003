"""K8sSim on the tank: its result files, and its way of stepping through a simulation."""
