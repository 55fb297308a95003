// The cluster as the page knows it: nodes with their pods, made from the rows of src/wavetank/ui/rows.py.

const DONE = new Set(["Succeeded", "Failed"]);

export class Cluster {
  constructor() {
    this.nodes = new Map();
    this.pods = new Map();
    this.pending = new Set();
    this.changed = new Set(); // nodes to draw again
    this.shape = 0; // counts changes of the set of nodes
  }

  setNode([name, cpu, memory, most, zone, pool, ready, cordoned, taints, leaving = false]) {
    const known = this.nodes.get(name);
    const node = known ?? { name, pods: new Set(), cpuUsed: 0, memoryUsed: 0, boxes: null };
    if (!known || known.zone !== zone || known.pool !== pool) this.shape += 1;
    Object.assign(node, { cpu, memory, most, zone, pool, ready, cordoned, taints, leaving, boxes: null });
    this.nodes.set(name, node);
    this.changed.add(node);
    if (!known) for (const pod of this.pods.values()) if (pod.nodeName === name) this.attach(pod);
  }

  removeNode(name) {
    if (this.nodes.delete(name)) this.shape += 1;
  }

  setPod([namespace, name, nodeName, state, cpu, memory, priority, owner, created, message]) {
    const key = `${namespace}/${name}`;
    const known = this.pods.get(key);
    if (known && known.nodeName === nodeName && known.cpu === cpu && known.memory === memory && DONE.has(known.state) === DONE.has(state)) {
      Object.assign(known, { state, priority, owner, created, message });
      this.touch(known);
      if (!nodeName && DONE.has(state)) this.pending.delete(known);
      return;
    }
    if (known) this.detach(known);
    const pod = { key, namespace, name, nodeName, state, cpu, memory, priority, owner, created, message };
    this.pods.set(key, pod);
    this.attach(pod);
  }

  removePod(key) {
    const pod = this.pods.get(key);
    if (!pod) return;
    this.detach(pod);
    this.pods.delete(key);
  }

  /** Puts a pod on its node, or among the pending ones. */
  attach(pod) {
    if (DONE.has(pod.state)) return;
    if (!pod.nodeName) {
      this.pending.add(pod);
      return;
    }
    const node = this.nodes.get(pod.nodeName);
    if (!node) return;
    node.pods.add(pod);
    node.cpuUsed += pod.cpu;
    node.memoryUsed += pod.memory;
    this.redraw(node);
  }

  detach(pod) {
    this.pending.delete(pod);
    const node = this.nodes.get(pod.nodeName);
    if (!node?.pods.delete(pod)) return;
    node.cpuUsed -= pod.cpu;
    node.memoryUsed -= pod.memory;
    this.redraw(node);
  }

  touch(pod) {
    const node = this.nodes.get(pod.nodeName);
    if (node) this.changed.add(node);
  }

  redraw(node) {
    node.boxes = null;
    this.changed.add(node);
  }

  /** Takes a line of the stream. */
  take(line) {
    if (line.reset) {
      const { shape } = this;
      Object.assign(this, new Cluster(), { shape: shape + 1 });
    }
    for (const row of line.nodes ?? []) this.setNode(row);
    for (const row of line.pods ?? []) this.setPod(row);
    for (const [, namespace, name] of line.gone?.pods ?? []) this.removePod(`${namespace}/${name}`);
    for (const [, , name] of line.gone?.nodes ?? []) this.removeNode(name);
  }

  totals() {
    const sums = { cpu: 0, memory: 0, cpuUsed: 0, memoryUsed: 0, pods: 0, lost: 0 };
    for (const node of this.nodes.values()) {
      sums.cpu += node.cpu;
      sums.memory += node.memory;
      sums.cpuUsed += node.cpuUsed;
      sums.memoryUsed += node.memoryUsed;
      sums.pods += node.pods.size;
      if (!node.ready) sums.lost += 1;
    }
    return sums;
  }
}

export function nodeState(node) {
  if (node.leaving) return "notice of interruption";
  return node.ready ? (node.cordoned ? "cordoned" : "ready") : "not ready";
}

/** What a pod takes of a node: the larger of its shares of CPU and memory, or one of them. */
export function share(pod, node, measure) {
  const cpu = node.cpu ? pod.cpu / node.cpu : 0;
  const memory = node.memory ? pod.memory / node.memory : 0;
  return measure === "cpu" ? cpu : measure === "memory" ? memory : Math.max(cpu, memory);
}

/** How full a node is, from 0 to 1. */
export function level(node, measure) {
  return Math.min(1, share({ cpu: node.cpuUsed, memory: node.memoryUsed }, node, measure));
}

export const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0}\u00a0%`;
export const cores = (milli) => `${(milli / 1000).toLocaleString("en", { maximumFractionDigits: 2 })} CPU`;
export const gibibytes = (bytes) => `${(bytes / 2 ** 30).toLocaleString("en", { maximumFractionDigits: 2 })} GiB`;

export function age(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min`;
  return whole < 172800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86400)} d`;
}

const numeric = new Intl.Collator("en", { numeric: true });
export const byName = (a, b) => numeric.compare(a.name, b.name);
