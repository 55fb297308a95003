"""Why a pod went to its node: scheduling attempts explained on a cluster of their own (`Rehearsal`)."""
