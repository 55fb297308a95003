// The start of the page of a study, which has no charts of its own to draw.

startTheme();
document.documentElement.dataset.ready = "";
