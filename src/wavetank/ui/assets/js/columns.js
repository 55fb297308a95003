// What lists are saved with: the columns of each as CSV.
import { nodeState } from "./model.js";

const POD = [["namespace", (pod) => pod.namespace], ["name", (pod) => pod.name]];
const REQUESTS = [["cpu_milli", (pod) => pod.cpu], ["memory_bytes", (pod) => pod.memory], ["priority", (pod) => pod.priority], ["owner", (pod) => pod.owner]];
const NODE = [["node", (node) => node.name], ["node_state", nodeState], ["zone", (node) => node.zone], ["pool", (node) => node.pool]];
const SIZES = [
  ["cpu_milli", (node) => node.cpu], ["cpu_requested_milli", (node) => node.cpuUsed], ["memory_bytes", (node) => node.memory],
  ["memory_requested_bytes", (node) => node.memoryUsed], ["pods", (node) => node.pods.size],
];
const numbered = (names) => names.map((name, i) => [name, (row) => row[i] ?? null]).filter(([name]) => name);
const of = (part, columns, suffix = "") => columns.map(([name, value]) => [name + suffix, (row) => (row[part] ? value(row[part]) : null)]);
const finite = (name) => [`${name}_s`, (pod) => (Number.isFinite(pod[name]) ? pod[name] : null)];

const COLUMNS = {
  placements: [...of("node", NODE), ...of("pod", [...POD, ["state", (pod) => pod.state], ...REQUESTS])],
  pending: [...POD, ["state", (pod) => pod.state], ...REQUESTS, ["created", (pod) => pod.created], ["message", (pod) => pod.message]],
  waits: [...POD, ...REQUESTS, finite("submitted"), finite("scheduled"), ["message", (pod) => pod.message]],
  workloads: numbered(["kind", "namespace", "name", "desired", "updated", "ready", "message"]),
  events: numbered(["", "time", "type", "reason", "kind", "namespace", "name", "message", "count"]),
  nodes: [...NODE, ...SIZES],
  scalers: numbered(["kind", "namespace", "name", "present", "least", "most", "message"]),
  parted: [...of("pod", POD), ...of("pod", [["node", (pod) => pod.home], finite("scheduled")], "_left"), ...of("twin", [["node", (pod) => pod.home], finite("scheduled")], "_right")],
  faults: [["time_s", (fault) => fault.time], ["node", (fault) => fault.node], ["event", (fault) => fault.text], ["run", (fault) => fault.where]],
};

/** Rows of a list as they are saved, a heading first. */
export function savedRows(list, found) {
  return [COLUMNS[list].map(([name]) => name), ...found.map((each) => COLUMNS[list].map(([, value]) => value(each)))];
}
