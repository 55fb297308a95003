// The start of every section.

async function start() {
  startTheme();
  addTableDownloads(DATA.tables);
  startWaiting();
  await startSeries();
  await startGantt();
  document.documentElement.dataset.ready = "";
}

start().catch((error) => {
  const old = typeof DecompressionStream === "undefined";
  const trouble = byId("trouble");
  trouble.hidden = false;
  trouble.textContent = old ? "The charts need a browser of 2023 or later." : `A chart could not be drawn: ${error.message}`;
  throw error;
});
