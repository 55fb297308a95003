// The page has no charts to draw: only its colours are chosen.

startTheme();
document.documentElement.dataset.ready = "";
