// The lists beside the nodes: pending pods, workloads, events, nodes, autoscaling. Rows are made by src/wavetank/ui/rows.py.
import { savedRows } from "./columns.js";
import { button, byId, counted, el, fill } from "./dom.js";
import { age, byName, nodeState, percent } from "./model.js";
import { tableDownload } from "./saving.js";

const SHOWN = 150; // rows of a list; the filter finds the others
const EVENTS = 300;

export class Lists {
  /** `open` is called with {pod} or {node} that is to be shown, `scale` with a workload; `history` and `submit` are tabs. */
  constructor(cluster, { open, scale, history, submit }) {
    Object.assign(this, { cluster, open, scale, history, submit, tab: "pending", filter: "", now: 0 });
    this.workloads = new Map();
    this.scalers = new Map();
    this.events = [];
    this.input = el("input", { type: "search", placeholder: "Filter (press /)", "aria-label": "Filter the list", oninput: () => { this.filter = this.input.value.toLowerCase(); this.draw(); } });
    this.head = el("div", { class: "bar" }, this.input, tableDownload("the list", () => this.tab, () => this.saved()));
    this.body = el("div", { class: "rows" });
    this.note = el("p", { class: "quiet" });
    byId("tabs").addEventListener("keydown", (event) => this.key(event));
  }

  take(line) {
    if (line.reset) {
      this.workloads.clear();
      this.scalers.clear();
      this.events = [];
    }
    for (const part of ["workloads", "scalers"]) {
      for (const row of line[part] ?? []) this[part].set(row.slice(0, 3).join("/"), row);
      for (const key of line.gone?.[part] ?? []) this[part].delete(key.join("/"));
    }
    if (line.events) this.events = line.events.concat(this.events.filter((old) => !line.events.some((row) => row[0] === old[0]))).sort((a, b) => b[0] - a[0]).slice(0, EVENTS);
    this.now = line.now;
  }

  tabs() {
    const tabs = [["pending", `Pending ${this.cluster.pending.size.toLocaleString("en")}`], ["workloads", "Workloads"], ["events", "Events"], ["nodes", "Nodes"]];
    if (this.scalers.size) tabs.push(["scalers", "Autoscaling"]);
    if (this.submit) tabs.push(["submit", "Submit"], ["history", "History"]);
    return tabs;
  }

  show(tab) {
    this.tab = tab;
    if (tab === "history") this.history.refresh();
    this.draw();
  }

  draw() {
    const tabs = this.tabs().map(([name, text]) => button(text, () => this.show(name), { role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab), "aria-controls": "list", tabindex: name === this.tab ? "0" : "-1", "data-focus": name }));
    fill(byId("tabs"), ...tabs);
    byId("list").setAttribute("aria-labelledby", `tab-${this.tab}`);
    const whole = { submit: this.submit, history: this.history?.element }[this.tab];
    if (whole) {
      if (!byId("list").contains(whole)) fill(byId("list"), whole);
      return;
    }
    if (!byId("list").contains(this.body)) fill(byId("list"), this.head, this.body, this.note);
    const found = this.found();
    fill(this.body, ...found.slice(0, SHOWN).map((each) => this[`${this.tab}Row`](each)));
    this.note.textContent = found.length > SHOWN ? `${(found.length - SHOWN).toLocaleString("en")} more; filter the list to find them.` : found.length ? "" : this.empty();
  }

  /** What the list has, without what the filter leaves out. */
  found() {
    return this[`${this.tab}Found`]();
  }

  /** All that the list has, as rows of CSV. */
  saved() {
    return savedRows(this.tab, this.found());
  }

  empty() {
    if (this.filter) return "Nothing has this text.";
    return { pending: "No pod is pending.", workloads: "There are no workloads.", events: "There are no events.", nodes: "There are no nodes.", scalers: "" }[this.tab];
  }

  matches(...texts) {
    return !this.filter || texts.some((text) => text.toLowerCase().includes(this.filter));
  }

  pendingFound() {
    const found = [...this.cluster.pending].filter((pod) => this.matches(pod.key, pod.message, pod.owner));
    return found.sort((a, b) => b.priority - a.priority || a.created - b.created);
  }

  pendingRow(pod) {
    return this.row(pod.key, pod.state, pod.message || "waiting for a scheduler", () => this.open({ pod }, true), pod.state === "Unschedulable");
  }

  workloadsFound() {
    const found = [...this.workloads.values()].filter((row) => this.matches(row[0], row[1], row[2]));
    return found.sort((a, b) => byName({ name: `${a[1]}/${a[2]}` }, { name: `${b[1]}/${b[2]}` }));
  }

  workloadsRow([kind, namespace, name, wanted, updated, ready, text]) {
    const key = `${namespace}/${name}`;
    const bar = el("progress", { max: Math.max(1, wanted), value: Math.min(ready, wanted), "aria-label": `${key}: ready` });
    const scalable = this.scale && ["Deployment", "StatefulSet", "ReplicaSet"].includes(kind);
    const ends = scalable ? [button("−", () => this.scale(kind, namespace, name, Math.max(0, wanted - 1)), { "aria-label": `Scale ${key} down` }), button("+", () => this.scale(kind, namespace, name, wanted + 1), { "aria-label": `Scale ${key} up` })] : [];
    return el(
      "div", { class: "row", "data-workload": `${kind}/${key}`, "data-updated": updated },
      el("div", { class: "bar" }, el("b", {}, key), el("span", { class: "state" }, kind), el("span", { class: "spread" }), el("span", {}, `${ready} / ${wanted}`), ...ends),
      bar, el("small", {}, text),
    );
  }

  eventsFound() {
    return this.events.filter((row) => this.matches(row[3], row[6], row[7]));
  }

  eventsRow([, time, type, reason, kind, namespace, name, message, count]) {
    const pod = kind === "Pod" ? this.cluster.pods.get(`${namespace}/${name}`) : undefined;
    const node = kind === "Node" ? this.cluster.nodes.get(name) : undefined;
    const act = pod ? () => this.open({ pod }, true) : node ? () => this.open({ node }, true) : undefined;
    const text = `${message}${count > 1 ? ` (× ${count})` : ""}`;
    return this.row(`${kind} ${namespace && kind !== "Node" ? `${namespace}/` : ""}${name}`, reason, text, act, type === "Warning", clockTime(time));
  }

  nodesFound() {
    return [...this.cluster.nodes.values()].filter((node) => this.matches(node.name, node.zone, node.pool)).sort(byName);
  }

  nodesRow(node) {
    const use = `CPU ${percent(node.cpuUsed, node.cpu)}, memory ${percent(node.memoryUsed, node.memory)}`;
    return this.row(node.name, nodeState(node), `${counted(node.pods.size, "pod")}, ${use}${node.zone ? `, ${node.zone}` : ""}`, () => this.open({ node }, true), !node.ready);
  }

  scalersFound() {
    return [...this.scalers.values()];
  }

  scalersRow([kind, namespace, name, present, least, most, text]) {
    const range = most === null || most === undefined ? "" : ` (${least ?? 0} to ${most})`;
    return this.row(`${namespace ? `${namespace}/` : ""}${name}`, kind, `${present ?? 0}${range}${text ? `, ${text}` : ""}`);
  }

  row(title, state, text, act, bad = false, time = "") {
    const inside = [el("span", { class: "bar" }, el("b", {}, title), el("span", { class: `state${bad ? " bad" : ""}` }, state), el("span", { class: "spread" }), el("small", {}, time)), el("small", {}, text)];
    return act ? el("button", { type: "button", class: "row", "data-focus": `${title}-${state}-${text}`, onclick: act }, ...inside) : el("div", { class: "row" }, ...inside);
  }

  key(event) {
    const names = this.tabs().map(([name]) => name);
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.show(names[(names.indexOf(this.tab) + steps[event.key] + names.length) % names.length]);
    byId(`tab-${this.tab}`).focus();
  }
}

function clockTime(text) {
  const found = /T(\d\d:\d\d:\d\d)/.exec(text);
  return found ? found[1] : "";
}

export const since = (now, created) => age(now - created);
