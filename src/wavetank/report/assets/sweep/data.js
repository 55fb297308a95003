// The results as the page asks for them: means over the seeds by scenario, scheduler and metric.

const DATA = JSON.parse(byId("data").textContent);
const METRIC = new Map(DATA.metrics.map((metric, i) => [metric.key, { ...metric, column: i + 3 }]));

const cells = new Map();
for (const row of DATA.rows) {
  const key = `${row[0]}/${row[1]}`;
  if (!cells.has(key)) cells.set(key, []);
  cells.get(key).push(row);
}

/** The mean of a metric over the seeds; null if some seed has none. */
function mean(scenario, scheduler, key) {
  const rows = cells.get(`${scenario}/${scheduler}`);
  if (!rows) return null;
  const values = rows.map((row) => row[METRIC.get(key).column]);
  return values.some((value) => value === null) ? null : average(values);
}

function average(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whether schedulers of a scenario differ significantly in a metric. */
const differing = new Set(DATA.significant.map(([scenario, key, a, b]) => `${scenario}/${key}/${Math.min(a, b)}/${Math.max(a, b)}`));
function differ(scenario, key, a, b) {
  return differing.has(`${scenario}/${key}/${Math.min(a, b)}/${Math.max(a, b)}`);
}

/** What the seeds cannot tell of two schedulers, in words; "" if they can. */
const undecided = new Map(DATA.untold.map(([scenario, key, a, b, words]) => [`${scenario}/${key}/${Math.min(a, b)}/${Math.max(a, b)}`, words]));
function untold(scenario, key, a, b) {
  return undecided.get(`${scenario}/${key}/${Math.min(a, b)}/${Math.max(a, b)}`) ?? "";
}

/** A value of a metric as text. */
function shown(key, value) {
  if (value === null) return DASH;
  const { kind } = METRIC.get(key);
  if (kind === "time") return duration(value);
  if (kind === "share") return percent(value);
  if (kind === "percent") return `${number(value)} %`;
  return kind === "count" ? number(value) : number(value, 3);
}

/** The schedulers of a scenario that have a value, the best first; those without a better direction as they come. */
function ranked(scenario, key) {
  const { better } = METRIC.get(key);
  const known = DATA.scenarios[scenario].schedulers
    .map((scheduler) => ({ scheduler, value: mean(scenario, scheduler, key) }))
    .filter(({ value }) => value !== null);
  if (better) known.sort((a, b) => (better === "lower" ? a.value - b.value : b.value - a.value));
  return known;
}

/** What is compared: the schedulers of the chosen scenario or, if there is only one scheduler, the scenarios. */
const alone = DATA.schedulers.length === 1;

function entries() {
  return alone ? DATA.scenarios.map((_, scenario) => scenario) : DATA.scenarios[chosenScenario].schedulers;
}

function entryName(entry) {
  return (alone ? DATA.scenarios : DATA.schedulers)[entry].name;
}

function entryMean(entry, key) {
  return alone ? mean(entry, 0, key) : mean(chosenScenario, entry, key);
}

/** The entries that have a value, the best first; those without a better direction as they come. */
function rankedEntries(key) {
  const { better } = METRIC.get(key);
  const known = entries().map((entry) => ({ entry, value: entryMean(entry, key) })).filter(({ value }) => value !== null);
  if (better) known.sort((a, b) => (better === "lower" ? a.value - b.value : b.value - a.value));
  return known;
}

/** Drop-downs that share one choice of the scenario. */
const scenarioListeners = [];
const scenarioFields = [];
let chosenScenario = 0;

function scenarioField(changed) {
  if (alone) return "";
  scenarioListeners.push(changed);
  const pick = (value) => {
    chosenScenario = Number(value);
    for (const select of scenarioFields) select.value = value;
    for (const listener of scenarioListeners) listener();
  };
  const field = dropDown("Scenario", DATA.scenarios.map((scenario, i) => [i, scenario.name]), pick);
  scenarioFields.push(field.querySelector("select"));
  return field;
}

function metricField(label, chosen, pick, wanted = () => true) {
  const options = DATA.metrics.filter((metric) => wanted(metric)).map((metric) => [metric.key, metric.label]);
  const field = dropDown(label, options, pick);
  field.querySelector("select").value = chosen;
  return field;
}

const LETTER = 7.8; // pixels of a letter in the charts, on average

/** A name that fits into a width; of a longer one the end, since names of scenarios begin alike. */
function fitting(name, width) {
  const most = Math.max(4, Math.floor(width / LETTER));
  return name.length > most ? `…${name.slice(1 - most)}` : name;
}
