// The start of every section.

function start() {
  startTheme();
  addTableDownloads(DATA.tables);
  startHeat();
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
