// A pod or a node in detail: facts, why it is where it is, actions, YAML.
import { cordon, drain, fail, nodePath, podPath, recover, remove } from "./actions.js";
import { button, byId, counted, el, fill } from "./dom.js";
import { explain } from "./explain.js";
import { since } from "./lists.js";
import { byName, cores, gibibytes, nodeState, percent } from "./model.js";
import { readYaml } from "./connection.js";

const MOST_PODS = 60;

export class Detail {
  constructor(cluster, open, live) {
    Object.assign(this, { cluster, open, live, shown: null, extra: null, drawn: "", now: 0 });
    byId("detail").addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  /** Shows {pod} or {node}; `focus` if a key or a list has opened it. */
  show(found, focus = false) {
    this.shown = found.pod ? { pod: found.pod.key } : { node: found.node.name };
    this.extra = null;
    this.drawn = "";
    this.draw();
    if (focus) byId("detail").focus();
  }

  close() {
    this.shown = null;
    byId("detail").hidden = true;
  }

  draw() {
    if (!this.shown) return;
    const pod = this.cluster.pods.get(this.shown.pod);
    const node = this.cluster.nodes.get(this.shown.node);
    const parts = pod ? this.podParts(pod) : node ? this.nodeParts(node) : [this.head(this.shown.pod ?? this.shown.node, "gone")];
    const text = parts.map((part) => part.textContent).join();
    byId("detail").hidden = false;
    if (text === this.drawn) return; // what is open or marked in it stays so
    this.drawn = text;
    fill(byId("detail"), ...parts, this.extra);
  }

  head(title, state, bad = false) {
    return el("div", { class: "bar" }, el("h2", {}, title), el("span", { class: `state${bad ? " bad" : ""}` }, state), el("span", { class: "spread" }), button("×", () => this.close(), { "aria-label": "Close the details" }));
  }

  podParts(pod) {
    const node = this.cluster.nodes.get(pod.nodeName);
    const where = node ? button(node.name, () => this.open({ node }, true), { class: "link" }) : pod.nodeName || "none";
    const facts = [
      ["Node", where], ["Owner", pod.owner || "none"], ["Requests", `${cores(pod.cpu)}, ${gibibytes(pod.memory)}`],
      ["Priority", String(pod.priority)], ["Age", this.live ? since(this.now, pod.created) : ""],
    ];
    const why = pod.nodeName ? "Why this node?" : "Why is it pending?";
    const acts = this.live ? [button(why, () => this.add(explain(pod)), { class: "primary" }), button("YAML", () => this.add(yaml(podPath(pod)))), button("Delete", () => remove(pod))] : [];
    return [this.head(pod.key, pod.state, pod.state === "Unschedulable"), list(facts), pod.message ? el("p", { class: "notice" }, pod.message) : null, el("div", { class: "controls" }, ...acts)].filter(Boolean);
  }

  nodeParts(node) {
    const facts = [
      ["CPU", `${cores(node.cpuUsed)} of ${cores(node.cpu)} (${percent(node.cpuUsed, node.cpu)})`],
      ["Memory", `${gibibytes(node.memoryUsed)} of ${gibibytes(node.memory)} (${percent(node.memoryUsed, node.memory)})`],
      ["Pods", `${node.pods.size}${node.most ? ` of ${node.most}` : ""}`], ["Zone", node.zone || "none"], ["Pool", node.pool || "none"],
      ["Taints", node.taints?.join(", ") || "none"],
    ];
    const pods = [...node.pods].sort(byName);
    const items = pods.slice(0, MOST_PODS).map((pod) => el("li", {}, button(pod.key, () => this.open({ pod }, true), { class: "link" })));
    const more = pods.length > MOST_PODS ? el("li", {}, `and ${pods.length - MOST_PODS} more`) : null;
    const list_ = el("details", { open: pods.length <= 12 }, el("summary", {}, counted(pods.length, "pod")), el("ul", { class: "plain" }, ...items, more));
    return [this.head(node.name, nodeState(node), !node.ready || node.leaving), list(facts), el("div", { class: "controls" }, ...this.nodeActs(node)), list_];
  }

  nodeActs(node) {
    if (!this.live) return [];
    return [
      button(node.cordoned ? "Uncordon" : "Cordon", () => cordon(node, !node.cordoned), { "data-focus": "cordon" }), button("Drain", () => drain(node)),
      node.ready ? button("Fail", () => fail(node), { "data-focus": "fail" }) : button("Recover", () => recover(node), { "data-focus": "fail" }), button("YAML", () => this.add(yaml(nodePath(node)))),
    ];
  }

  /** Adds a part below, once it is there. */
  async add(part) {
    const before = this.shown;
    const made = await part;
    if (this.shown !== before) return;
    this.extra?.remove();
    this.extra = made;
    byId("detail").append(made);
    made.scrollIntoView({ block: "nearest" });
  }
}

function list(facts) {
  return el("dl", {}, ...facts.filter(([, value]) => value !== "").flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

async function yaml(path) {
  try {
    const text = (await readYaml(path)).replace(/^ {2}managedFields:\n(?: {2}-.*\n| {4}.*\n)*/m, "");
    return el("pre", { tabindex: "0", "aria-label": "YAML" }, text);
  } catch (error) {
    return el("p", { class: "notice" }, error.message);
  }
}
