// The run behind the Gantt chart: bars ordered by node and time.

const podTable = once(async (index) => {
  const table = DATA.gantt.podTables[index];
  const [names, jobs, requests, words] = await Promise.all(
    [unpackTexts(table.names), unpackTexts(table.jobs), unpackTexts(table.requests), unpackWords(table.words, 7)]);
  const [submitted, cpu, memory, job, request, group, priority] = words;
  return { names, jobs, requests, groups: table.groups, priorities: table.priorities, submitted, cpu, memory, job, request, group, priority };
});

const nodeTable = once(async (index) => {
  const table = DATA.gantt.nodeTables[index];
  const [names, words] = await Promise.all([unpackTexts(table.names), unpackWords(table.words, 2)]);
  return { names, cpu: words[0], memory: words[1] };
});

/** Loads what is embedded of a run: with `bars`, or with a ready-made `heat` map only. */
const ganttModel = once(async (index) => {
  const run = DATA.gantt.runs[index];
  const nodes = await nodeTable(run.nodes);
  const model = { run, end: run.end, nodes };
  if (run.heat) return { ...model, heat: { ...run.heat, values: await unpackBytes(run.heat.bytes) }, colourings: new Map() };
  const [pods, words] = await Promise.all([podTable(run.pods), unpackWords(run.bars.words, 5)]);
  const fates = { scheduled: words[0], started: words[1], finished: words[2], node: words[3], phase: words[4] };
  const ordered = orderBars({ ...model, pods, fates, tick: run.bars.tick, phases: run.bars.phases });
  return { ...ordered, lanes: layLanes(ordered), stack: stackBars(ordered), colourings: colourings(ordered) };
});

/** Adds the bars, ordered by node and then time; those of node n are first[n] to first[n + 1]. */
function orderBars(model) {
  const { scheduled, node } = model.fates;
  const nodes = model.nodes.names.length;
  const placed = Array.from(scheduled.keys()).filter((pod) => scheduled[pod] !== NEVER && node[pod] !== NEVER);
  placed.sort((a, b) => node[a] - node[b] || scheduled[a] - scheduled[b] || a - b);
  const first = new Uint32Array(nodes + 1);
  for (const pod of placed) first[node[pod] + 1]++;
  for (let n = 0; n < nodes; n++) first[n + 1] += first[n];
  return { ...model, first, bars: barTimes(model, placed) };
}

/** Times of each bar in seconds: `from` scheduled, `start` started (or NaN), `to` finished, or the end of the run. */
function barTimes({ fates, tick, end, pods }, placed) {
  const n = placed.length;
  const bars = { pod: Uint32Array.from(placed), from: new Float64Array(n), start: new Float64Array(n), to: new Float64Array(n),
    cpu: new Float64Array(n) };
  placed.forEach((pod, bar) => {
    const scheduled = fates.scheduled[pod];
    bars.from[bar] = scheduled * tick;
    bars.start[bar] = fates.started[pod] === NEVER ? NaN : (scheduled + fates.started[pod]) * tick;
    bars.to[bar] = fates.finished[pod] === NEVER ? end : (scheduled + fates.finished[pod]) * tick;
    bars.cpu[bar] = pods.cpu[pod];
  });
  return bars;
}

/** The node of a bar. */
function nodeOf({ first }, bar) {
  let low = 0;
  for (let high = first.length - 1; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (first[middle] <= bar) low = middle;
    else high = middle;
  }
  return low;
}

/** The details of a bar, as [term, text]. */
function barTerms(model, bar) {
  const { pods, fates, bars, nodes, phases, tick } = model;
  const pod = bars.pod[bar];
  const submitted = pods.submitted[pod] * tick, start = bars.start[bar];
  const unfinished = fates.finished[pod] === NEVER;
  return [
    ["Pod", pods.names[pod]],
    ...(pods.jobs[pods.job[pod]] ? [["Job", pods.jobs[pods.job[pod]]]] : []),
    ["Node", nodes.names[nodeOf(model, bar)]],
    ["Requests", pods.requests[pods.request[pod]] || "nothing"],
    ...(pods.priorities.length > 1 ? [["Priority", pods.priorities[pods.priority[pod]]]] : []),
    ["Submitted", instant(submitted)],
    ["Scheduled", instant(bars.from[bar])],
    ["Started", Number.isNaN(start) ? "never" : `${instant(start)}, after waiting ${duration(start - submitted)}`],
    ["Finished", unfinished ? "not before the end of the run" : `${instant(bars.to[bar])}, after running ${duration(bars.to[bar] - start)}`],
    ["Phase", phases[fates.phase[pod]] || DASH],
  ];
}

/**
 * The bar after `after`, going round, among those whose pod's name contains `text` in upper or lower case; -1 if there
 * is none. Pods with exactly this name, with or without the namespace, come first: "web-1" before "web-10".
 */
function findBar({ bars, pods }, text, after) {
  const wanted = text.trim().toLowerCase(), exact = [], others = [];
  for (let bar = 0; bar < bars.pod.length; bar++) {
    const name = pods.names[bars.pod[bar]].toLowerCase();
    if (name === wanted || name.endsWith(`/${wanted}`)) exact.push(bar);
    else if (name.includes(wanted)) others.push(bar);
  }
  const found = [...exact, ...others];
  return found.length ? found[(found.indexOf(after) + 1) % found.length] : -1;
}

/** The pods of a run as rows of a table, a heading first. */
function podRows({ pods, fates, nodes, phases, tick }) {
  const after = (pod, ticks) => (ticks === NEVER || fates.scheduled[pod] === NEVER ? NaN : (fates.scheduled[pod] + ticks) * tick);
  const rows = Array.from(pods.names, (name, pod) => [name, nodes.names[fates.node[pod]] ?? "", pods.requests[pods.request[pod]], pods.submitted[pod] * tick,
    after(pod, 0), after(pod, fates.started[pod]), after(pod, fates.finished[pod]), phases[fates.phase[pod]] ?? ""]);
  return [["pod", "node", "requests", "submitted_s", "scheduled_s", "started_s", "finished_s", "phase"], ...rows];
}
