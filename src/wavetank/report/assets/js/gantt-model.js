// The run behind the Gantt chart: bars ordered by node and time, each in a lane of its node.

const podTable = once(async (index) => {
  const table = DATA.gantt.podTables[index];
  const [names, jobs, requests, words] = await Promise.all(
    [unpackTexts(table.names), unpackTexts(table.jobs), unpackTexts(table.requests), unpackWords(table.words, 4)]);
  const [submitted, cpu, job, request] = words;
  return { names, jobs, requests, submitted, cpu, job, request };
});

const nodeTable = once(async (index) => {
  const table = DATA.gantt.nodeTables[index];
  const [names, words] = await Promise.all([unpackTexts(table.names), unpackWords(table.cpu, 1)]);
  return { names, cpu: words[0] };
});

/** Loads what is embedded of a run: with `bars`, or with a ready-made `heat` map only. */
const ganttModel = once(async (index) => {
  const run = DATA.gantt.runs[index];
  const nodes = await nodeTable(run.nodes);
  const model = { run, end: run.end, nodes, lanes: new Uint16Array(nodes.names.length).fill(1) };
  if (run.heat) return { ...model, heat: { ...run.heat, values: await unpackBytes(run.heat.bytes) } };
  const [pods, words] = await Promise.all([podTable(run.pods), unpackWords(run.bars.words, 5)]);
  const fates = { scheduled: words[0], started: words[1], finished: words[2], node: words[3], phase: words[4] };
  return layLanes(orderBars({ ...model, pods, fates, tick: run.bars.tick, phases: run.bars.phases }));
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
    cpu: new Float64Array(n), lane: new Uint16Array(n) };
  placed.forEach((pod, bar) => {
    const scheduled = fates.scheduled[pod];
    bars.from[bar] = scheduled * tick;
    bars.start[bar] = fates.started[pod] === NEVER ? NaN : (scheduled + fates.started[pod]) * tick;
    bars.to[bar] = fates.finished[pod] === NEVER ? end : (scheduled + fates.finished[pod]) * tick;
    bars.cpu[bar] = pods.cpu[pod];
  });
  return bars;
}

/** Gives each bar the lowest lane of its node that is free when it begins. */
function layLanes(model) {
  const { bars, first, lanes } = model;
  for (let node = 0; node < lanes.length; node++) {
    const free = [];
    for (let bar = first[node]; bar < first[node + 1]; bar++) {
      let lane = free.findIndex((until) => until <= bars.from[bar]);
      if (lane < 0) lane = free.length;
      free[lane] = bars.to[bar];
      bars.lane[bar] = lane;
    }
    lanes[node] = Math.max(1, free.length);
  }
  return { ...model, deepest: lanes.reduce((a, b) => Math.max(a, b), 1) };
}

/** The bar at a node, a lane and a time, or -1. */
function barAt({ bars, first }, node, lane, time, slack) {
  for (let bar = first[node]; bar < first[node + 1]; bar++) {
    const hit = bars.lane[bar] === lane && bars.from[bar] - slack <= time && time <= bars.to[bar] + slack;
    if (hit) return bar;
  }
  return -1;
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
