// What changes the cluster: all through the Kubernetes API, as kubectl would, but for the crash of a machine.
import { counted, say } from "./dom.js";
import { mergePatch, request } from "./connection.js";

const APPS = "/apis/apps/v1/namespaces";
const TRIES = 120; // of an eviction that a disruption budget refuses, one a second
const encode = encodeURIComponent;

export const nodePath = (node) => `/api/v1/nodes/${encode(node.name)}`;
export const podPath = (pod) => `/api/v1/namespaces/${encode(pod.namespace)}/pods/${encode(pod.name)}`;

/** Runs an action and says how it ended. */
export async function attempt(doing, action) {
  try {
    const said = (await action()) ?? doing;
    if (said) say(said);
  } catch (error) {
    say(`${doing}: ${error.message}`);
  }
}

export const cordon = (node, on) => attempt(`${node.name} is ${on ? "cordoned" : "uncordoned"}`, () => mergePatch(nodePath(node), { spec: { unschedulable: on || null } }).then(() => undefined));

export const fail = (node) => attempt(`${node.name} has failed`, () => request("POST", `/ui/api/nodes/fail?name=${encode(node.name)}`).then(() => undefined));
export const recover = (node) => attempt(`${node.name} is back`, () => request("POST", `/ui/api/nodes/recover?name=${encode(node.name)}`).then(() => undefined));

export const remove = (pod) => attempt(`${pod.key} is being deleted`, () => request("DELETE", podPath(pod)).then(() => undefined));

export function scale(kind, namespace, name, replicas) {
  const path = `${APPS}/${encode(namespace)}/${kind.toLowerCase()}s/${encode(name)}/scale`;
  return attempt(`${namespace}/${name} is scaled to ${replicas}`, () => mergePatch(path, { spec: { replicas } }).then(() => undefined));
}

/** Cordons a node and evicts its pods, but for those of DaemonSets; refused evictions are tried again. */
export function drain(node) {
  return attempt(`draining ${node.name}`, async () => {
    await mergePatch(nodePath(node), { spec: { unschedulable: true } });
    const pods = [...node.pods].filter((pod) => !pod.owner.startsWith("DaemonSet/"));
    let left = pods.length;
    say(`draining ${node.name}: ${counted(left, "pod")} to evict`);
    await Promise.all(pods.map((pod) => evict(pod).then(() => { left -= 1; say(`draining ${node.name}: ${left} of ${pods.length} pods left`); })));
    return `${node.name} is drained: ${counted(pods.length, "pod")} evicted`;
  });
}

async function evict(pod) {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.name, namespace: pod.namespace } };
  for (let tries = 0; ; tries += 1) {
    try {
      await request("POST", `${podPath(pod)}/eviction`, eviction);
      return;
    } catch (error) {
      if (error.status === 404) return;
      if (error.status !== 429 || tries === TRIES) throw error;
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  }
}

/** Applies the documents of a text, in their order; returns what became of each. */
export async function applyText(text) {
  const results = [];
  for (const known of await request("POST", "/ui/api/documents", text, "application/yaml")) {
    // a kind that an earlier document has defined is known by now
    const found = known.path ? known : (await request("POST", "/ui/api/documents", JSON.stringify(known.document), "application/yaml"))[0];
    results.push(`${known.title}: ${await applyOne(found)}`);
  }
  return results;
}

async function applyOne({ path, method, document, problem }) {
  if (problem) return problem;
  try {
    await request(method, path, document, method === "POST" ? "application/json" : "application/apply-patch+yaml");
    return "applied";
  } catch (error) {
    return error.message;
  }
}
