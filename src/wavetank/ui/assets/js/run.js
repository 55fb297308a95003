// A finished run: the cluster at any time. Rows are made by src/wavetank/ui/play/recording.py.
import { waitOf } from "./colours.js";
import { Cluster } from "./model.js";

const NEVER = Number.POSITIVE_INFINITY;
const FIRST = { ready: true, cordoned: false }; // how a node begins

export class Run {
  constructor(data) {
    this.label = `${data.scheduler}, seed ${data.seed ?? "?"}`;
    this.cluster = new Cluster();
    this.nodes = nodeRows(data.nodes, data.states);
    this.pods = podRows(data.pods);
    this.time = Number.NEGATIVE_INFINITY;
    this.at = 0;
    this.events = eventsOf(this.nodes, this.pods);
    this.faults = faultsOf(this.nodes);
    this.end = this.events.times.length ? this.events.times.at(-1) : 0;
  }

  /** Moves to a time, forwards or backwards; only what changes on the way is looked at. */
  seek(time) {
    const { times, things } = this.events;
    const touched = new Set();
    while (this.at < times.length && times[this.at] <= time) touched.add(things[this.at++]);
    while (this.at > 0 && times[this.at - 1] > time) touched.add(things[--this.at]);
    this.time = time;
    for (const thing of touched) if (!thing.key) this.placeNode(thing);
    for (const thing of touched) if (thing.key) this.placePod(thing);
  }

  /** The time of the next event after the present one, or the end. */
  next() {
    return this.at < this.events.times.length ? this.events.times[this.at] : this.end;
  }

  placeNode(node) {
    if (this.time < node.came || this.time >= node.gone) {
      this.cluster.removeNode(node.name);
      return;
    }
    const { ready, cordoned } = node.states.findLast((state) => state.time <= this.time) ?? FIRST;
    this.cluster.setNode([...node.row, ready, cordoned, [], this.time >= node.notice]);
  }

  placePod(pod) {
    const { cluster, time } = this;
    const state = time < pod.submitted || time >= pod.finished ? "" : time >= pod.started ? "Running" : time >= pod.scheduled ? "Starting" : "Pending";
    if (state === pod.state) return;
    const was = pod.state;
    const bound = state === "Running" || state === "Starting" ? pod.home : "";
    if (was && state && pod.nodeName === bound) {
      pod.state = state;
      cluster.touch(pod);
      return;
    }
    if (was) cluster.detach(pod);
    Object.assign(pod, { state, nodeName: bound });
    if (state) {
      cluster.pods.set(pod.key, pod);
      cluster.attach(pod);
    } else cluster.pods.delete(pod.key);
  }
}

/** Nodes with what changes of them: `states` are {time, ready, cordoned} from each time on. */
function nodeRows(nodes, states) {
  const changes = new Map(nodes.name.map((name) => [name, []]));
  states.time.forEach((time, i) => { changes.get(states.name[i])?.push({ time, ready: states.ready[i], cordoned: states.cordoned[i] }); });
  return nodes.name.map((name, i) => ({
    name, row: [name, nodes.cpu_milli[i], nodes.memory_bytes[i], nodes.pods[i], "", nodes.group[i]], states: changes.get(name),
    came: nodes.came[i] ?? Number.NEGATIVE_INFINITY, notice: nodes.notice[i] ?? NEVER, gone: nodes.gone[i] ?? NEVER,
  }));
}

/** What happened to nodes, in the order of time: {time, node, text, bad}. */
function faultsOf(nodes) {
  const found = nodes.flatMap((node) => {
    const changes = node.states.flatMap(({ time, ready, cordoned }, i) => {
      const before = i ? node.states[i - 1] : FIRST;
      const texts = [];
      if (ready !== before.ready) texts.push([ready ? "is ready again" : "fails", !ready]);
      if (cordoned !== before.cordoned) texts.push([cordoned ? "is cordoned" : "is uncordoned", false]);
      return texts.map(([text, bad]) => ({ time, node: node.name, text, bad }));
    });
    if (node.notice === NEVER) return changes;
    const end = node.gone === NEVER ? [] : [{ time: node.gone, node: node.name, text: "is taken back", bad: true }];
    return [...changes, { time: node.notice, node: node.name, text: "gets a notice of interruption", bad: true }, ...end];
  });
  return found.sort((a, b) => a.time - b.time);
}

function podRows(pods) {
  const text = (name, i) => pods[name].values[pods[name].codes[i]];
  return pods.submitted.map((submitted, i) => {
    const name = text("name", i);
    const namespace = text("namespace", i);
    const scheduled = pods.scheduled[i] ?? NEVER;
    const job = text("job", i);
    return {
      key: `${namespace}/${name}`, namespace, name, home: text("node", i), nodeName: "", state: "", message: text("message", i),
      cpu: pods.cpu_milli[i], memory: pods.memory_bytes[i], priority: pods.priority[i], owner: job === name ? "" : job, created: submitted ?? 0,
      wait: waitOf(scheduled - (submitted ?? scheduled)), submitted: submitted ?? Number.NEGATIVE_INFINITY, scheduled, started: pods.started[i] ?? (submitted === scheduled ? scheduled : NEVER), finished: pods.finished[i] ?? NEVER,
    };
  });
}

/** All that happens in the order of time: `times`, and which pod or node changes then. */
function eventsOf(nodes, pods) {
  const found = [];
  const add = (time, thing) => { if (time !== NEVER) found.push([time, thing]); };
  for (const node of nodes) {
    for (const time of [node.came, node.notice, node.gone, ...node.states.map((state) => state.time)]) add(time, node);
  }
  for (const pod of pods) for (const time of [pod.submitted, pod.scheduled, pod.started, pod.finished]) add(time, pod);
  found.sort((a, b) => a[0] - b[0]);
  return { times: Float64Array.from(found, ([time]) => time), things: found.map(([, thing]) => thing) };
}

/** Pods that two runs have treated differently: placed on other nodes, or at other times; the earliest first. */
export function differences(one, other) {
  const there = new Map(other.pods.map((pod) => [pod.key, pod]));
  const found = [];
  for (const pod of one.pods) {
    const twin = there.get(pod.key);
    if (!twin) continue;
    if (pod.home !== twin.home || Math.abs(pod.scheduled - twin.scheduled) > 1e-6) found.push({ pod, twin, time: Math.min(pod.scheduled, twin.scheduled) });
  }
  return found.filter(({ time }) => time !== NEVER).sort((a, b) => a.time - b.time);
}
