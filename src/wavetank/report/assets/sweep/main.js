// The start of every section.

/** With one scheduler there is nothing to compare inside a scenario: its sections compare the scenarios. */
function showScenariosOnly() {
  byId("verdict").remove();
  byId("numbers-title").textContent = "All numbers";
  byId("numbers-lead").textContent = "Values are means over the seeds; the best of each column is bold.";
  byId("pareto-lead").textContent = "No scenario is better in one metric than those on the line without being worse in the other.";
}

function start() {
  startTheme();
  addTableDownloads(DATA.tables);
  if (alone) showScenariosOnly();
  else startHeat();
  startBoxes();
  startPareto();
  startNumbers();
  document.documentElement.dataset.ready = "";
}

try {
  start();
} catch (error) {
  byId("trouble").hidden = false;
  byId("trouble").textContent = `A chart could not be drawn: ${error.message}`;
  throw error;
}
