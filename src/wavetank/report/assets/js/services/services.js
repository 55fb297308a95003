// Services: response times, their graph, heat map, load and single requests; only in reports of runs with services.

const SERVICE_LOADS = [["Requests at the CPU", 1], ["CPU used [cores]", 2], ["Throttled time", 3], ["Pods", 4], ["Open requests", 5]]; // and their columns
const SERVICE_PHASES = [["under", "request or answer under way"], ["calls", "waits for its calls"], ["cpu", "CPU, computed or waiting for it"], ["lost", "failed"]];

/** What of the section is in the URL's hash, by name and with how many there are to choose from. */
const SERVICE_CHOICES = {
  run: () => DATA.services.length,
  operation: ({ run }) => DATA.services[run].heat.length,
  load: () => SERVICE_LOADS.length,
  request: ({ run }) => DATA.services[run].traces.length,
};

function startServices() {
  const state = {}, count = (value) => number(value);
  const load = new LineChart(byId("services-load"), { xTitle: "time", formatX: instant, formatY: count, formatTick: count, yTicks: (high) => linearTicks(0, high, 4) });
  const heat = new ServiceHeat(byId("services-heat")), fall = new Waterfall(byId("services-trace"));
  const parts = { operation: () => showHeat(state, heat), load: () => showLoad(state, load), request: () => showTrace(state, fall) };
  const redraw = () => { readServices(state); showServices(state, parts); };
  const pick = (name) => (value) => { sharedView.set(`services-${name}`, value === "0" ? null : value); readServices(state); if (name === "request") fall.axis.zoom(); parts[name](); };
  const pickRun = (value) => {
    for (const name of ["operation", "request"]) sharedView.set(`services-${name}`, null);
    sharedView.set("services-run", value === "0" ? null : value);
    fall.axis.zoom();
    redraw();
  };
  Object.assign(state, { pick, pickRun });
  byId("services-trace-key").replaceChildren(...SERVICE_PHASES.map(([kind, text]) => el("span", { class: "field" }, el("span", { class: `swatch ${kind}` }), text)));
  addDownloads(byId("services-graph"), () => ({ name: "services-graph", picture: byId("services-graph").firstChild, rows: () => callRows(DATA.services[state.run]) }));
  sharedView.listeners.push(redraw);
  redraw();
}

function readServices(state) {
  for (const [name, many] of Object.entries(SERVICE_CHOICES)) state[name] = sharedView.index(`services-${name}`, many(state));
}

/** Draws everything of the chosen run. */
function showServices(state, parts) {
  const run = DATA.services[state.run];
  byId("services-overloads").replaceChildren(...overloadLines(run));
  byId("services-table").replaceChildren(totalsTable(run));
  drawServiceGraph(byId("services-graph"), run);
  offer("services-controls", "Run", DATA.services.map(({ scheduler, seed }) => `${scheduler}, seed ${seed}`), state.run, state.pickRun);
  offer("services-heat-controls", "Operation", run.heat.map(({ name }) => name), state.operation, state.pick("operation"));
  offer("services-load-controls", "Show", SERVICE_LOADS.map(([text]) => text), state.load, state.pick("load"));
  offer("services-trace-controls", "Request", run.traces.map(traceName), state.request, state.pick("request"));
  byId("services-trace-figure").hidden = !run.traces.length;
  byId("services-load-key").replaceChildren(...run.services.map(({ name }, i) => el("span", { class: "field" }, sample(i), name)));
  for (const draw of Object.values(parts)) draw();
}

/** Offers texts to choose from, if there are several. */
function offer(id, label, texts, chosen, pick) {
  const field = dropDown(label, texts.map((text, i) => [i, text]), pick);
  field.querySelector("select").value = chosen;
  byId(id).replaceChildren(...(texts.length > 1 ? [field] : []));
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

function showHeat({ run: index, operation }, heat) {
  const run = DATA.services[index], map = run.heat[operation] ?? null;
  const lasting = run.overloads.filter(([, , , until]) => until === null);
  const first = (name) => Math.min(...lasting.filter((each) => overloadedName(each) === name).map((each) => each[2]));
  heat.show(map, run.end, [...new Set(lasting.map(overloadedName))].map((name) => [first(name), name]));
  const lines = map?.lines.length ? [el("span", { class: "stroke p50" }), "median", el("span", { class: "stroke" }), "99th percentile"] : [];
  byId("services-heat-key").replaceChildren(...(map ? ["few requests", el("span", { class: "ramp" }), "many", ...lines] : []));
}

function showLoad({ run: index, load }, chart) {
  const run = DATA.services[index], [label, column] = SERVICE_LOADS[load];
  const lines = run.services.map(({ name, load: columns }, i) => ({ name, index: i, x: columns[0], y: columns[column], end: run.end }));
  const high = Math.max(...lines.flatMap((line) => line.y), 0) || 1;
  chart.show(lines, { yHigh: high * 1.05, label: `${label} of each service over time` });
}

function showTrace({ run: index, request }, fall) {
  const spans = DATA.services[index].traces[request];
  if (spans) fall.show(spans);
}

function traceName([root]) {
  const [, , service, operation, , , sent, , , , , reason] = root;
  return `${service}.${operation}, ${duration(spanEnd(root) - sent)}${reason ? ", failed" : ""} (at ${duration(sent)})`;
}

startServices();
