// Utilisation and pending pods over time.

const SERIES_COLUMNS = { time: 0, cpu: 1, memory: 2, pending: 3 };

function startSeries() {
  const state = { resource: "cpu", seed: sharedView.index("series-seed", DATA.seeds.length), hidden: new Set() };
  const load = once((seed) => loadSeries(DATA.series[seed]));
  const utilization = new LineChart(byId("utilization"), {
    xTitle: "time", formatX: instant, formatY: percent, yTicks: quarters, formatTick: (value) => percent(value, 0),
  });
  const pending = new LineChart(byId("pending"), {
    xTitle: "time", formatX: instant, formatY: (value) => number(value), yTicks: wholeTicks, formatTick: shortCount,
    label: "Pending pods over time",
  });
  const redraw = async () => showSeries(state, await load(state.seed), utilization, pending);
  seriesControls(state, redraw);
  legend(byId("series-legend"), DATA.schedulers, state.hidden, redraw);
  return redraw();
}

function seriesControls(state, redraw) {
  const host = byId("series-controls");
  const pick = (key) => (value) => { state[key] = value; redraw(); };
  host.append(choice("Resource", [["cpu", "CPU"], ["memory", "Memory"]], "cpu", pick("resource")));
  if (DATA.seeds.length > 1) host.append(keptDropDown("series-seed", "Seed", DATA.seeds.map(String), pick("seed")));
  if (DATA.seeds.length < DATA.allSeeds) {
    const note = byId("series-note");
    note.hidden = false;
    note.textContent = `To keep the page small, it contains the first ${DATA.seeds.length} of ${DATA.allSeeds} seeds only.`;
  }
}

/** The columns of each scheduler that ran with a seed, as {index, columns}. */
async function loadSeries(bySchedulerName) {
  const present = DATA.schedulers.map((name, index) => ({ name, index })).filter(({ name }) => name in bySchedulerName);
  const columns = await Promise.all(present.map(({ name }) => unpackFloats(bySchedulerName[name], 5)));
  return present.map((scheduler, i) => ({ ...scheduler, columns: columns[i] }));
}

function showSeries(state, loaded, utilization, pending) {
  const shown = loaded.filter(({ index }) => !state.hidden.has(index));
  const resource = state.resource === "cpu" ? "CPU" : "Memory";
  byId("utilization-caption").textContent = `${resource} requested, share of the cluster`;
  const used = shown.map((run) => seriesLine(run, state.resource));
  utilization.show(used, { yHigh: Math.max(1, highest(used)), label: `${resource} utilisation over time` });
  const none = !highest(loaded.map((run) => seriesLine(run, "pending")));
  byId("pending-note").hidden = !none;
  byId("pending").hidden = none;
  const waiting = shown.map((run) => seriesLine(run, "pending"));
  pending.show(waiting, { yHigh: Math.max(1, highest(waiting)) * 1.05 });
}

function seriesLine({ name, index, columns }, column) {
  const x = columns[SERIES_COLUMNS.time], n = x.length;
  // The last bucket is as long as the one before it.
  const end = n > 1 ? 2 * x[n - 1] - x[n - 2] : (x[0] ?? 0) + 1;
  return { name, index, x, y: columns[SERIES_COLUMNS[column]], end };
}

function highest(lines) {
  return Math.max(0, ...lines.map((line) => line.y.reduce((a, b) => Math.max(a, b), 0)));
}

/** Ticks of a share; a cluster that lost nodes may for a while have more requested than it has. */
function quarters(high, low = 0) {
  if (low > 0) return linearTicks(low, high, 4);
  return multiples(0, high, high > 2 ? 1 : 0.25);
}

function wholeTicks(high) {
  return linearTicks(0, high, 4).filter(Number.isInteger);
}

function shortCount(value) {
  return value >= 1e6 ? `${number(value / 1e6, 2)}M` : value >= 1e4 ? `${number(value / 1e3, 3)}k` : number(value);
}
