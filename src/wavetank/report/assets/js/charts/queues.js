// Use of quota and pending workloads of ClusterQueues; only in reports of runs with ClusterQueues.

const QUEUE_HEADS = ["ClusterQueue", "Cohort", "Workloads", "Mean wait", "p95 wait", "Pending at the end", "Preempted", "Preempted others",
  "Use of quota", "Time borrowing"];
const MOST_QUEUE_LINES = 12;

function startQueues() {
  const state = { run: sharedView.index("queues-run", DATA.queues.length), resource: queueResources(DATA.queues[0])[0] };
  const share = (value) => `${number(100 * value)} %`;
  const options = { xTitle: "time", formatX: instant };
  const use = new LineChart(byId("queues-use"), {
    ...options, formatY: share, formatTick: share, yTicks: (high) => linearTicks(0, high, 4),
  });
  const pending = new LineChart(byId("queues-pending"), {
    ...options, formatY: (value) => number(value), formatTick: shortCount, yTicks: wholeTicks,
  });
  const redraw = () => showQueues(state, use, pending);
  queueControls(state, redraw);
  redraw();
}

function queueResources(run) {
  const names = Object.keys(run.used);
  return names.includes("cpu") ? ["cpu", ...names.filter((name) => name !== "cpu")] : names;
}

function queueControls(state, redraw) {
  const host = byId("queues-controls");
  const runs = DATA.queues.map(({ scheduler, seed }) => `${scheduler}, seed ${seed}`);
  if (runs.length > 1) host.append(keptDropDown("queues-run", "Run", runs, (value) => { state.run = value; redraw(); }));
  const resources = queueResources(DATA.queues[0]).map((name) => [name, name]);
  if (resources.length > 1) host.append(dropDown("Resource", resources, (value) => { state.resource = value; redraw(); }));
}

function showQueues(state, use, pending) {
  const run = DATA.queues[state.run], shown = run.names.slice(0, MOST_QUEUE_LINES);
  const line = (name, index, points) => ({ name, index, x: points ? points[0] : [], y: points ? points[1] : [], end: run.end });
  const uses = shown.map((name, i) => line(name, i, (run.used[state.resource] ?? [])[i]));
  const waits = shown.map((name, i) => line(name, i, run.pending[i]));
  byId("queues-key").replaceChildren(...shown.map((name, i) => el("span", { class: "field" }, sample(i), name)));
  byId("queues-use-caption").textContent = `Use of the nominal quota of ${state.resource}`;
  use.show(uses, { yHigh: Math.max(1, queuePeak(uses)) * 1.05, label: `Use of the quota of ${state.resource} over time` });
  pending.show(waits, { yHigh: Math.max(1, queuePeak(waits)) * 1.05, label: "Pending workloads over time" });
  byId("queues-table").replaceChildren(queueTable(run));
}

function queuePeak(lines) {
  return lines.reduce((most, line) => line.y.reduce((a, b) => Math.max(a, b), most), 0);
}

function queueTable(run) {
  const row = (name, i) => {
    const [workloads, mean, p95, pending, preempted, preempting, use, borrowing] = run.figures[i];
    const share = (value) => (value === null ? DASH : `${number(100 * value)} %`);
    return [name, run.cohorts[i] || DASH, number(workloads), duration(mean ?? NaN), duration(p95 ?? NaN), number(pending), number(preempted),
      number(preempting), share(use), share(borrowing)];
  };
  const cells = (tag, values) => values.map((value, i) => el(i === 0 ? "th" : tag, {}, value));
  return el("table", { class: "numbers" }, el("thead", {}, el("tr", {}, ...cells("th", QUEUE_HEADS))),
    el("tbody", {}, ...run.names.map((name, i) => el("tr", {}, ...cells("td", row(name, i))))));
}

startQueues();
