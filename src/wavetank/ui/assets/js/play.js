// The page of finished runs: one time for one or two runs side by side. The view is in the address, to be shared.
import { request } from "./connection.js";
import { Detail } from "./detail.js";
import { byId, button, counted, el, fill, say, select } from "./dom.js";
import { drawLegend, makeSettings } from "./mapcontrols.js";
import { percent } from "./model.js";
import { PlayLists } from "./playlists.js";
import { differences, Run } from "./run.js";
import { clockText, Timeline } from "./timeline.js";
import { NodeMap } from "./view.js";

const LISTS_MS = 200;
const ADDRESS_MS = 400;

/** Starts; returns the function that draws everything again in other colours. `refused` is called if the token is wrong. */
export function startPlay(refused) {
  let player = null;
  const start = async () => {
    const results = await request("GET", "/ui/api/runs");
    document.title = `${results.title} · wavetank`;
    byId("title").textContent = results.title;
    player = new Player(results);
    await player.open();
  };
  start().catch((error) => (error.status === 401 ? refused() : trouble(error)));
  return () => player?.repaint();
}

function trouble(error) {
  byId("trouble").textContent = error.message;
  byId("trouble").hidden = false;
}

class Player {
  constructor(results) {
    this.results = results;
    this.panes = []; // {label, run, view, caption}
    this.settings = makeSettings((what) => (what === "places" ? this.panes.forEach(({ view }) => { view.relayout(); }) : this.repaint()), [["wait", "wait"]]);
    const hash = new URLSearchParams(location.hash.slice(1));
    this.labels = [hash.get("a"), hash.get("b")].filter((label) => results.runs.some((run) => run.label === label));
    if (!this.labels.length) this.labels = firstOfEach(results.runs).slice(0, 2);
    this.timeline = new Timeline(byId("timeline"), (time) => this.seek(time), () => this.next());
    this.begin = Number(hash.get("t")) || 0;
    this.timer = null;
    this.addressing = null;
    window.wavetank = { player: this }; // for tests and measurements
    addEventListener("hashchange", () => { const time = Number(new URLSearchParams(location.hash.slice(1)).get("t")); if (Number.isFinite(time)) this.timeline.go(time); });
    addEventListener("keydown", (event) => this.timeline.shortcut(event));
  }

  async open() {
    try {
      const runs = await Promise.all(this.labels.map((label) => this.read(label)));
      this.show(runs);
    } catch (error) {
      trouble(error);
    }
  }

  async read(label) {
    return new Run(await request("GET", `/ui/api/recording?${new URLSearchParams({ run: label })}`));
  }

  show(runs) {
    byId("views").replaceChildren();
    this.panes = runs.map((run, i) => this.pane(run, i));
    this.parted = runs.length === 2 ? differences(...runs) : [];
    this.detail = new Detail(runs[0].cluster, (found, focus) => this.detail.show(found, focus), false);
    this.lists = new PlayLists(runs, this.parted, (found, focus) => this.openDetail(found, focus), (time) => this.timeline.go(time));
    const end = Math.max(...runs.map((run) => run.end));
    this.timeline.show(runs, end, this.parted[0]?.time);
    const choices = [["", "none"], ...this.results.runs.map((run) => [run.label, run.label])];
    const pick = (i) => (label) => { this.labels = i === 0 ? [label, ...this.labels.slice(1)] : [this.labels[0], ...(label ? [label] : [])]; this.begin = this.timeline.time; this.open(); };
    byId("run-choice")?.remove();
    byId("map-controls").prepend(el("span", { id: "run-choice", class: "controls" }, select("Run", choices.slice(1), this.labels[0], pick(0)), select("beside", choices, this.labels[1] ?? "", pick(1))));
    fill(byId("keys"), "Keys: ", el("kbd", {}, "Space"), " plays, ", el("kbd", {}, "."), " goes to the next event, arrows move between nodes, ", el("kbd", {}, "Enter"), " opens one.");
    this.timeline.go(Math.min(this.begin, end));
    this.repaint();
  }

  pane(run) {
    const caption = el("p", { class: "caption" });
    const bar = el("div", { class: "bar caption-bar" }, caption);
    const box = el("div", { class: "view-box" }, bar);
    byId("views").append(box);
    const view = new NodeMap(box, run.cluster, this.settings, (found, focus) => this.openDetail({ ...found, run }, focus));
    bar.append(view.downloads(`nodes-${run.label}`));
    return { run, view, caption };
  }

  openDetail(found, focus) {
    this.detail.cluster = (found.run ?? this.panes[0].run).cluster;
    this.detail.show(found, focus);
  }

  seek(time) {
    for (const { run, view } of this.panes) {
      run.seek(time);
      view.schedule();
    }
    this.timer ??= setTimeout(() => this.drawLists(), LISTS_MS);
  }

  next() {
    return Math.min(...this.panes.map(({ run }) => run.next()));
  }

  drawLists() {
    this.timer = null;
    this.panes.forEach(({ run, caption }, i) => {
      const sums = run.cluster.totals();
      fill(caption, el("i", { class: `swatch series-${i}` }), el("b", {}, run.label), ` ${counted(sums.pods, "pod")} on ${counted(run.cluster.nodes.size, "node")}${sums.lost ? ` (${sums.lost} not ready)` : ""}, ${run.cluster.pending.size} pending, CPU ${percent(sums.cpuUsed, sums.cpu)}, memory ${percent(sums.memoryUsed, sums.memory)}`);
    });
    this.lists.draw();
    this.detail.draw();
    this.learn();
    this.addressing ??= setTimeout(() => this.writeAddress(), ADDRESS_MS);
    fill(byId("facts"), el("li", {}, clockText(this.timeline.time)), el("li", {}, this.parted.length ? `${counted(this.parted.length, "pod")} placed differently` : this.panes.length > 1 ? "no pod placed differently" : "one run"), el("li", {}, button("Copy a link to this instant", () => copyLink(this), { class: "link" })));
  }

  /** Puts the view into the address; browsers allow few such changes per second. */
  writeAddress() {
    this.addressing = null;
    const hash = new URLSearchParams({ t: String(Math.round(this.timeline.time * 1000) / 1000), a: this.labels[0], ...(this.labels[1] ? { b: this.labels[1] } : {}) });
    history.replaceState(null, "", `#${hash}`);
  }

  learn() {
    const pods = this.panes.flatMap(({ run }) => [...run.cluster.pods.values()]);
    this.settings.colouring.learn(pods);
    drawLegend(this.settings.colouring);
  }

  repaint() {
    this.settings.colouring.resolve();
    this.learn();
    for (const { view } of this.panes) view.schedule(true);
    this.timeline.draw();
  }
}

async function copyLink(player) {
  player.writeAddress();
  await navigator.clipboard?.writeText(location.href);
  say("The link is in the clipboard.");
}

/** The first run of each scheduler. */
function firstOfEach(runs) {
  const first = new Map();
  for (const run of runs) if (!first.has(run.scheduler)) first.set(run.scheduler, run.label);
  return [...first.values()];
}
