// The lists beside finished runs. Rows are pods and faults of run.js.
import { savedRows } from "./columns.js";
import { Lists } from "./lists.js";
import { clockText } from "./timeline.js";

/** Differences, pending pods and what happened to nodes, of one or two runs. */
export class PlayLists extends Lists {
  constructor(runs, parted, open, go) {
    super(runs[0].cluster, { open });
    Object.assign(this, { runs, parted, go, tab: parted.length ? "parted" : "pending" });
  }

  tabs() {
    const own = this.runs.map((run, i) => [i ? "other" : "pending", `Pending ${run.cluster.pending.size}${this.runs.length > 1 ? (i ? " right" : " left") : ""}`]);
    const faults = this.runs.some((run) => run.faults.length) ? [["faults", "Node events"]] : [];
    return [...(this.parted.length ? [["parted", "Differences"]] : []), ...own, ...faults];
  }

  saved() {
    return savedRows(["pending", "other"].includes(this.tab) ? "waits" : this.tab, this.found());
  }

  pendingFound(run = this.runs[0]) {
    return [...run.cluster.pending].filter((pod) => this.matches(pod.key, pod.owner)).sort((a, b) => a.submitted - b.submitted);
  }

  pendingRow(pod, run = this.runs[0]) {
    const until = Number.isFinite(pod.scheduled) ? `scheduled at ${clockText(pod.scheduled)}` : pod.message || "never scheduled";
    return this.row(pod.key, `since ${clockText(pod.submitted)}`, until, () => this.open({ pod, run }, true));
  }

  otherFound() {
    return this.pendingFound(this.runs[1]);
  }

  otherRow(pod) {
    return this.pendingRow(pod, this.runs[1]);
  }

  partedFound() {
    return this.parted.filter(({ pod }) => this.matches(pod.key, pod.home));
  }

  partedRow({ pod, twin, time }) {
    return this.row(pod.key, clockText(time), `${place(pod)} | ${place(twin)}`, () => this.go(time));
  }

  /** What happened to nodes; of two runs with the same faults each is listed once. */
  faultsFound() {
    const where = (i) => (this.runs.length < 2 ? "" : i ? "right" : "left");
    const sides = this.runs.flatMap((run, i) => run.faults.map((fault) => ({ ...fault, key: `${fault.time} ${fault.node} ${fault.text}`, where: where(i) })));
    const merged = new Map();
    for (const fault of sides) merged.set(fault.key, merged.has(fault.key) ? { ...fault, where: "" } : fault);
    return [...merged.values()].filter((fault) => this.matches(fault.node, fault.text)).sort((a, b) => a.time - b.time);
  }

  faultsRow({ node, time, text, where, bad }) {
    return this.row(node, clockText(time), where ? `${text}, ${where}` : text, () => this.go(time), bad);
  }

  empty() {
    return this.filter ? "Nothing has this text." : "No pod is pending.";
  }
}

const place = (pod) => (Number.isFinite(pod.scheduled) ? `${pod.home} at ${clockText(pod.scheduled)}` : "never scheduled");
