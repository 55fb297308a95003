// Moving about in the Gantt chart and asking what is where.

const ROW = { least: 22, lane: 16, most: 84 }; // pixels per node in the first view
const CHART = { least: 150, most: 560 }; // pixels of the whole chart
const KEYS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
const ZOOMS = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "−": 1 / 1.5 };

class GanttView {
  constructor() {
    this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-describedby": "gantt-details" });
    this.key = el("div", { class: "key" });
    this.painter = new GanttPainter(this.canvas);
    this.chosen = -1;
    this.sought = ""; // the last text that was searched for
    byId("gantt-figure").append(this.canvas, this.key);
    this.listen();
    onResize(byId("gantt-figure"), () => this.draw());
  }

  /** Shows all of a run. */
  show(model) {
    this.model = model;
    this.chosen = -1;
    this.canvas.setAttribute("aria-label", `Pods on ${model.nodes.names.length} nodes over ${duration(model.end)}, ${model.run.scheduler}`);
    byId("gantt-details").replaceChildren(this.hint());
    this.reset();
  }

  reset() {
    this.view = { t0: 0, t1: this.model.end, n0: 0, n1: Math.max(1, this.model.nodes.names.length) };
    this.draw();
  }

  draw() {
    if (!this.model || !this.canvas.clientWidth) return;
    this.painter.resize(this.canvas.clientWidth, this.height());
    const bars = this.painter.paint(this.model, this.view, ganttColours(this.canvas), this.chosen);
    this.bars = bars;
    this.key.replaceChildren(...(bars ? barKey(this.model) : heatKey(this.model, this.painter.group)));
  }

  height() {
    const row = Math.min(ROW.most, Math.max(ROW.least, (this.model.deepest || 1) * ROW.lane));
    return Math.min(CHART.most, Math.max(CHART.least, this.model.nodes.names.length * row + AXIS));
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => (this.grip ? this.drag(event) : this.hover(event)));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => { this.grip = null; });
    canvas.addEventListener("pointerleave", () => tooltip.hide());
    canvas.addEventListener("dblclick", (event) => this.zoom(2, event.offsetX, event.offsetY));
    canvas.addEventListener("keydown", (event) => this.type(event));
  }

  /** Without focus the wheel scrolls the page, as readers expect. */
  wheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const turn = event.deltaY || event.deltaX; // with Shift some browsers turn the wheel sideways
    this.zoom(Math.exp(-Math.max(-120, Math.min(120, turn)) / 300), event.offsetX, event.offsetY, event.shiftKey);
  }

  press(event) {
    this.grip = { x: event.offsetX, y: event.offsetY, view: { ...this.view }, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
    tooltip.hide();
  }

  drag(event) {
    const { x, y, view } = this.grip, { plot } = this.painter;
    const dx = event.offsetX - x, dy = event.offsetY - y;
    if (Math.abs(dx) + Math.abs(dy) < 4 && !this.grip.moved) return;
    this.grip.moved = true;
    const dt = (-dx / plot.width) * (view.t1 - view.t0), dn = (-dy / plot.height) * (view.n1 - view.n0);
    this.moveTo({ t0: view.t0 + dt, t1: view.t1 + dt, n0: view.n0 + dn, n1: view.n1 + dn });
  }

  release(event) {
    const clicked = this.grip && !this.grip.moved;
    this.grip = null;
    if (clicked) this.choose(this.barUnder(event.offsetX, event.offsetY));
  }

  type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "0") this.reset();
    else if (event.key in ZOOMS) this.zoom(ZOOMS[event.key]);
    else if (event.key in KEYS) this.pan(...KEYS[event.key]);
    else return;
    event.preventDefault();
  }

  /** Moves by shares of what is seen. */
  pan(dx, dy) {
    const { t0, t1, n0, n1 } = this.view, dt = dx * (t1 - t0), dn = dy * (n1 - n0);
    this.moveTo({ t0: t0 + dt, t1: t1 + dt, n0: n0 + dn, n1: n1 + dn });
  }

  /** Zooms around a pixel, or the middle. Rows grow only until their lanes read well, so that few nodes all stay in sight. */
  zoom(factor, x = null, y = null, timeOnly = false) {
    const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
    const across = x === null ? 0.5 : Math.min(1, Math.max(0, (x - plot.left) / plot.width));
    const down = y === null ? 0.5 : Math.min(1, Math.max(0, (y - plot.top) / plot.height));
    const rows = timeOnly ? n1 - n0 : Math.max((n1 - n0) / factor, Math.min(n1 - n0, this.fewestRows()));
    // Thousands of nodes have a longer way to go than time: as long as rows change, time changes more slowly.
    const times = Math.max((t1 - t0) / (rows === n1 - n0 ? factor : Math.sqrt(factor)), this.model.end / 1e6);
    const t = t0 + across * (t1 - t0 - times), n = n0 + down * (n1 - n0 - rows);
    this.moveTo({ t0: t, t1: t + times, n0: n, n1: n + rows });
  }

  fewestRows() {
    const comfortable = Math.min(this.painter.plot.height, Math.max(ROW.least, (this.model.deepest || 1) * ROW.lane));
    return this.painter.plot.height / comfortable;
  }

  /** Shows a part of the run, pushed back inside it where it sticks out. */
  moveTo({ t0, t1, n0, n1 }) {
    const inside = (low, high, end) => {
      const size = Math.min(high - low, end), start = Math.min(Math.max(low, 0), end - size);
      return [start, start + size];
    };
    const [newT0, newT1] = inside(t0, t1, this.model.end);
    const [newN0, newN1] = inside(n0, n1, Math.max(1, this.model.nodes.names.length));
    this.view = { t0: newT0, t1: newT1, n0: newN0, n1: newN1 };
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  /** Node, lane and time under a pixel, or null outside the plot. */
  under(x, y) {
    const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
    const across = (x - plot.left) / plot.width, down = (y - plot.top) / plot.height;
    if (across < 0 || across > 1 || down < 0 || down >= 1) return null;
    const place = n0 + down * (n1 - n0), node = Math.min(Math.floor(place), this.model.nodes.names.length - 1);
    return node < 0 ? null : { node, lane: Math.floor((place - node) * this.model.lanes[node]), time: t0 + across * (t1 - t0) };
  }

  barUnder(x, y) {
    const spot = this.bars && this.under(x, y);
    return spot ? barAt(this.model, spot.node, spot.lane, spot.time, (this.view.t1 - this.view.t0) / this.painter.plot.width) : -1;
  }

  hover(event) {
    const spot = this.under(event.offsetX, event.offsetY);
    const bar = this.barUnder(event.offsetX, event.offsetY);
    if (!spot || (this.bars && bar < 0)) return tooltip.hide();
    const pairs = this.bars ? barTerms(this.model, bar) : this.cellTerms(spot);
    return tooltip.show([terms(pairs)], event.clientX, event.clientY);
  }

  cellTerms({ node, time }) {
    const { names } = this.model.nodes, group = this.painter.group, low = Math.floor(node / group) * group;
    const high = Math.min(low + group, names.length), width = (CELL.width / this.painter.plot.width) * (this.view.t1 - this.view.t0);
    const [share] = heatOf(this.model, { t0: time - width / 2, t1: time + width / 2, n0: low, n1: high }, group, 1, 1);
    return [
      [high - low > 1 ? "Nodes" : "Node", high - low > 1 ? `${names[low]} to ${names[high - 1]} (${high - low})` : names[low]],
      ["Time", instant(time)],
      ["CPU requested", percent(share)],
    ];
  }

  /** Marks a bar and says all about it below the chart; -1 unmarks. */
  choose(bar) {
    this.chosen = bar;
    byId("gantt-details").replaceChildren(bar < 0 ? this.hint() : terms(barTerms(this.model, bar)));
    this.draw();
  }

  /** Chooses a pod whose name contains `text`, the next one if asked again, and brings it into view. Tells whether there is one. */
  find(text) {
    const bar = this.model.bars ? findBar(this.model, text, text === this.sought ? this.chosen : -1) : -1;
    this.sought = text;
    if (bar < 0) return false;
    this.centre(bar);
    this.choose(bar);
    return true;
  }

  centre(bar) {
    const { from, to } = this.model.bars, node = nodeOf(this.model, bar) + 0.5;
    const width = Math.min(this.view.t1 - this.view.t0, Math.max(8 * (to[bar] - from[bar]), this.model.end / 1e5));
    const rows = Math.min(this.view.n1 - this.view.n0, this.fewestRows()), middle = (from[bar] + to[bar]) / 2;
    this.moveTo({ t0: middle - width / 2, t1: middle + width / 2, n0: node - rows / 2, n1: node + rows / 2 });
  }

  hint() {
    const text = this.model.heat ? "This chart does not contain single pods." : "Click a bar, or search for a pod, to see its details here.";
    return el("p", { class: "quiet" }, text);
  }
}

function heatKey({ heat }, group) {
  const nodes = group > 1 ? ` (each row: ${group} nodes)` : "", ramp = el("span", { class: "ramp", "aria-hidden": "true" });
  const rest = heat ? "100 %." : "100 %. Zoom in to see pods.";
  return [el("span", {}, `Share of CPU requested${nodes}: 0 %`), ramp, el("span", {}, rest)];
}

function barKey({ pods }) {
  const colours = pods.jobs.length > 1 ? "Colours distinguish jobs and repeat" : "Colours distinguish neighbouring pods";
  return [el("span", {}, `${colours}. Pale bars: scheduled, not yet started. Marked ends: failed. Overlapping pods are drawn in lanes.`)];
}

function startGantt() {
  const view = new GanttView();
  const pick = async (index) => { view.show(await ganttModel(Number(index))); noteGantt(view.model); };
  const runs = DATA.gantt.runs.map(({ scheduler, seed, heat }, index) => [index, `${scheduler}, seed ${seed}${heat ? " (heat map)" : ""}`]);
  byId("gantt-controls").append(dropDown("Run", runs, pick), searchField(view), ...zoomButtons(view));
  onTheme(() => view.draw());
  return runs.length ? pick(0) : null;
}

function noteGantt({ heat, fates, bars }) {
  const note = byId("gantt-note"), unplaced = fates ? fates.scheduled.length - bars.pod.length : 0;
  const lines = [];
  if (heat) lines.push("To keep the page under 10 MB, it contains this run as a heat map only; pods.csv of the run has every pod.");
  if (unplaced) lines.push(`${number(unplaced, 9)} pods were never placed on a node and are not in the chart.`);
  note.hidden = !lines.length;
  note.textContent = lines.join(" ");
}

function searchField(view) {
  const answer = el("span", { class: "quiet", role: "status" });
  const input = el("input", { type: "search", placeholder: "name, then Enter", size: 18 });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !input.value.trim()) return;
    answer.textContent = view.find(input.value) ? "" : "no such pod in this chart";
  });
  return el("label", { class: "field" }, el("span", {}, "Find a pod"), input, answer);
}

function zoomButtons(view) {
  const button = (text, label, onclick) => el("button", { type: "button", "aria-label": label, onclick }, text);
  return [el("div", { class: "buttons", role: "group", "aria-label": "Zoom" },
    button("+", "Zoom in", () => view.zoom(1.5)), button("−", "Zoom out", () => view.zoom(1 / 1.5)), button("Reset", "Show everything", () => view.reset()))];
}
