// Why a pod is pending, or why it is on its node: the tables of `wavetank explain`.
import { counted, el, table } from "./dom.js";
import { request } from "./connection.js";
import { tableDownload, tableRows } from "./saving.js";

const MOST_NODES = 12;
const MOST_OFFERS = 8;

export async function explain(pod) {
  try {
    const query = new URLSearchParams({ namespace: pod.namespace, name: pod.name });
    const found = await request("GET", `/ui/api/explain?${query}`);
    const attempts = found.pods.flatMap(attemptParts);
    const help = found.offers.length ? [el("h3", {}, "What would help, each by itself"), el("ul", { class: "plain offers" }, ...found.offers.slice(0, MOST_OFFERS).map((text) => el("li", {}, text)))] : [];
    return el("div", { class: "explanation", role: "region", "aria-label": "Explanation" }, el("p", { class: "quiet" }, found.note), ...attempts, ...help);
  } catch (error) {
    return el("p", { class: "notice" }, error.message);
  }
}

function attemptParts(attempt) {
  const parts = [el("h3", {}, heading(attempt))];
  if (attempt.message && !attempt.refusals.length) parts.push(el("p", {}, attempt.message));
  if (attempt.nominated) parts.push(el("p", {}, `nominated: ${attempt.nominated}, victims: ${attempt.victims.join(", ") || "none"}`));
  if (attempt.refusals.length) parts.push(refusals(attempt));
  if (Object.keys(attempt.totals).length) parts.push(scores(attempt));
  return parts;
}

function heading({ outcome, chosen, nodes, feasible_count: feasible, attempt }) {
  if (!attempt) return { gated: "Not tried: it has scheduling gates", ignored: "Not tried: no scheduler has its schedulerName", not_enqueued: "Not tried: a PreEnqueue plugin holds it back" }[outcome] ?? outcome;
  const where = outcome === "bound" ? `${chosen} is best` : outcome;
  return `${where}: ${feasible} of ${counted(nodes, "node")} feasible`;
}

function refusals({ refusals: found, filtered }) {
  const rows = found.map(({ plugin, reasons, nodes }) => {
    const names = Object.entries(filtered).filter(([, each]) => each.plugin === plugin && each.reasons.join() === reasons.join()).map(([name]) => name);
    const which = names.slice(0, 4).join(", ") + (nodes > 4 && names.length ? " …" : "");
    return el("tr", {}, el("th", { scope: "row" }, plugin), el("td", {}, reasons.join(", ")), el("td", { class: "number" }, String(nodes)), el("td", {}, which));
  });
  return saved("refusals", table([["Filtered out by"], ["Reason"], ["Nodes", "number"], ["Which"]], rows));
}

function scores({ scores: given, totals, chosen, candidates, candidate_count: ties }) {
  const best = Object.keys(totals).sort((a, b) => totals[b] - totals[a] || (a === chosen ? -1 : b === chosen ? 1 : a < b ? -1 : 1)).slice(0, MOST_NODES);
  const plugins = Object.keys(given);
  const number = (value) => el("td", { class: "number" }, String(Math.round(value * 1000) / 1000));
  const name = (node) => (node === chosen ? `${node} (chosen)` : ties > 1 && candidates.includes(node) ? `${node} (tied)` : node);
  const rows = best.map((node) => el("tr", { class: node === chosen ? "best" : null }, el("th", { scope: "row" }, name(node)), number(totals[node]), ...plugins.map((plugin) => number(given[plugin][node]))));
  return saved("scores", table([["Node"], ["Total", "number"], ...plugins.map((plugin) => [plugin, "number"])], rows));
}

/** A table with the button that saves it. */
function saved(name, host) {
  return el("div", {}, host, tableDownload(`the ${name}`, () => name, () => tableRows(host)));
}
