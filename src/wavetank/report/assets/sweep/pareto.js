// Two metrics of all schedulers of a scenario, or of all scenarios, and the Pareto front.

// Between scenarios money against time is asked for most, between schedulers the use of the cluster.
let [paretoX, paretoY] = alone && METRIC.has("cost") ? ["cost", "makespan_s"] : ["mean_job_latency_s", "cpu_utilization"];

function startPareto() {
  const directed = ({ better }) => Boolean(better);
  byId("pareto-controls").append(
    scenarioField(drawPareto),
    metricField("Across", paretoX, (key) => { paretoX = key; drawPareto(); }, directed),
    metricField("Up", paretoY, (key) => { paretoY = key; drawPareto(); }, directed),
  );
  onResize(byId("pareto-figure"), drawPareto);
  addDownloads(byId("pareto-figure"), () => ({ name: "two-metrics", picture: byId("pareto-figure").querySelector("svg"), rows: paretoRows }));
}

function isBetter(key, a, b) {
  return METRIC.get(key).better === "lower" ? a < b : a > b;
}

/** Whether no other point is better in one metric and at least as good in the other. */
function isFront(point, points) {
  return !points.some((other) =>
    (isBetter(paretoX, other.x, point.x) && !isBetter(paretoY, point.y, other.y)) ||
    (isBetter(paretoY, other.y, point.y) && !isBetter(paretoX, point.x, other.x)));
}

function paretoPoints() {
  return entries()
    .map((entry) => ({ entry, x: entryMean(entry, paretoX), y: entryMean(entry, paretoY) }))
    .filter(({ x, y }) => x !== null && y !== null);
}

/** The points as rows of a table, a heading first. */
function paretoRows() {
  return [[alone ? "scenario" : "scheduler", paretoX, paretoY], ...paretoPoints().map(({ entry, x, y }) => [entryName(entry), x, y])];
}

function drawPareto() {
  const host = byId("pareto-figure"), points = paretoPoints();
  if (!points.length) return host.replaceChildren(el("p", { class: "quiet" }, "Nothing has both values."));
  const width = host.clientWidth, height = 420, left = 74, bottom = 46;
  const across = span(points.map(({ x }) => x)), up = span(points.map(({ y }) => y));
  const place = {
    x: (value) => left + (width - left - 130) * (value - across[0]) / (across[1] - across[0]),
    y: (value) => height - bottom - (height - bottom - 16) * (value - up[0]) / (up[1] - up[0]),
  };
  const axes = paretoAxes(across, up, place, width, height, left, bottom);
  const front = points.filter((point) => isFront(point, points)).sort((a, b) => a.x - b.x || a.y - b.y);
  const line = svg("polyline", { class: "frontier", points: front.map(({ x, y }) => `${place.x(x)},${place.y(y)}`).join(" ") });
  const drawn = labelled(points, place, left, width).map((point) => paretoPoint(point, place, front.includes(point.of)));
  host.replaceChildren(svg("svg", { class: "scatter", width, height, role: "img", "aria-label": "Two metrics" }, axes, line, ...drawn));
}

function span(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** Points with labels that are moved down until they do not lie on each other; a label is where there is more space for it. */
function labelled(points, place, left, width) {
  const taken = [];
  return points.slice().sort((a, b) => place.y(a.y) - place.y(b.y)).map((of) => {
    const full = entryName(of.entry), spaces = [place.x(of.x) - 9 - left, width - place.x(of.x) - 9];
    const before = LETTER * full.length > spaces[1] && spaces[0] > spaces[1], name = fitting(full, spaces[before ? 0 : 1]);
    const long = LETTER * name.length, x = place.x(of.x) + (before ? -9 : 9), from = before ? x - long : x;
    let y = place.y(of.y) + 4;
    while (taken.some((other) => Math.abs(other.y - y) < 13 && from < other.from + other.long + 6 && other.from < from + long + 6)) y += 3;
    const label = { of, full, name, x, y, from, long, anchor: before ? "end" : "start" };
    taken.push(label);
    return label;
  });
}

function paretoPoint({ of, full, name, x, y, anchor }, place, front) {
  const words = [paretoX, paretoY].map((key, i) => [METRIC.get(key).label, shown(key, i ? of.y : of.x)]);
  const show = (event) => tooltip.show([el("b", {}, full), terms(words)], event.clientX, event.clientY);
  const group = svg("g", { class: front ? "front" : "", onpointermove: show, onpointerleave: () => tooltip.hide() });
  const far = Math.abs(y - 4 - place.y(of.y)) > 8;
  if (far) group.append(svg("line", { x1: place.x(of.x) + (anchor === "end" ? -4 : 4), y1: place.y(of.y), x2: x + (anchor === "end" ? 2 : -2), y2: y - 4, stroke: "var(--rule)" }));
  group.append(svg("circle", { class: "point", cx: place.x(of.x), cy: place.y(of.y), r: 5 }), svg("text", { x, y, "text-anchor": anchor }, name));
  return group;
}

/** Round values of a metric with their labels; times are round in the unit that fits them. */
function metricTicks(key, [low, high], count) {
  if (METRIC.get(key).kind !== "time") return linearTicks(low, high, count).map((at) => ({ at, text: shown(key, at) }));
  const unit = timeUnit(high);
  return timeTicks(low, high, count, unit).map(({ at, text: label }) => ({ at, text: `${label} ${unit.name}` }));
}

function paretoAxes(across, up, place, width, height, left, bottom) {
  const group = svg("g", { class: "axis" });
  for (const { at, text: label } of metricTicks(paretoX, across, Math.min(6, Math.max(1, (width - left - 130) / 110)))) {
    const x = place.x(at);
    group.append(svg("line", { class: "grid", x1: x, x2: x, y1: 10, y2: height - bottom }),
      svg("text", { x, y: height - bottom + 18, "text-anchor": "middle" }, label));
  }
  for (const { at, text: label } of metricTicks(paretoY, up, 6)) {
    const y = place.y(at);
    group.append(svg("line", { class: "grid", x1: left, x2: width - 20, y1: y, y2: y }),
      svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, label));
  }
  const words = (key) => `${METRIC.get(key).label} (${METRIC.get(key).better} is better)`;
  group.append(svg("text", { x: left, y: height - 6 }, `→ ${words(paretoX)}`), svg("text", { x: 0, y: 10 }, `↑ ${words(paretoY)}`));
  return group;
}
