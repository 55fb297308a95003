"""misim-orchestration's own small cluster: its schedulers and scalers, in the preset `misim`."""
