// Moving about in the Gantt chart and asking what is where.

const ROW = { least: 22, size: 64, lane: 16, most: 84 }; // pixels per node in the first view
const CHART = { least: 150, most: 620 }; // pixels of the whole chart
const KEYS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
const LEAST_ROWS_DRAG = 24; // pixels: a flatter drag zooms into time only

class GanttView {
  constructor() {
    this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-describedby": "gantt-details" });
    this.key = el("div", { class: "key" });
    this.cursor = el("div", { class: "cursor", hidden: true });
    this.frameOfDrag = el("div", { class: "rubber", hidden: true });
    this.stage = el("div", { class: "stage" }, this.canvas, this.cursor, this.frameOfDrag);
    this.painter = new GanttPainter(this.canvas);
    Object.assign(this, { chosen: -1, mode: "size", colour: null, rows: null });
    byId("gantt-figure").append(this.stage, this.key);
    this.listen();
    onResize(byId("gantt-figure"), () => this.draw());
    timeAxis.zoomed.push(() => this.drawSoon());
    timeAxis.pointed.push((at) => this.mark(at));
    addDownloads(this.key, () => ({ name: "gantt", picture: this.picture(), rows: () => (this.model.pods ? podRows(this.model) : heatRows(this.model)) }));
  }

  /** Shows a run; the time that is seen and the ways of drawing stay as they are. */
  show(model) {
    const same = this.model && this.model.nodes === model.nodes;
    this.model = model;
    this.chosen = -1;
    if (!same) this.rows = null;
    this.canvas.setAttribute("aria-label", `Pods on ${model.nodes.names.length} nodes over ${duration(model.end)}, ${model.run.scheduler}, seed ${model.run.seed}`);
    byId("gantt-details").replaceChildren(this.hint());
    this.draw();
  }

  /** What is seen: seconds and nodes, how bars are stacked and what colours stand for. */
  get view() {
    const [t0, t1] = timeAxis.range ?? [0, timeAxis.end], [n0, n1] = this.rows ?? [0, this.nodes];
    const colour = this.model.colourings.has(this.colour) ? this.colour : this.model.colourings.keys().next().value;
    return { t0, t1, n0, n1, mode: this.mode, colour };
  }

  get nodes() {
    return Math.max(1, this.model.nodes.names.length);
  }

  reset() {
    this.rows = null;
    sharedView.set("nodes", null);
    timeAxis.zoom();
  }

  drawSoon() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  draw() {
    if (!this.model || !this.canvas.clientWidth) return;
    this.painter.resize(this.canvas.clientWidth, this.height());
    this.bars = this.painter.paint(this.model, this.view, ganttColours(this.canvas), this.chosen);
    this.mark(timeAxis.cursor);
    this.key.replaceChildren(...(this.bars ? barKey(this.model, this.view) : heatKey(this.model, this.view, this.painter.group)));
  }

  height() {
    const row = this.mode === "lanes" ? Math.max(ROW.least, (this.model.lanes?.deepest || 1) * ROW.lane) : ROW.size;
    const pending = this.model.pods ? PENDING.height + PENDING.gap : 0;
    return Math.min(CHART.most, Math.max(CHART.least, this.nodes * Math.min(ROW.most, row) + AXIS)) + pending;
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => (this.grip ? this.drag(event) : this.hover(event)));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.drop());
    canvas.addEventListener("pointerleave", () => { tooltip.hide(); timeAxis.point(null); });
    canvas.addEventListener("dblclick", () => this.reset());
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
    this.grip = { x: event.offsetX, y: event.offsetY, view: this.view, moved: false, pans: event.shiftKey || event.pointerType === "touch" };
    this.canvas.setPointerCapture(event.pointerId);
    tooltip.hide();
  }

  /** Marks what a release would show; with Shift or by touch, moves instead. */
  drag(event) {
    const { x, y, view, pans } = this.grip, { plot } = this.painter;
    const dx = event.offsetX - x, dy = event.offsetY - y;
    if (Math.abs(dx) + Math.abs(dy) < LEAST_DRAG && !this.grip.moved) return;
    this.grip.moved = true;
    if (!pans) return this.rubber(this.dragged(event));
    const dt = (-dx / plot.width) * (view.t1 - view.t0), dn = (-dy / plot.height) * (view.n1 - view.n0);
    return this.moveTo({ t0: view.t0 + dt, t1: view.t1 + dt, n0: view.n0 + dn, n1: view.n1 + dn });
  }

  /** The pixels between the press and an event, inside the plot; all rows if the drag is flat. */
  dragged(event) {
    const { plot } = this.painter, clamp = (value, low, high) => Math.min(Math.max(value, low), high);
    const xs = [this.grip.x, event.offsetX].map((x) => clamp(x, plot.left, plot.left + plot.width)).sort((a, b) => a - b);
    const ys = [this.grip.y, event.offsetY].map((y) => clamp(y, plot.top, plot.top + plot.height)).sort((a, b) => a - b);
    return ys[1] - ys[0] < LEAST_ROWS_DRAG ? [xs, [plot.top, plot.top + plot.height]] : [xs, ys];
  }

  rubber([[left, right], [top, bottom]]) {
    this.frameOfDrag.hidden = false;
    Object.assign(this.frameOfDrag.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  }

  release(event) {
    const { grip } = this;
    if (!grip) return;
    const [[left, right], [top, bottom]] = this.dragged(event);
    this.drop();
    if (!grip.moved) this.choose(this.barUnder(event.offsetX, event.offsetY));
    else if (!grip.pans && right - left > LEAST_DRAG) {
      const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
      const time = (x) => t0 + ((x - plot.left) / plot.width) * (t1 - t0), row = (y) => n0 + ((y - plot.top) / plot.height) * (n1 - n0);
      this.moveTo({ t0: time(left), t1: time(right), n0: row(top), n1: row(bottom) });
    }
  }

  drop() {
    this.grip = null;
    this.frameOfDrag.hidden = true;
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

  /** Zooms around a pixel, or the middle. Rows grow only until their bars read well, so that few nodes all stay in sight. */
  zoom(factor, x = null, y = null, timeOnly = false) {
    const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
    const across = x === null ? 0.5 : Math.min(1, Math.max(0, (x - plot.left) / plot.width));
    const down = y === null ? 0.5 : Math.min(1, Math.max(0, (y - plot.top) / plot.height));
    const rows = timeOnly ? n1 - n0 : Math.max((n1 - n0) / factor, Math.min(n1 - n0, this.fewestRows()));
    // Thousands of nodes have a longer way to go than time: as long as rows change, time changes more slowly.
    const times = (t1 - t0) / (rows === n1 - n0 ? factor : Math.sqrt(factor));
    const t = t0 + across * (t1 - t0 - times), n = n0 + down * (n1 - n0 - rows);
    this.moveTo({ t0: t, t1: t + times, n0: n, n1: n + rows });
  }

  fewestRows() {
    const row = this.mode === "lanes" ? Math.max(ROW.least, (this.model.lanes?.deepest || 1) * ROW.lane) : ROW.size;
    return this.painter.plot.height / Math.min(this.painter.plot.height, row);
  }

  /** Shows a part of the run, pushed back inside it where it sticks out. */
  moveTo({ t0, t1, n0, n1 }) {
    const size = Math.min(Math.max(n1 - n0, 0.5), this.nodes), start = Math.min(Math.max(n0, 0), this.nodes - size);
    this.rows = size < this.nodes ? [start, start + size] : null;
    sharedView.set("nodes", this.rows?.map((row) => Number(row.toFixed(3))).join("..") ?? null);
    timeAxis.zoom(t0, t1);
  }

  /** Node, place in its row (0 above, 1 below) and time under a pixel, or null outside the plot. */
  under(x, y) {
    const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
    const across = (x - plot.left) / plot.width, down = (y - plot.top) / plot.height;
    if (across < 0 || across > 1 || down < 0 || down >= 1) return null;
    const row = n0 + down * (n1 - n0), node = Math.min(Math.floor(row), this.model.nodes.names.length - 1);
    return node < 0 ? null : { node, place: row - node, time: t0 + across * (t1 - t0) };
  }

  barUnder(x, y) {
    const spot = this.bars && this.under(x, y);
    if (!spot) return -1;
    const { plot } = this.painter, { t0, t1, n0, n1 } = this.view;
    return barAt(this.model, this.mode, spot, { time: (t1 - t0) / plot.width, place: (n1 - n0) / plot.height });
  }

  hover(event) {
    this.point(event.offsetX);
    const spot = this.under(event.offsetX, event.offsetY), pending = this.pendingUnder(event.offsetX, event.offsetY);
    const bar = this.barUnder(event.offsetX, event.offsetY);
    if (pending) return tooltip.show([terms(pending)], event.clientX, event.clientY);
    if (!spot || (this.bars && bar < 0)) return tooltip.hide();
    const pairs = this.bars ? barTerms(this.model, bar) : this.cellTerms(spot);
    return tooltip.show([terms(pairs)], event.clientX, event.clientY);
  }

  /** Sets the cursor of all charts over time. */
  point(x) {
    const { plot } = this.painter, { t0, t1 } = this.view, across = (x - plot.left) / plot.width;
    timeAxis.point(across < 0 || across > 1 ? null : t0 + across * (t1 - t0));
  }

  mark(at) {
    if (!this.model || !this.painter.plot) return;
    const { plot } = this.painter, { t0, t1 } = this.view;
    this.cursor.hidden = at === null || at < t0 || at > t1;
    if (!this.cursor.hidden) Object.assign(this.cursor.style, { left: `${this.painter.x(at)}px`, height: `${plot.top + plot.height}px` });
  }

  /** How many pods are pending at a pixel of their lane, by colour; null elsewhere. */
  pendingUnder(x, y) {
    const { pendingPlot: plot, pending, colouring } = this.painter;
    if (!plot || x < plot.left || x >= plot.left + plot.width || y < plot.top || y > plot.top + plot.height) return null;
    const column = Math.min(pending.columns - 1, Math.floor(((x - plot.left) / plot.width) * pending.columns));
    const counts = Array.from({ length: COLOURS }, (_, kind) => pending.counts[kind * pending.columns + column]);
    const rest = (colouring.names ?? []).map((name, kind) => [name, number(counts[kind], 3)]).filter((_, kind) => counts[kind] > 0);
    return [["Time", instant(timeAxis.cursor)], ["Pending pods", number(counts.reduce((a, b) => a + b, 0), 3)], ...rest];
  }

  cellTerms({ node, time }) {
    const { names } = this.model.nodes, group = this.painter.group, low = Math.floor(node / group) * group, { t0, t1 } = this.view;
    const high = Math.min(low + group, names.length), width = (CELL.width / this.painter.plot.width) * (t1 - t0);
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
    sharedView.set("pod", bar < 0 ? null : this.model.pods.names[this.model.bars.pod[bar]]);
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
    const { from, to } = this.model.bars, node = nodeOf(this.model, bar) + 0.5, { t0, t1, n0, n1 } = this.view;
    const width = Math.min(t1 - t0, Math.max(8 * (to[bar] - from[bar]), this.model.end / 1e5));
    const rows = Math.min(n1 - n0, this.fewestRows()), middle = (from[bar] + to[bar]) / 2;
    this.moveTo({ t0: middle - width / 2, t1: middle + width / 2, n0: node - rows / 2, n1: node + rows / 2 });
  }

  /** The chart as an SVG element. */
  picture() {
    const { width, height } = this.painter.size;
    return pictureOf(width, height, (canvas) => {
      const painter = new GanttPainter(canvas);
      painter.resize(width, height);
      painter.paint(this.model, this.view, ganttColours(this.canvas), this.chosen);
    });
  }

  hint() {
    const text = this.model.heat ? "This chart does not contain single pods." : "Click a bar, or search for a pod, to see its details here.";
    return el("p", { class: "quiet" }, text);
  }
}
