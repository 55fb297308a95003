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
  let found = "";
  for (const name of kinds.jobs.keys()) {
    if (name.length > found.length && pod && (pod === name || pod.startsWith(`${name}-`))) found = name;
  }
  return found;
}

/** The scheduling that has a job and is not over, or the latest one that had it. */
export function schedulingOf(job) {
  const having = all("schedulings").filter((each) => (each.jobStatus ?? []).some((status) => status.name === job));
  return having.find((each) => !["FinishedState", "CompletedState"].includes(each.state)) ?? having.at(-1);
}

/** The colour of a job, the same wherever it appears. */
export function colourOf(job) {
  if (!colours.has(job)) colours.set(job, colours.size % COLOURS);
  return `j${colours.get(job)}`;
}
