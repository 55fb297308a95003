"""Machines of a simulated cloud: MachineDeployments, MachineSets, and Machines that become nodes."""
