// Light, dark, or as the system has it; the choice is shared with the reports of wavetank.
import { byId } from "./dom.js";

const THEMES = ["auto", "light", "dark"];
const KEY = "wavetank-theme";
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme === "auto" ? (darkScheme.matches ? "dark" : "light") : theme;
  byId("theme").textContent = `Theme: ${theme}`;
}

export function startTheme() {
  let theme = THEMES.includes(localStorage.getItem(KEY)) ? localStorage.getItem(KEY) : "auto";
  setTheme(theme);
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    localStorage.setItem(KEY, theme);
    setTheme(theme);
  });
  darkScheme.addEventListener("change", () => setTheme(theme));
}
