"""Real clusters: simulated nodes under a real control plane, workloads replayed, and how far a simulation is off."""
