"""GPUs as single devices that pods share in thousandths: their state, the plugin that deals them out, policies."""
