// Which colour a pod has: by namespace, owner, priority or state. The colours are those of the reports.
import { colour } from "./theme.js";

const FILLS = ["bar-0", "bar-1", "bar-2", "bar-3", "bar-4", "series-0", "series-1", "series-2", "series-3", "series-4"];
const OTHERS = "bar-5";
const STATES = { Running: "bar-2", Starting: "bar-4", Terminating: "bar-1", Unknown: "bar-5" };
const RAMP = ["heat-1", "bar-2", "bar-4", "bar-1", "bar-3"];

const WAITS = [[1, "waited under 1 s"], [10, "1 to 10 s"], [60, "10 to 60 s"], [600, "1 to 10 min"], [Number.POSITIVE_INFINITY, "over 10 min"]];

/** How long a pod of a finished run waits, as a word of the legend. */
export const waitOf = (seconds) => WAITS.find(([most]) => seconds < most || most === Number.POSITIVE_INFINITY)[1];

export const COLOURINGS = [["namespace", "namespace"], ["owner", "owner"], ["priority", "priority"], ["state", "state"]];

/** Gives pods their colours; values keep the colour that they got first. */
export class Colouring {
  constructor(by) {
    this.by = by;
    this.indexes = new Map();
    this.counts = new Map();
    this.resolve();
  }

  /** Reads the colours again, after the theme has changed. */
  resolve() {
    const names = [...FILLS, OTHERS, ...Object.values(STATES), ...RAMP];
    this.values = Object.fromEntries(names.map((name) => [name, colour(name)]));
    this.known = new Map(); // colours by value: this is asked for each pod in each frame
  }

  /** Numbers the values by how many pods have them, so that frequent ones get colours of their own. */
  learn(pods) {
    this.counts = new Map();
    for (const pod of pods) {
      const value = this.valueOf(pod);
      this.counts.set(value, (this.counts.get(value) ?? 0) + 1);
    }
    const found = [...this.counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
    if (this.by === "priority") this.indexes = new Map(found.sort((a, b) => a - b).map((value, i) => [value, i]));
    else for (const value of found) if (!this.indexes.has(value)) this.indexes.set(value, this.indexes.size);
    this.known = new Map();
  }

  valueOf(pod) {
    if (this.by === "owner") return pod.owner || "no owner";
    return this.by === "priority" ? pod.priority : pod[this.by];
  }

  of(pod) {
    const value = this.valueOf(pod);
    let found = this.known.get(value);
    if (found === undefined) {
      found = this.values[this.nameOf(value)];
      this.known.set(value, found);
    }
    return found;
  }

  nameOf(value) {
    if (this.by === "state") return STATES[value] ?? OTHERS;
    if (this.by === "wait") return RAMP[WAITS.findIndex(([, text]) => text === value)];
    const index = this.indexes.get(value) ?? FILLS.length;
    if (this.by === "priority") return RAMP[Math.min(RAMP.length - 1, Math.floor((index * RAMP.length) / Math.max(RAMP.length, this.indexes.size)))];
    return this.by === "owner" && this.indexes.size > FILLS.length ? FILLS[index % FILLS.length] : (FILLS[index] ?? OTHERS);
  }

  /** The legend: [text, colour's name, number of pods]; the last entry stands for all that are not listed. */
  legend() {
    const place = (value) => WAITS.findIndex(([, text]) => text === value);
    const order = { priority: (a, b) => b[0] - a[0], wait: (a, b) => place(a[0]) - place(b[0]) }[this.by] ?? ((a, b) => b[1] - a[1]);
    const sorted = [...this.counts].sort(order);
    const entries = sorted.slice(0, FILLS.length).map(([value, count]) => [String(value), this.nameOf(value), count]);
    const others = sorted.slice(FILLS.length);
    const sum = others.reduce((total, [, count]) => total + count, 0);
    return others.length ? [...entries, [this.by === "owner" ? `${others.length} more, colours repeat` : "others", OTHERS, sum]] : entries;
  }
}
