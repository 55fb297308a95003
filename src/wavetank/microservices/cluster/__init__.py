"""Services on a simulated cluster: their instances are pods."""
