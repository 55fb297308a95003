"""In which aspects runs are compared with a recording."""

from __future__ import annotations

FREE = "free"  # files: the sizes of groups in a run in which nothing is taken from the recording
GUIDED = "guided"  # files: the same where choices that are a matter of chance are taken from the recording
SIZES = "sizes"  # changes of the sizes of groups in the guided run
OF_LOOPS = ("scale-up", "scale-down", "failures")  # loops, each from the recorded state
TAINTS, EVICTIONS, STATUS, EVENTS = "taints", "evictions", "status", "events"  # of the run from recorded states
NODE_ASPECTS = (FREE, GUIDED, SIZES, *OF_LOOPS, TAINTS, EVICTIONS, STATUS, EVENTS)
