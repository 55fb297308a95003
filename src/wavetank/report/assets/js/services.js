// Services: response times, their graph, heat map, load and single requests; only in reports of runs with services.

const SERVICE_LOADS = [["queue", "Requests at the CPU", 1], ["cpu", "CPU used [cores]", 2], ["throttled", "Throttled time", 3], ["pods", "Pods", 4], ["open", "Open requests", 5]];
const SERVICE_PHASES = [["under", "request or answer under way"], ["calls", "waits for its calls"], ["cpu", "CPU, computed or waiting for it"], ["lost", "failed"]];

function startServices() {
  const state = { run: 0, operation: 0, load: "queue", trace: 0 };
  const count = (value) => number(value);
  const chart = new LineChart(byId("services-load"), { xTitle: "time", formatX: instant, formatY: count, formatTick: count, yTicks: (high) => linearTicks(0, high, 4) });
  const parts = { heat: () => showHeat(state), load: () => showLoad(state, chart), trace: () => showTrace(state) };
  const redraw = () => showServices(state, parts);
  const runs = DATA.services.map(({ scheduler, seed }, i) => [i, `${scheduler}, seed ${seed}`]);
  if (runs.length > 1) byId("services-controls").append(dropDown("Run", runs, (value) => { state.run = Number(value); redraw(); }));
  const loads = SERVICE_LOADS.map(([value, text]) => [value, text]);
  byId("services-load-controls").append(dropDown("Show", loads, (value) => { state.load = value; parts.load(); }));
  byId("services-trace-key").replaceChildren(...SERVICE_PHASES.map(([kind, text]) => el("span", { class: "field" }, el("span", { class: `swatch ${kind}` }), text)));
  onResize(byId("services-heat"), parts.heat);
  onResize(byId("services-trace"), parts.trace);
  redraw();
}

/** Draws everything of the chosen run. */
function showServices(state, parts) {
  const run = DATA.services[state.run];
  Object.assign(state, { operation: 0, trace: 0 });
  byId("services-overloads").replaceChildren(...overloadLines(run));
  byId("services-table").replaceChildren(totalsTable(run));
  drawServiceGraph(byId("services-graph"), run);
  const operations = run.heat.map(({ name }, i) => [i, name]);
  const pick = (key, draw) => (value) => { state[key] = Number(value); draw(); };
  byId("services-heat-controls").replaceChildren(...(operations.length > 1 ? [dropDown("Operation", operations, pick("operation", parts.heat))] : []));
  const traces = run.traces.map((spans, i) => [i, traceName(spans)]);
  byId("services-trace-controls").replaceChildren(...(traces.length > 1 ? [dropDown("Request", traces, pick("trace", parts.trace))] : []));
  byId("services-trace-figure").hidden = !traces.length;
  byId("services-load-key").replaceChildren(...run.services.map(({ name }, i) => el("span", { class: "field" }, sample(i), name)));
  for (const draw of Object.values(parts)) draw();
}

/** What was overloaded: a service, or a link of the network. */
function overloadedName([service, , , , , , link]) {
  return service || `The link ${link}`;
}

/** One sentence for each service or link that was overloaded. */
function overloadLines({ overloads }) {
  const lines = [...new Set(overloads.map(overloadedName))].flatMap((name) => {
    const some = overloads.filter((each) => overloadedName(each) === name);
    const lasting = some.filter(([, , , until]) => until === null);
    if (lasting.length) return [el("li", { class: "lasting" }, lastingOverload(name, lasting))];
    return [el("li", {}, pastOverload(name, some))];
  });
  return lines.length ? lines : [el("li", {}, "Nothing was overloaded: all queues stayed short or were worked off.")];
}

function lastingOverload(name, some) {
  const since = Math.min(...some.map((each) => each[2])), longest = Math.max(...some.map((each) => each[5]));
  const pods = some.length > 1 ? ` on ${some.length} pods` : "", what = some[0][6] ? "payloads" : "requests";
  return `${name} has been overloaded since ${instant(since)}${pods}: it gets more work than it can do, and its queue has grown to ${number(longest, 9)} ${what}.`;
}

function pastOverload(name, some) {
  const since = Math.min(...some.map((each) => each[2])), until = Math.max(...some.map((each) => each[3]));
  const longest = Math.max(...some.map((each) => each[5]));
  const what = some[0][6] ? "payloads on it" : "requests at the CPU of a pod";
  return `${name} was overloaded between ${instant(since)} and ${instant(until)}, with up to ${number(longest, 9)} ${what}.`;
}

function totalsTable({ totals }) {
  const heads = ["Operation", "Answered", "Failed", "Per second", "Median", "p95", "p99", "p99.9", "Longest"];
  const rows = totals.map(([service, operation, succeeded, failed, rate, ...times]) => el("tr", {},
    el("th", { scope: "row" }, `${service}.${operation}`), el("td", {}, number(succeeded, 9)), el("td", {}, number(failed, 9)),
    el("td", {}, number(rate)), ...times.map((time) => el("td", {}, succeeded ? duration(time) : DASH))));
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  return el("table", { class: "numbers" }, el("caption", { class: "unseen" }, "Response times"), el("thead", {}, head), el("tbody", {}, ...rows));
}

function showHeat({ run: index, operation }) {
  const run = DATA.services[index], map = run.heat[operation];
  if (!map) return byId("services-heat").replaceChildren("no request was answered");
  const lasting = run.overloads.filter(([, , , until]) => until === null);
  const first = (name) => Math.min(...lasting.filter((each) => overloadedName(each) === name).map((each) => each[2]));
  const since = [...new Set(lasting.map(overloadedName))].map((name) => [first(name), name]);
  drawServiceHeat(byId("services-heat"), map, run.end, since);
  const lines = map.lines.length ? [el("span", { class: "stroke p50" }), "median", el("span", { class: "stroke" }), "99th percentile"] : [];
  byId("services-heat-key").replaceChildren("few requests", el("span", { class: "ramp" }), "many", ...lines);
}

function showLoad({ run: index, load }, chart) {
  const run = DATA.services[index], [, label, column] = SERVICE_LOADS.find(([value]) => value === load);
  const lines = run.services.map(({ name, load: columns }, i) => ({ name, index: i, x: columns[0], y: columns[column], end: run.end }));
  const high = Math.max(...lines.flatMap((line) => line.y), 0) || 1;
  chart.show(lines, { yHigh: high * 1.05, label: `${label} of each service over time` });
}

function showTrace({ run: index, trace }) {
  const spans = DATA.services[index].traces[trace];
  if (spans) drawWaterfall(byId("services-trace"), spans);
}

function traceName([root]) {
  const [, , service, operation, , , sent, , , , , reason] = root;
  return `${service}.${operation}, ${duration(spanEnd(root) - sent)}${reason ? ", failed" : ""} (at ${duration(sent)})`;
}

startServices();
