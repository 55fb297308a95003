// A heat map: schedulers by scenarios, coloured by how far each is from the best of its scenario.

let heatKey = "mean_job_latency_s";

function startHeat() {
  const field = metricField("Metric", heatKey, (key) => { heatKey = key; drawHeat(); }, ({ better, key }) => better && key !== "close_rate");
  byId("heat-controls").append(field);
  addDownloads(byId("heat"), () => ({ name: "heat", picture: boxPicture(byId("heat")), rows: heatMapRows }));
  onTheme(drawHeat);
  drawHeat();
}

function drawHeat() {
  const metric = METRIC.get(heatKey);
  const lead = heatKey === "mean_job_latency_s"
    ? "CloseRate is the mean job latency of a scheduler divided by that of the best scheduler in the scenario: 1 is the best. A cell opens the report of its scenario. Schedulers in hatched cells left pods unscheduled."
    : `${metric.label}, divided by that of the best scheduler in the scenario (${metric.better} is better): 1 is the best. A cell opens the report of its scenario.`;
  const marked = DATA.untold.some(([, key]) => key === heatKey);
  byId("heat-lead").textContent = marked ? `${lead} ? means that the seeds cannot tell the scheduler from the best; point at it to see about how many would.` : lead;
  byId("heat").replaceChildren(...heatGroups().map(heatTable));
}

/** Scenarios with the same schedulers share a map. */
function heatGroups() {
  const groups = new Map();
  DATA.scenarios.forEach((scenario, i) => {
    const key = scenario.schedulers.join();
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(i);
  });
  return [...groups.values()];
}

function heatTable(scenarios) {
  const { schedulers } = DATA.scenarios[scenarios[0]];
  const rates = new Map(schedulers.map((scheduler) => [scheduler, scenarios.map((scenario) => rate(scenario, scheduler))]));
  const order = schedulers.slice().sort((a, b) => overall(rates.get(a)) - overall(rates.get(b)));
  const worst = Math.max(1.001, ...[...rates.values()].flat().filter((value) => value !== null));
  const head = el("tr", {}, el("th"), ...scenarios.map((i) => el("th", { title: about(i) }, DATA.scenarios[i].name)), scenarios.length > 1 ? el("th", {}, "mean") : "");
  const rows = order.map((scheduler) => {
    const { name, description } = DATA.schedulers[scheduler];
    const shades = rates.get(scheduler).map((value, i) => heatCell(value, worst, name, DATA.scenarios[scenarios[i]].name, doubt(scenarios[i], scheduler)));
    const last = scenarios.length > 1 ? el("td", { class: "mean" }, text(overall(rates.get(scheduler)))) : "";
    return el("tr", {}, el("th", { scope: "row", title: description }, name), ...shades, last);
  });
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", { class: "heat" }, el("thead", {}, head), el("tbody", {}, ...rows)));
}

function about(i) {
  const { nodes, pods, workload } = DATA.scenarios[i], counted = `${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  return workload.startsWith(`${pods} pod`) ? `${counted}, ${workload}` : `${counted}, ${pods} pods: ${workload}`;
}

/** A scheduler's value by the best one: CloseRate itself where that is the metric. */
function rate(scenario, scheduler) {
  if (heatKey === "mean_job_latency_s") return mean(scenario, scheduler, "close_rate");
  const value = mean(scenario, scheduler, heatKey);
  const [best] = ranked(scenario, heatKey);
  if (value === null || !best) return null;
  if (value === best.value) return 1;
  const ratio = METRIC.get(heatKey).better === "lower" ? value / best.value : best.value / value;
  return Number.isFinite(ratio) ? ratio : null;
}

function overall(values) {
  const known = values.filter((value) => value !== null);
  return known.length ? average(known) + 1000 * (values.length - known.length) : Infinity;
}

function text(value) {
  return value === null || value >= 1000 ? DASH : value.toFixed(2);
}

/** What the seeds cannot tell of a scheduler and the best one. */
function doubt(scenario, scheduler) {
  const [best] = ranked(scenario, heatKey);
  return best ? untold(scenario, heatKey, scheduler, best.scheduler) : "";
}

/** A cell that opens the report of its scenario, with its scheduler in the Gantt chart. */
function heatCell(value, worst, scheduler, scenario, words) {
  const href = `${encodeURIComponent(scenario)}/report.html#${new URLSearchParams({ run: `${scheduler}/` })}`;
  const title = `${scheduler} in ${scenario}`;
  if (value === null) return el("td", { class: "none", title }, el("a", { href, "aria-label": `${title}: pods left unscheduled` }, DASH));
  const share = Math.log(value) / Math.log(worst);
  const style = `background: color-mix(in srgb, var(--heat-1) ${(8 + 84 * share).toFixed(0)}%, var(--heat-0));`;
  return el("td", { class: value < 1.0005 ? "best" : "", style, title: `${title}: ${value.toFixed(4)}${words && `, ${words}`}` }, el("a", { href }, text(value), words ? el("span", { class: "doubt" }, "?") : ""));
}

/** The heat map as rows of a table, a heading first. */
function heatMapRows() {
  const cells = DATA.scenarios.flatMap(({ name, schedulers }, scenario) => schedulers.map((scheduler) =>
    [name, DATA.schedulers[scheduler].name, mean(scenario, scheduler, heatKey) ?? NaN, rate(scenario, scheduler) ?? NaN]));
  return [["scenario", "scheduler", heatKey, "by_best"], ...cells];
}
