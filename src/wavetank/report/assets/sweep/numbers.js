// All metrics of a scenario in a table, or of all scenarios, and the way to their reports.

function startNumbers() {
  byId("numbers-controls").append(scenarioField(drawNumbers));
  drawNumbers();
}

function drawNumbers() {
  const metrics = DATA.metrics.filter(({ key }) => !(alone && key === "close_rate") && entries().some((entry) => entryMean(entry, key) !== null));
  const best = new Map(metrics.map(({ key, better }) => [key, better ? bestOf(key) : null]));
  const head = el("tr", {}, el("th", {}, alone ? "Scenario" : "Scheduler"), ...metrics.map(({ label }) => el("th", {}, label)));
  const rows = order().map((entry) => el("tr", {}, el("th", { scope: "row", title: alone ? about(entry) : DATA.schedulers[entry].description }, alone ? reportLink(entry) : entryName(entry)),
    ...metrics.map(({ key }) => numberCell(key, entry, best.get(key)))));
  byId("numbers-table").replaceChildren(el("table", { class: "numbers" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  if (alone) byId("numbers-links").replaceChildren("The name of a scenario leads to its report, with time series, waiting times and the Gantt chart of every run.");
  else byId("numbers-links").replaceChildren(`${about(chosenScenario)}. Time series, waiting times and the Gantt chart of every run: `, reportLink(chosenScenario, "the report of this scenario"), ".");
}

function reportLink(scenario, text = DATA.scenarios[scenario].name) {
  return el("a", { href: `${encodeURIComponent(DATA.scenarios[scenario].name)}/report.html` }, text);
}

/** The best entry under a metric; null if all are alike. */
function bestOf(key) {
  const known = rankedEntries(key);
  return known.length && known[0].value !== known.at(-1).value ? known[0] : null;
}

function order() {
  if (alone) return entries();
  const known = rankedEntries("mean_job_latency_s").map(({ entry }) => entry);
  return [...known, ...entries().filter((entry) => !known.includes(entry))];
}

function numberCell(key, entry, best) {
  const value = entryMean(entry, key);
  const isBest = best && value === best.value;
  const compared = best && !isBest && !alone;
  const differs = compared && differ(chosenScenario, key, entry, best.entry);
  const words = compared ? untold(chosenScenario, key, entry, best.entry) : "";
  return el("td", { class: isBest ? "best" : differs ? "differs" : "", ...(words && { title: words }) }, shown(key, value), words ? el("span", { class: "doubt" }, "?") : "");
}
