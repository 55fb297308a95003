// The schedulings with the states of their jobs, newest first.
import { edit } from "./builder.js";
import { all, colourOf } from "./cluster.js";
import { request } from "./connection.js";
import { badge, byId, el, replaceKeepingFocus, stateText } from "./dom.js";
import { problems } from "./testbeds.js";

const SHOWN = 200; // jobs of one scheduling

export function drawSchedulings() {
  const schedulings = all("schedulings").reverse();
  const empty = el("p", { class: "quiet" }, "There is no scheduling. Build one above, or start an external scheduler.");
  replaceKeepingFocus(byId("scheduling-list"), schedulings.length ? schedulings.map(card) : [empty]);
}

function card(scheduling) {
  const { name } = scheduling;
  const jobs = wanted(scheduling);
  const left = jobs.length - SHOWN;
  return el(
    "article", { class: "panel scheduling", "data-scheduling": name },
    el("div", { class: "bar" }, el("h3", {}, name), badge(scheduling.state)),
    el("p", { class: "quiet" }, `${scheduling.queue ? "queue" : `slots, ${scheduling.slots?.mode ?? ""}`} on ${scheduling.testBed}`),
    ...problems(scheduling.problems),
    el("ol", { class: "chips" }, ...jobs.slice(0, SHOWN).map(chip), ...(left > 0 ? [el("li", { class: "quiet" }, `and ${left} more`)] : [])),
    el("div", { class: "controls" }, button("Edit", name, () => edit(scheduling)), button("Delete", name, () => remove(name))),
  );
}

/** Each job of a scheduling once, with its executors or slots and its state. */
function wanted(scheduling) {
  const states = new Map((scheduling.jobStatus ?? []).map((each) => [each.name, each.state]));
  const jobs = new Map();
  for (const job of scheduling.queue ?? []) jobs.set(job, (jobs.get(job) ?? 0) + 1);
  const asked = scheduling.queue
    ? [...jobs].map(([name, count]) => ({ name, text: `× ${count}` }))
    : (scheduling.slots?.jobs ?? []).map((job) => ({ name: job.name, text: job.slots.join(", ") }));
  return asked.map((job) => ({ ...job, state: states.get(job.name) ?? "Acquiring" }));
}

function chip({ name, text, state }) {
  return el("li", { class: `chip ${colourOf(name)} ${state.toLowerCase()}`, title: `${name}: ${stateText(state)}` }, el("b", {}, name), ` ${text}`, el("small", {}, stateText(state)));
}

function button(text, name, act) {
  return el("button", { type: "button", "data-focus": `${text}-${name}`, "aria-label": `${text} ${name}`, onclick: act }, text);
}

async function remove(name) {
  try {
    await request("DELETE", `/external/schedulings/${encodeURIComponent(name)}`);
  } catch (error) {
    byId("trouble").textContent = error.message;
    byId("trouble").hidden = false;
  }
}
