// Light, dark, or as the system has it.

const THEMES = ["auto", "light", "dark"];
const themeListeners = [];

/** Calls `draw` after the colours of the page have changed. */
function onTheme(draw) {
  themeListeners.push(draw);
}

const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme === "auto" ? (darkScheme.matches ? "dark" : "light") : theme;
  byId("theme").textContent = `Theme: ${theme}`;
  for (const draw of themeListeners) draw();
}

/** Storage may be forbidden, above all for files. */
function remembered() {
  try {
    return localStorage.getItem("wavetank-theme");
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem("wavetank-theme", theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}

function startTheme() {
  let theme = THEMES.includes(remembered()) ? remembered() : "auto";
  setTheme(theme);
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    remember(theme);
    setTheme(theme);
  });
  darkScheme.addEventListener("change", () => setTheme(theme));
  addEventListener("beforeprint", () => setTheme("light"));
  addEventListener("afterprint", () => setTheme(theme));
}
