// What is known of the cluster: the resources by kind and name.

const COLOURS = 5;
const colours = new Map(); // of jobs, in the order in which they were seen
const kinds = { testbeds: new Map(), jobs: new Map(), schedulings: new Map() };
const listeners = [];
let fresh = null; // what a new connection has sent so far, until it is complete
let due = false;

/** Calls `draw` after the resources have changed, once for all changes of a frame. */
export function onChange(draw) {
  listeners.push(draw);
}

export function all(kind) {
  return [...kinds[kind].values()];
}

export function find(kind, name) {
  return kinds[kind].get(name);
}

export function beginAgain() {
  fresh = { testbeds: new Map(), jobs: new Map(), schedulings: new Map() };
}

export function apply({ topic, action, name, resource }) {
  if (action === "BOOKMARK") {
    Object.assign(kinds, fresh);
    fresh = null;
  } else {
    const resources = (fresh ?? kinds)[topic];
    if (action === "DELETED") resources.delete(name);
    else resources.set(name, resource);
  }
  if (fresh === null) plan();
}

function plan() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    for (const draw of listeners) draw();
    document.documentElement.dataset.ready = "";
  });
}

export function slotsOf(testbed) {
  return Object.values(testbed.slotsByNode).flat().sort((a, b) => a.position - b.position);
}

/** The job to which a pod belongs: pods are named after their job. */
export function jobOfPod(pod) {
  for (let end = pod.length; end > 0; end = pod.lastIndexOf("-", end - 1)) {
    if (kinds.jobs.has(pod.slice(0, end))) return pod.slice(0, end);
  }
  return "";
}

/** For each job the scheduling that has it and is not over, or the latest one that had it. */
export function schedulingsByJob() {
  const found = new Map();
  for (const scheduling of kinds.schedulings.values()) {
    const over = ["FinishedState", "CompletedState"].includes(scheduling.state);
    for (const { name } of scheduling.jobStatus ?? []) {
      if (!over || !found.has(name)) found.set(name, scheduling);
    }
  }
  return found;
}

/** The colour of a job, the same wherever it appears. */
export function colourOf(job) {
  if (!colours.has(job)) colours.set(job, colours.size % COLOURS);
  return `j${colours.get(job)}`;
}
