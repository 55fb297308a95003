// Light, dark, or as the system has it; the choice is shared with the reports of wavetank.
import { byId } from "./dom.js";

const THEMES = ["auto", "light", "dark"];
const KEY = "wavetank-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = "auto";

/** Starts; `changed` is called when colours have changed. */
export function startTheme(changed) {
  const kept = localStorage.getItem(KEY);
  if (THEMES.includes(kept)) chosen = kept;
  const show = () => {
    const dark = chosen === "dark" || (chosen === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").textContent = `Theme: ${chosen}`;
    changed();
  };
  byId("theme").addEventListener("click", () => {
    chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
    localStorage.setItem(KEY, chosen);
    show();
  });
  system.addEventListener("change", show);
  show();
}

/** A colour of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
