// The testbeds with their slots, by node. While slots are being assigned, a click picks one.
import { picking } from "./builder.js";
import { all, colourOf, jobOfPod, slotsOf } from "./cluster.js";
import { badge, byId, counted, el, replaceKeepingFocus } from "./dom.js";

export function drawTestbeds() {
  const testbeds = all("testbeds");
  const empty = el("p", { class: "quiet" }, "There is no testbed in this namespace.");
  replaceKeepingFocus(byId("testbed-list"), testbeds.length ? testbeds.map(card) : [empty]);
}

function card(testbed) {
  const slots = slotsOf(testbed);
  const free = slots.filter((slot) => slot.state === "FREE").length;
  const nodes = Object.entries(testbed.slotsByNode).map(([node, own]) => row(testbed, node, own));
  return el(
    "article", { class: "panel testbed", "data-testbed": testbed.name },
    el("div", { class: "bar" }, el("h3", {}, testbed.name), badge(testbed.state)),
    el("p", { class: "quiet" }, `${counted(testbed.numberOfNodes, "node")} with ${counted(testbed.numberOfSlotsPerNode, "slot")} each, ${free} of ${slots.length} free`),
    ...problems(testbed.problems),
    el("div", { class: "nodes" }, ...nodes),
  );
}

function row(testbed, node, slots) {
  return el("div", { class: "node" }, el("span", { class: "node-name", title: node }, node), el("div", { class: "slots" }, ...slots.map((slot) => box(testbed, slot))));
}

function box(testbed, slot) {
  const pod = slot.state === "FREE" ? "" : (slot.reservedFor ?? slot.podName ?? "");
  const job = jobOfPod(pod);
  const state = slot.state.toLowerCase();
  const pick = picking(testbed.name);
  const picked = pick?.isPicked(slot.position);
  const text = `slot ${slot.position}: ${state}${job ? `, ${job}` : ""}`;
  const inside = [el("b", {}, String(slot.position)), el("small", {}, job || (state === "free" ? "" : pod))];
  const attributes = { class: `slot ${state} ${job ? colourOf(job) : ""} ${picked ? "picked" : ""}`, title: `${text}${pod ? ` (${pod})` : ""}`, "data-slot": slot.position };
  if (!pick) return el("div", attributes, ...inside);
  const focus = `slot-${testbed.name}-${slot.position}`;
  return el("button", { ...attributes, type: "button", "data-focus": focus, "aria-pressed": String(picked), "aria-label": text, onclick: () => pick.toggle(slot.position) }, ...inside);
}

export function problems(found) {
  return found?.length ? [el("ul", { class: "problems" }, ...found.map((problem) => el("li", {}, problem)))] : [];
}
