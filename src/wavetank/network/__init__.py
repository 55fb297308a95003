"""Links with latency and bandwidth, and flows that share them max-min fairly. It knows neither clocks nor programs."""
