"""The Volcano scheduler: sessions over queues and jobs, as Volcano 1.15 runs them."""
