"""The thesis on TOPSIS for container scheduling."""
