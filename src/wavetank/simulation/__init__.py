"""One World: a clock, a store and their actors, for runs, serving, verification and K8sSim."""
