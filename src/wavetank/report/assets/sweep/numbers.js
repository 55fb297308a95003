// All metrics of a scenario in a table, and the way to its own report.

function startNumbers() {
  byId("numbers-controls").append(scenarioField(drawNumbers));
  drawNumbers();
}

function drawNumbers() {
  const { schedulers, name } = DATA.scenarios[chosenScenario];
  const metrics = DATA.metrics.filter(({ key }) => schedulers.some((scheduler) => mean(chosenScenario, scheduler, key) !== null));
  const best = new Map(metrics.map(({ key, better }) => [key, better ? bestOf(key) : null]));
  const head = el("tr", {}, el("th", {}, "Scheduler"), ...metrics.map(({ label }) => el("th", {}, label)));
  const rows = order(schedulers).map((scheduler) => el("tr", {}, el("th", { scope: "row", title: DATA.schedulers[scheduler].description }, DATA.schedulers[scheduler].name),
    ...metrics.map(({ key }) => numberCell(key, scheduler, best.get(key)))));
  byId("numbers-table").replaceChildren(el("table", { class: "numbers" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  const link = el("a", { href: `${encodeURIComponent(name)}/report.html` }, "the report of this scenario");
  byId("numbers-links").replaceChildren(`${about(chosenScenario)}. Time series, waiting times and the Gantt chart of every run: `, link, ".");
}

/** The best scheduler under a metric; null if all are alike. */
function bestOf(key) {
  const known = ranked(chosenScenario, key);
  return known.length && known[0].value !== known.at(-1).value ? known[0] : null;
}

function order(schedulers) {
  const known = ranked(chosenScenario, "mean_job_latency_s").map(({ scheduler }) => scheduler);
  return [...known, ...schedulers.filter((scheduler) => !known.includes(scheduler))];
}

function numberCell(key, scheduler, best) {
  const value = mean(chosenScenario, scheduler, key);
  const isBest = best && value === best.value;
  const differs = best && !isBest && differ(chosenScenario, key, scheduler, best.scheduler);
  const words = best && !isBest ? untold(chosenScenario, key, scheduler, best.scheduler) : "";
  return el("td", { class: isBest ? "best" : differs ? "differs" : "", ...(words && { title: words }) }, shown(key, value), words ? el("span", { class: "doubt" }, "?") : "");
}
