"""One World: clock, store and actors put together."""
