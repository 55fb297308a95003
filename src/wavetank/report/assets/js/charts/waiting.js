// The distribution of waiting times over all seeds.

const MOST_AT_ONCE = 0.5; // if more pods than this share start at once, the axis of shares begins there
const LEAST_SPAN = 10; // so many times longer than the shortest wait is the longest on a logarithmic axis
const HEAVY_TAIL = 20; // a longest wait so many medians long is read better on a logarithmic axis

function startWaiting() {
  byId("waiting-table").append(waitingTable());
  if (DATA.waiting.some(({ seconds }) => seconds.at(-1) > 0)) startWaitingChart();
  else sayThatNoneWaited();
}

/** A chart would have nothing to show. */
function sayThatNoneWaited() {
  for (const id of ["waiting-controls", "waiting-legend", "waiting-figure"]) byId(id).hidden = true;
  byId("waiting-note").hidden = false;
  byId("waiting-note").textContent = DATA.waiting.some(({ started }) => started) ? "All pods that started did so at once." : "No pod started.";
}

function startWaitingChart() {
  const state = { scale: heavyTailed() ? "log" : "linear", hidden: new Set() };
  const chart = new LineChart(byId("waiting-chart"), {
    xTitle: "waiting time", formatX: (value) => `started within ${duration(value)}`, formatY: percent, yHigh: 1,
    yTicks: quarters, formatTick: (value) => percent(value, Math.abs(value * 100 - Math.round(value * 100)) > 1e-6 ? 1 : 0), label: "Share of pods started within a given waiting time",
  });
  const yLow = leastAtOnce();
  byId("waiting-note").hidden = !yLow;
  byId("waiting-note").textContent = `The axis begins at ${percent(yLow, 0)}: with every scheduler more pods than that start at once.`;
  const redraw = () => chart.show(waitingLines(state.hidden), { log: state.scale === "log", yLow });
  const pick = (scale) => { state.scale = scale; redraw(); };
  byId("waiting-controls").append(choice("Scale", [["linear", "Linear"], ["log", "Logarithmic"]], state.scale, pick));
  legend(byId("waiting-legend"), DATA.schedulers, state.hidden, redraw);
  redraw();
}

function heavyTailed() {
  const waits = DATA.waiting.flatMap(({ seconds }) => Array.from(seconds).filter((value) => value > 0));
  if (waits.reduce((a, b) => Math.max(a, b), 0) < LEAST_SPAN * waits.reduce((a, b) => Math.min(a, b))) return false;
  return DATA.waiting.some(({ quantiles }) => quantiles && quantiles[3] > HEAVY_TAIL * Math.max(quantiles[0], 0.001));
}

/** A round share a little below that of the pods which start at once with every scheduler; 0 if these are not most of them. */
function leastAtOnce() {
  const least = Math.min(...waitingLines(new Set()).map((line) => valueAt(line, 0) || 0));
  return least > MOST_AT_ONCE && least < 1 ? Math.floor((1 - (1 - least) * 1.25) * 100) / 100 : 0;
}

function waitingLines(hidden) {
  const longest = Math.max(...DATA.waiting.map(({ seconds }) => seconds[seconds.length - 1] ?? 0), 0.001);
  return DATA.waiting
    .map(({ seconds, share }, index) => ({ name: DATA.schedulers[index], index, x: seconds, y: share, end: longest }))
    .filter(({ index }) => !hidden.has(index));
}

function waitingTable() {
  const heads = ["Scheduler", "Median", "90 %", "99 %", "Longest", "Never started"];
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  const rows = DATA.waiting.map(({ quantiles, pods, started }, index) => {
    const cells = [...(quantiles || [NaN, NaN, NaN, NaN]).map(duration), neverText(pods, started)];
    return el("tr", {}, el("th", { scope: "row" }, DATA.schedulers[index]), ...cells.map((text) => el("td", {}, text)));
  });
  return el("table", { class: "numbers" }, el("caption", { class: "unseen" }, "Waiting times of the pods that started"),
    el("thead", {}, head), el("tbody", {}, ...rows));
}

function neverText(pods, started) {
  return pods === started ? "0" : `${number(pods - started, 9)} of ${number(pods, 9)} (${percent(1 - started / pods)})`;
}
