"""Jobs of Batsim's workloads and what they do on their machines."""
