// The page has no charts to draw: its colours are chosen, and what it shows can be saved.

startTheme();
addTableDownloads(JSON.parse(byId("data").textContent).tables ?? {});
document.documentElement.dataset.ready = "";
