"""Simple models of pod autoscalers, as MiSim has them."""
