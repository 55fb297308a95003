// The page of a live cluster: the stream feeds the model, the model is drawn.
import { scale } from "./actions.js";
import { startClock, step, togglePause } from "./clock.js";
import { follow } from "./connection.js";
import { Detail } from "./detail.js";
import { byId, counted, el, fill } from "./dom.js";
import { History } from "./history.js";
import { Lists } from "./lists.js";
import { drawLegend, makeSettings } from "./mapcontrols.js";
import { Cluster, percent } from "./model.js";
import { submitForm } from "./submit.js";
import { NodeMap } from "./view.js";

const LISTS_MS = 250; // between two drawings of the lists and the legend

/** Starts; returns the function that draws everything again in other colours. */
export function startLive(facts, refused) {
  const cluster = new Cluster();
  const settings = makeSettings((what) => (what === "places" ? view.relayout() : repaint()));
  const open = (found, focus) => {
    if (found.node) {
      view.chosen = found.node.name;
      view.showMark();
    }
    detail.show(found, focus);
  };
  const detail = new Detail(cluster, open, true);
  const history = new History();
  const lists = new Lists(cluster, { open, scale, history, submit: submitForm(() => lists.show("submit")) });
  const view = new NodeMap(byId("views"), cluster, settings, open);
  byId("map-controls").append(view.downloads("nodes"));
  window.wavetank = { cluster, view }; // for tests and measurements
  let timer = null;
  let state = "";

  function drawLists() {
    timer = null;
    lists.draw();
    detail.now = lists.now - facts.epochSeconds;
    detail.draw();
    settings.colouring.learn(settings.colouring.by === "state" ? bound(cluster) : cluster.pods.values());
    drawLegend(settings.colouring);
    drawFacts(cluster, state);
  }

  function repaint() {
    settings.colouring.resolve();
    settings.colouring.learn(cluster.pods.values());
    drawLegend(settings.colouring);
    view.schedule(true);
  }

  const take = (line) => {
    cluster.take(line);
    lists.take(line);
    if (line.reset) repaint();
    view.schedule(Boolean(line.reset));
    if (timer === null) timer = setTimeout(drawLists, line.reset ? 0 : LISTS_MS);
  };
  follow(take, (next) => {
    state = next;
    byId("trouble").hidden = next !== "lost";
    byId("trouble").textContent = "The connection is lost; it is tried again.";
    if (next === "refused") refused();
    drawFacts(cluster, state);
  });
  startClock(() => history.undo());
  addEventListener("keydown", (event) => shortcut(event, lists));
  byId("keys").append("Keys: arrows move between nodes, ", key("Enter"), " opens one, ", key("Space"), " pauses, ", key("."), " goes to the next event, ", key("/"), " filters.");
  return repaint;
}

const key = (text) => el("kbd", {}, text);
const bound = (cluster) => [...cluster.pods.values()].filter((pod) => pod.nodeName && pod.state !== "Succeeded" && pod.state !== "Failed");

function drawFacts(cluster, state) {
  const sums = cluster.totals();
  const facts = [
    counted(cluster.nodes.size, "node"), ...(sums.lost ? [`${sums.lost} not ready`] : []), `${counted(sums.pods, "pod")} on them`,
    `${cluster.pending.size.toLocaleString("en")} pending`, `CPU ${percent(sums.cpuUsed, sums.cpu)}`, `memory ${percent(sums.memoryUsed, sums.memory)} requested`,
  ];
  fill(byId("facts"), el("li", { class: `connection ${state}` }, state || "connecting"), ...facts.map((fact) => el("li", {}, fact)));
}

function shortcut(event, lists) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, button, summary, a")) return;
  const acts = { " ": togglePause, ".": step, "/": () => { if (["submit", "history"].includes(lists.tab)) lists.show("pending"); lists.input.focus(); } };
  if (!(event.key in acts)) return;
  event.preventDefault();
  acts[event.key]();
}
