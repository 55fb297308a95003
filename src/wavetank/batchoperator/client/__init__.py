"""How the batch operator reads and writes objects: in a simulated cluster, or over HTTP."""
