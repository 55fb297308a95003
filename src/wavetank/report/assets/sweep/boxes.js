// Box plots of job latency, one per scheduler of a scenario, or per scenario.

const ROW = 26;
let boxesLogarithmic = false;

function startBoxes() {
  const scale = choice("Scale", [["linear", "linear"], ["log", "logarithmic"]], "linear", (value) => {
    boxesLogarithmic = value === "log";
    drawBoxes();
  });
  byId("boxes-controls").append(scenarioField(drawBoxes), scale);
  onResize(byId("boxes-figure"), drawBoxes);
  addDownloads(byId("boxes-figure"), () => ({ name: "job-latency", picture: byId("boxes-figure").querySelector("svg"), rows: boxRows }));
}

/** [scheduler or scenario, quantiles over the seeds], the shortest mean first. */
function boxesOf() {
  const found = new Map();
  for (const [scenario, scheduler, ...quantiles] of DATA.boxes) {
    if (!alone && scenario !== chosenScenario) continue;
    const entry = alone ? scenario : scheduler;
    if (!found.has(entry)) found.set(entry, []);
    found.get(entry).push(quantiles);
  }
  const order = rankedEntries("mean_job_latency_s").map(({ entry }) => entry).filter((one) => found.has(one));
  return order.map((entry) => [entry, found.get(entry)[0].map((_, i) => average(found.get(entry).map((of) => of[i])))]);
}

function drawBoxes() {
  const host = byId("boxes-figure");
  const boxes = boxesOf();
  if (!boxes.length) return host.replaceChildren(el("p", { class: "quiet" }, "No job has ended in this scenario."));
  const width = host.clientWidth, height = ROW * boxes.length + 34;
  const left = Math.min(0.45 * width, 24 + LETTER * Math.max(...boxes.map(([entry]) => entryName(entry).length)));
  const low = boxesLogarithmic ? Math.max(1e-3, Math.min(...boxes.map(([, q]) => q[1]))) : 0;
  const high = Math.max(...boxes.map(([, q]) => q[5])) * 1.02 || 1;
  const along = boxesLogarithmic ? (v) => Math.log(Math.max(v, low) / low) / Math.log(high / low) : (v) => (v - low) / (high - low);
  const x = (value) => left + (width - left - 20) * Math.min(1, Math.max(0, along(value)));
  const unit = timeUnit(high);
  const ticks = boxesLogarithmic ? logTicks(low, high) : timeTicks(low, high, Math.max(2, (width - left) / 110), unit);
  const axis = ticks.map(({ at, text: label }) => svg("g", {},
    svg("line", { class: "grid", x1: x(at), x2: x(at), y1: 0, y2: height - 26 }),
    svg("text", { x: x(at), y: height - 8, "text-anchor": "middle" }, boxesLogarithmic ? label : `${label} ${unit.name}`)));
  const rows = boxes.map(([entry, q], i) => boxRow(entry, q, ROW * i + ROW / 2, left, x, i === 0));
  host.replaceChildren(svg("svg", { class: "boxplot", width, height, role: "img", "aria-label": "Box plots of job latency" }, svg("g", { class: "axis" }, ...axis), ...rows));
}

function boxRow(entry, [least, p5, p25, median, p75, p95, most], y, left, x, best) {
  const name = entryName(entry);
  const words = [["mean", duration(entryMean(entry, "mean_job_latency_s"))], ["median", duration(median)],
    ["middle half", `${duration(p25)} to ${duration(p75)}`], ["5 to 95 %", `${duration(p5)} to ${duration(p95)}`], ["all", `${duration(least)} to ${duration(most)}`]];
  const group = svg("g", { class: best ? "best" : "", onpointermove: (event) => tooltip.show([el("b", {}, name), terms(words)], event.clientX, event.clientY), onpointerleave: () => tooltip.hide() });
  group.append(
    svg("rect", { x: 0, y: y - ROW / 2, width: x(1e18) + 20, height: ROW, fill: "transparent" }),
    svg("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, fitting(name, left - 12)),
    svg("line", { class: "whisker", x1: x(p5), x2: x(p25), y1: y, y2: y }),
    svg("line", { class: "whisker", x1: x(p75), x2: x(p95), y1: y, y2: y }),
    svg("line", { class: "whisker", x1: x(p5), x2: x(p5), y1: y - 5, y2: y + 5 }),
    svg("line", { class: "whisker", x1: x(p95), x2: x(p95), y1: y - 5, y2: y + 5 }),
    svg("rect", { class: "box", x: x(p25), y: y - 8, width: Math.max(1, x(p75) - x(p25)), height: 16, rx: 2 }),
    svg("line", { class: "median", x1: x(median), x2: x(median), y1: y - 8, y2: y + 8 }),
  );
  return group;
}

/** The box plots as rows of a table, a heading first; seconds. */
function boxRows() {
  const heads = ["p0", "p5", "p25", "p50", "p75", "p95", "p100"];
  return [[alone ? "scenario" : "scheduler", ...heads], ...boxesOf().map(([entry, quantiles]) => [entryName(entry), ...quantiles])];
}
