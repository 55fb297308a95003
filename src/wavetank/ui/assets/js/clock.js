// The clock: what time it is, and the buttons that pause, step, advance and pace it.
import { attempt } from "./actions.js";
import { button, byId, el, fill, select } from "./dom.js";
import { request } from "./connection.js";

const SPEEDS = ["0.1", "1", "10", "60", "600", "3600", "max"];
const EVERY_MS = 1000;
const state = { paused: false, speed: 1, shown: "" };
const time = el("time", { class: "now" });
const note = el("small", { class: "quiet" });
const pause = button("Pause", () => (state.paused ? act("resume") : act("pause")), { id: "pause", "aria-label": "Pause or resume" });
const speed = select("Speed", SPEEDS.map((each) => [each, each === "max" ? "max" : `× ${each}`]), "1", (chosen) => act(`resume?speed=${chosen}`));

/** Starts; `undo` is called to take the last write back. */
export function startClock(undo) {
  const parts = [
    el("span", { class: "time" }, time, note), pause,
    button("Next event", () => act("step"), { id: "step" }), button("+1 min", () => act("advance?by=1m")), button("+1 h", () => act("advance?by=1h")), speed,
    button("Undo", () => attempt("", async () => { await undo(); await refresh(); }), { id: "undo", title: "Go back to before the last write" }),
  ];
  fill(byId("clock"), ...parts);
  byId("clock").hidden = false;
  refresh();
  setInterval(refresh, EVERY_MS);
}

export const togglePause = () => act(state.paused ? "resume" : "pause");
export const step = () => act("step");

function act(path) {
  return attempt("", async () => {
    show(await request("POST", `/wavetank/clock/${path}`));
    return "";
  });
}

async function refresh() {
  if (document.hidden) return;
  try {
    show(await request("GET", "/wavetank/clock"));
  } catch {
    // The stream says that the connection is lost.
  }
}

function show(given) {
  Object.assign(state, { paused: given.paused, speed: given.speed });
  time.textContent = given.time.replace("T", " ").replace("Z", "");
  const ahead = given.nextEventSeconds;
  note.textContent = given.paused ? "paused" : given.idle ? "nothing is due" : ahead !== null && ahead > 1 ? `next event in ${ahead.toFixed(0)} s` : "running";
  pause.textContent = given.paused ? "Resume" : "Pause";
  pause.classList.toggle("primary", given.paused);
  const chosen = String(given.speed);
  const input = speed.querySelector("select");
  if (![...input.options].some((option) => option.value === chosen)) input.append(el("option", { value: chosen }, `× ${chosen}`));
  if (document.activeElement !== input) input.value = chosen;
}
