// Builds a scheduling by hand: a queue, or jobs with fixed slots.
import { all, colourOf, find } from "./cluster.js";
import { request } from "./connection.js";
import { badge, byId, choice, counted, el, field, replaceKeepingFocus } from "./dom.js";

const SHOWN = 100; // jobs in the list; the filter finds the others
const draft = { mode: "queue", testbed: "", entries: [], chosen: -1 };
let redraw = () => {};
const name = el("input", { id: "name", type: "text", required: true, autocomplete: "off", spellcheck: "false" });
const testbeds = el("select", { id: "testbed", onchange: () => choose(testbeds.value) });

/** Starts the builder; `drawn` is called when slots may have to be drawn again. */
export function startBuilder(drawn) {
  redraw = drawn;
  const modes = [["queue", "queue"], ["strict", "slots, strict"], ["relaxed", "slots, relaxed"]];
  byId("builder-controls").append(field("Name", name), field("Testbed", testbeds), choice("Mode", "mode", modes, "queue", setMode));
  byId("filter").addEventListener("input", drawBuilder);
  byId("clear").addEventListener("click", clear);
  byId("builder-form").addEventListener("submit", submit);
  const queue = byId("queue");
  queue.addEventListener("dragover", allowDrop);
  queue.addEventListener("dragleave", () => queue.classList.remove("over"));
  queue.addEventListener("drop", drop);
}

/** How slots of a testbed are picked at the moment; undefined if they are not. */
export function picking(testbed) {
  const entry = draft.entries[draft.chosen];
  if (draft.mode === "queue" || testbed !== draft.testbed || !entry) return undefined;
  return { isPicked: (slot) => entry.slots.has(slot), toggle: (slot) => { if (!entry.slots.delete(slot)) entry.slots.add(slot); changed(); } };
}

/** Puts an existing scheduling into the builder, to extend or change it. */
export function edit(scheduling) {
  draft.mode = scheduling.queue ? "queue" : scheduling.slots.mode;
  draft.entries = scheduling.queue ? grouped(scheduling.queue) : scheduling.slots.jobs.map((job) => entryOf(job.name, job.slots.length, job.slots));
  draft.testbed = scheduling.testBed;
  draft.chosen = draft.entries.length - 1;
  name.value = scheduling.name;
  document.querySelector(`input[name="mode"][value="${draft.mode}"]`).checked = true;
  changed();
  byId("builder").scrollIntoView();
}

export function drawBuilder() {
  const known = all("testbeds").map((each) => each.name);
  if (!known.includes(draft.testbed)) draft.testbed = known[0] ?? "";
  testbeds.replaceChildren(...known.map((each) => el("option", { value: each, selected: each === draft.testbed }, each)));
  if (!name.value) name.value = freeName();
  drawPool();
  drawQueue();
}

function drawPool() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const jobs = all("jobs").filter((job) => job.name.includes(wanted));
  replaceKeepingFocus(byId("pool"), jobs.slice(0, SHOWN).map(poolItem));
  byId("pool-note").textContent = jobs.length > SHOWN ? `${SHOWN} of ${jobs.length} jobs are shown.` : jobs.length ? "" : "No jobs.";
}

function poolItem(job) {
  const start = (event) => event.dataTransfer.setData("text/plain", `job:${job.name}`);
  const button = el("button", { type: "button", class: `item ${colourOf(job.name)}`, draggable: "true", "data-focus": `pool-${job.name}`, ondragstart: start, onclick: () => add(job.name) });
  button.append(el("span", { class: "label" }, job.name), badge(job.state));
  return el("li", {}, button);
}

function drawQueue() {
  const queue = draft.mode === "queue";
  byId("queue-title").textContent = queue ? "Queue" : "Jobs with slots";
  const hint = el("li", { class: "hint" }, "Drop jobs here.");
  replaceKeepingFocus(byId("queue"), draft.entries.length ? draft.entries.map(queueItem) : [hint]);
  byId("submit").textContent = find("schedulings", name.value) ? "Replace" : "Create";
  byId("submit").disabled = !draft.entries.length || !draft.testbed;
  byId("builder-note").textContent = note();
}

function queueItem(entry, at) {
  const focus = { "data-focus": `queue-${entry.key}`, tabindex: "0", draggable: "true" };
  const chosen = draft.mode !== "queue" && at === draft.chosen;
  const item = el("li", { class: `item ${colourOf(entry.job)} ${chosen ? "chosen" : ""}`, "data-job": entry.job, ...focus, onkeydown: (event) => press(event, at), onfocus: () => pick(at), onclick: () => pick(at) });
  item.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", `entry:${at}`));
  item.append(el("span", { class: "label" }, entry.job), draft.mode === "queue" ? counter(entry, at) : slotsText(entry, chosen), remove(at));
  return item;
}

function counter(entry, at) {
  const step = (by, text, label) => el("button", { type: "button", "aria-label": `${label} executor of ${entry.job}`, "data-focus": `${label}-${entry.key}`, onclick: () => count(at, by) }, text);
  return el("span", { class: "counter" }, step(-1, "−", "one less"), el("span", {}, counted(entry.count, "executor")), step(1, "+", "one more"));
}

function slotsText(entry, chosen) {
  const slots = [...entry.slots].sort((a, b) => a - b).join(", ");
  return el("span", { class: "counter" }, slots ? `slots ${slots}` : chosen ? "click its slots above" : "no slots yet");
}

function remove(at) {
  const label = `Remove ${draft.entries[at].job}`;
  return el("button", { type: "button", class: "remove", "aria-label": label, title: label, onclick: (event) => { event.stopPropagation(); take(at); } }, "×");
}

function note() {
  const testbed = find("testbeds", draft.testbed);
  if (!testbed || !draft.entries.length) return "";
  const size = testbed.numberOfNodes * testbed.numberOfSlotsPerNode;
  if (draft.mode !== "queue") return draft.entries.some((entry) => !entry.slots.size) ? "Every job needs slots." : "";
  const wide = draft.entries.find((entry) => entry.count > size);
  if (wide) return `${wide.job} needs more slots than the testbed has.`;
  const slots = draft.entries.reduce((sum, entry) => sum + entry.count, 0);
  return `${counted(draft.entries.length, "job")} with ${counted(slots, "executor")}, on ${counted(size, "slot")}.`;
}

function press(event, at) {
  if (event.target !== event.currentTarget) return;
  const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (move && event.altKey) shift(at, Math.max(0, Math.min(draft.entries.length - 1, at + move)));
  else if (move) event.currentTarget.parentElement.children[at + move]?.focus();
  else if (event.key === "+" || event.key === "-") count(at, event.key === "+" ? 1 : -1);
  else if (event.key === "Delete" || event.key === "Backspace") take(at);
  else return;
  event.preventDefault();
}

function pick(at) {
  if (draft.chosen === at) return;
  draft.chosen = at;
  if (draft.mode !== "queue") changed();
}

let keys = 0;

function entryOf(job, count = 1, slots = []) {
  return { job, count, slots: new Set(slots), key: keys++ };
}

/** Neighbours of one name are one job with several executors; the operator adds up the others. */
function grouped(names) {
  const entries = [];
  for (const job of names) {
    if (entries.at(-1)?.job === job) entries.at(-1).count += 1;
    else entries.push(entryOf(job));
  }
  return entries;
}

function add(job, at = draft.entries.length) {
  const same = draft.entries.findIndex((entry) => entry.job === job);
  if (same >= 0) return draft.mode === "queue" ? count(same, 1) : pick(same);
  draft.entries.splice(at, 0, entryOf(job));
  draft.chosen = at;
  changed();
}

function count(at, by) {
  draft.entries[at].count = Math.max(1, draft.entries[at].count + by);
  changed();
}

function shift(from, to) {
  draft.entries.splice(to, 0, ...draft.entries.splice(from, 1));
  draft.chosen = to;
  changed();
}

function take(at) {
  draft.entries.splice(at, 1);
  draft.chosen = Math.min(draft.chosen, draft.entries.length - 1);
  changed();
}

function clear() {
  draft.entries = [];
  draft.chosen = -1;
  name.value = freeName();
  refuse("");
  changed();
}

function setMode(mode) {
  draft.mode = mode;
  changed();
}

function choose(testbed) {
  draft.testbed = testbed;
  for (const entry of draft.entries) entry.slots.clear();
  changed();
}

function allowDrop(event) {
  event.preventDefault();
  byId("queue").classList.add("over");
}

function drop(event) {
  event.preventDefault();
  byId("queue").classList.remove("over");
  const [kind, value] = event.dataTransfer.getData("text/plain").split(/:(.*)/);
  const items = [...byId("queue").querySelectorAll(".item")];
  const below = items.findIndex((item) => event.clientY < item.getBoundingClientRect().top + item.offsetHeight / 2);
  const at = below < 0 ? items.length : below;
  if (kind === "job") add(value, at);
  if (kind === "entry") shift(Number(value), at > Number(value) ? at - 1 : at);
}

async function submit(event) {
  event.preventDefault();
  const body = { name: name.value.trim(), testBed: draft.testbed };
  if (draft.mode === "queue") body.queue = draft.entries.flatMap((entry) => Array(entry.count).fill(entry.job));
  else body.slots = { mode: draft.mode, jobs: draft.entries.map((entry) => ({ name: entry.job, slots: [...entry.slots].sort((a, b) => a - b) })) };
  try {
    await request("POST", "/external/schedulings", body);
    clear();
  } catch (error) {
    refuse(error.message);
  }
}

function refuse(message) {
  byId("refusal").textContent = message;
  byId("refusal").hidden = !message;
}

function freeName() {
  let number = 1;
  while (find("schedulings", `by-hand-${number}`)) number += 1;
  return `by-hand-${number}`;
}

function changed() {
  drawBuilder();
  redraw();
}
