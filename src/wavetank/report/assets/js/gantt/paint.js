// Drawing the Gantt chart: a heat map from afar, bars from near.

const GUTTER = 112, AXIS = 26; // room for the names of nodes and for the time axis, in pixels
const FONT = "12px system-ui, sans-serif";
const LEAST_ROW = 10; // pixels of a row, below which the sizes of pods are not seen
const LEAST_LANE = 3; // a thinner lane cannot be told from its neighbour
const CROWDED = 0.5; // bars per three pixels of lane, above which they run together
const CELL = { width: 3, height: 4 };
const PENDING = { height: 46, gap: 8 }; // the lane of pending pods above the nodes

/** Whether bars can be told apart in this view; otherwise it is drawn as a heat map. */
function showsBars(model, view, plot) {
  if (model.heat) return false;
  const low = Math.floor(view.n0), high = Math.ceil(view.n1), row = plot.height / (view.n1 - view.n0);
  let lanes = 0, deepest = 1;
  for (let node = low; node < high; node++) {
    lanes += model.lanes.count[node];
    deepest = Math.max(deepest, model.lanes.count[node]);
  }
  if (view.mode === "lanes" ? row / deepest < LEAST_LANE : row < LEAST_ROW) return false;
  return barsWithin(model, view, low, high) < (CROWDED * lanes * plot.width) / 3;
}

function barsWithin({ bars, first }, view, low, high) {
  let count = 0;
  for (let bar = first[low]; bar < first[high]; bar++) if (bars.from[bar] < view.t1 && bars.to[bar] > view.t0) count++;
  return count;
}

/** The colours of the present theme. */
function ganttColours(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    ink: get("--ink"), quiet: get("--quiet"), rule: get("--rule"), ground: get("--surface"), mark: get("--mark"),
    barInk: get("--bar-ink"), failed: get("--failed"), bars: Array.from({ length: COLOURS }, (_, i) => get(`--bar-${i}`)),
    heat: heatColours([get("--heat-0"), get("--heat-1"), get("--heat-2")]),
  };
}

/** 256 colours [r, g, b] from three given as #rrggbb. */
function heatColours(stops) {
  const parts = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * 2, k = Math.min(1, Math.floor(place)), share = place - k;
    return parts[k].map((low, channel) => Math.round(low + (parts[k + 1][channel] - low) * share));
  });
}

class GanttPainter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  /** Fits the canvas to its box on the page, sharp on any screen. */
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.gutter = width < 560 ? 64 : GUTTER;
    this.size = { width, height };
  }

  /** Divides the canvas: the lane of pending pods (if any pod was ever pending), the nodes, the time axis. */
  divide(hasPending) {
    const { width, height } = this.size, top = 4 + (hasPending ? PENDING.height + PENDING.gap : 0);
    this.plot = { left: this.gutter, top, width: width - this.gutter - 8, height: height - AXIS - top };
    this.pendingPlot = hasPending ? { ...this.plot, top: 4, height: PENDING.height } : null;
  }

  /** Draws `view` of `model`; `chosen` is the bar to mark or -1. Tells whether bars were drawn. */
  paint(model, view, colours, chosen) {
    const colouring = model.colourings.get(view.colour);
    Object.assign(this, { model, view, colours, colouring });
    this.divide(Boolean(model.pods) && greatestPending(model) > 0);
    const { context, plot } = this;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.font = FONT;
    context.textBaseline = "middle";
    const bars = showsBars(model, view, plot);
    this.inside(plot, () => {
      bars ? this.paintBars() : this.paintHeat();
      if (chosen >= 0) this.markBar(chosen);
    });
    if (this.pendingPlot) this.inside(this.pendingPlot, () => this.paintPending());
    this.paintNames();
    this.paintTimes();
    if (this.pendingPlot) this.paintPendingFrame();
    return bars;
  }

  inside({ left, top, width, height }, paint) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    paint();
    context.restore();
  }

  /** The number of pending pods, stacked by colour; the lane is as high as the most of the whole run. */
  paintPending() {
    const { context, model, view, colouring, pendingPlot: plot } = this;
    const columns = Math.max(1, Math.floor(plot.width)), counts = pendingCounts(model, colouring, view.t0, view.t1, columns);
    this.pending = { counts, columns };
    const most = this.mostPending(), width = plot.width / columns;
    for (let column = 0; column < columns; column++) {
      for (let kind = 0, base = 0; kind < COLOURS; kind++) {
        const count = counts[kind * columns + column];
        if (!count) continue;
        context.fillStyle = colouring.ramp ? this.colours.quiet : this.colours.bars[kind];
        const height = Math.max(1, (count / most) * plot.height);
        context.fillRect(plot.left + column * width, plot.top + plot.height - (base / most) * plot.height - height, width + 0.5, height);
        base += count;
      }
    }
  }

  /** The most pods that were pending at once in the run, at the resolution of the chart. */
  mostPending() {
    return Math.max(1, greatestPending(this.model), greatestSum(this.pending.counts, this.pending.columns));
  }

  paintPendingFrame() {
    const { context, pendingPlot: plot, colours } = this;
    context.strokeStyle = colours.rule;
    context.strokeRect(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1);
    context.fillStyle = colours.quiet;
    context.textAlign = "right";
    context.fillText("pending", plot.left - 8, plot.top + plot.height / 2 + 4);
    context.fillText(number(Math.max(1, Math.round(greatestPending(this.model)))), plot.left - 8, plot.top + 6);
    context.textAlign = "left";
  }

  x(time) {
    return this.plot.left + ((time - this.view.t0) / (this.view.t1 - this.view.t0)) * this.plot.width;
  }

  y(node) {
    return this.plot.top + ((node - this.view.n0) / (this.view.n1 - this.view.n0)) * this.plot.height;
  }

  paintHeat() {
    const { context, plot, view, model, colours } = this;
    const rowHeight = plot.height / (view.n1 - view.n0), group = Math.max(1, Math.ceil(CELL.height / rowHeight));
    const origin = Math.floor(view.n0 / group) * group, rows = Math.ceil((view.n1 - origin) / group);
    const columns = Math.max(1, Math.floor(plot.width / CELL.width));
    const shares = heatOf(model, view, group, rows, columns);
    const image = new ImageData(columns, rows);
    for (const [cell, share] of shares.entries()) image.data.set([...colours.heat[Math.round(share * 255)], 255], cell * 4);
    const buffer = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
    buffer.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(buffer, plot.left, this.y(origin), plot.width, rows * group * rowHeight);
    this.group = group;
  }

  paintBars() {
    const { context, plot, view, model, colours } = this;
    const low = Math.floor(view.n0), high = Math.ceil(view.n1);
    context.strokeStyle = colours.rule;
    context.lineWidth = 1;
    for (let node = low; node < high; node++) {
      const edge = Math.round(this.y(node + 1)) - 0.5;
      context.beginPath();
      context.moveTo(plot.left, edge);
      context.lineTo(plot.left + plot.width, edge);
      context.stroke();
      for (let bar = model.first[node]; bar < model.first[node + 1]; bar++) {
        if (model.bars.from[bar] < view.t1 && model.bars.to[bar] >= view.t0) this.paintBar(bar, this.boxes(bar, node));
      }
    }
  }

  /** Where the pieces of a bar stand, in pixels; at least one wide and high, so that short and small pods are seen too. */
  boxes(bar, node) {
    const { bars } = this.model, row = this.y(1) - this.y(0), pad = Math.min(2, row * 0.08), inner = row - 2 * pad;
    const left = this.x(bars.from[bar]), width = Math.max(1, this.x(bars.to[bar]) - left);
    return piecesOf(this.model, this.view.mode, node, bar).map(([top, bottom]) => {
      const height = Math.max(1, (bottom - top) * inner);
      return { left, width, top: this.y(node) + pad + Math.min(top * inner, inner - height), height: height > 4 ? height - 1 : height };
    });
  }

  paintBar(bar, boxes) {
    const { context, model, colours } = this, start = model.bars.start[bar];
    const failed = (model.phases[model.fates.phase[model.bars.pod[bar]]] || "").startsWith("Failed");
    for (const { left, width, top, height } of boxes) {
      const gap = width > 4 ? 1 : 0;
      context.fillStyle = this.colourOf(bar);
      context.globalAlpha = 0.35; // scheduled, not yet started
      context.fillRect(left, top, width - gap, height);
      context.globalAlpha = 1;
      if (!Number.isNaN(start)) {
        const begun = Math.max(left, this.x(start));
        context.fillRect(begun, top, Math.max(0.5, left + width - gap - begun), height);
      }
      if (failed) this.crossOut(left, top, width - gap, height);
    }
    const { left, width, top, height } = boxes.reduce((a, b) => (b.height > a.height ? b : a));
    if (width > 44 && height >= 11) this.paintLabel(bar, left, top, width - 1, height, this.inkOf(bar, colours));
  }

  /** A failed pod has a strong edge at its end, which does not rely on telling its colour. */
  crossOut(left, top, width, height) {
    this.context.fillStyle = this.colours.failed;
    const edge = Math.min(4, width);
    this.context.fillRect(left + width - edge, top, edge, height);
  }

  paintLabel(bar, left, top, width, height, ink) {
    const { context, plot, model } = this;
    const from = Math.max(left, plot.left) + 5, room = left + width - from - 4;
    const whole = model.pods.names[model.bars.pod[bar]], name = whole.slice(whole.indexOf("/") + 1); // without its namespace
    if (room < 30) return;
    context.fillStyle = ink;
    context.font = `${Math.min(12, Math.floor(height - 2))}px system-ui, sans-serif`;
    context.fillText(this.shorten(name, room), from, top + height / 2 + 0.5);
    context.font = FONT;
  }

  colourOf(bar) {
    const { bars } = this.model, pod = bars.pod[bar];
    if (!this.colouring.ramp) return this.colours.bars[this.colouring.of(pod)];
    return `rgb(${this.rampColour(pod).join(" ")})`;
  }

  /** [r, g, b] of a pod on the ramp, which begins where a bar is seen against the ground. */
  rampColour(pod) {
    return this.colours.heat[Math.round(40 + this.colouring.ramp(pod) * 215)];
  }

  /** A colour of letters that can be read on a bar. */
  inkOf(bar, colours) {
    if (!this.colouring.ramp) return colours.barInk;
    const [r, g, b] = this.rampColour(this.model.bars.pod[bar]);
    return 0.3 * r + 0.59 * g + 0.11 * b > 128 ? "#14181c" : "#f4f6f8";
  }

  markBar(bar) {
    const { context } = this;
    context.strokeStyle = this.colours.mark;
    context.lineWidth = 2.5;
    for (const { left, top, width, height } of this.boxes(bar, nodeOf(this.model, bar))) {
      context.strokeRect(left - 1, top - 1, Math.max(6, width + 1), Math.max(6, height + 2));
    }
  }

  paintNames() {
    const { context, plot, view, model, colours } = this;
    const rowHeight = plot.height / (view.n1 - view.n0), each = Math.max(1, Math.ceil(16 / rowHeight));
    context.fillStyle = colours.quiet;
    context.textAlign = "right";
    for (let node = Math.floor(view.n0 / each) * each; node < view.n1; node += each) {
      const y = this.y(node + 0.5);
      if (y > plot.top + 5 && y < plot.top + plot.height - 4) {
        context.fillText(this.shortenFront(model.nodes.names[node], this.gutter - 12), plot.left - 8, y);
      }
    }
    context.textAlign = "left";
  }

  paintTimes() {
    const { context, plot, view, colours } = this;
    const unit = timeUnit(view.t1 - view.t0 < 300 && view.t1 > 600 ? view.t1 : view.t1 - view.t0);
    const bottom = plot.top + plot.height;
    context.strokeStyle = context.fillStyle = colours.quiet;
    context.lineWidth = 1;
    context.strokeRect(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1);
    context.textAlign = "center";
    for (const { at, text } of timeTicks(view.t0, view.t1, Math.max(2, plot.width / 100), unit)) {
      if (this.x(at) > plot.left + plot.width - 54) continue; // the unit stands there
      context.fillRect(Math.round(this.x(at)), bottom, 1, 4);
      context.fillText(text, this.x(at), bottom + 14);
    }
    context.textAlign = "right";
    context.fillText(`[${unit.name}]`, plot.left + plot.width, bottom + 14);
    context.textAlign = "left";
  }

  /** Names of nodes differ at their end. */
  shortenFront(text, room) {
    let from = 0;
    while (from < text.length && this.context.measureText((from ? "…" : "") + text.slice(from)).width > room) from++;
    return from ? `…${text.slice(from)}` : text;
  }

  shorten(text, room) {
    const fits = (candidate) => this.context.measureText(candidate).width <= room;
    if (fits(text)) return text;
    let length = text.length;
    while (length > 1 && !fits(`${text.slice(0, length)}…`)) length -= Math.ceil(length / 12);
    return length > 1 ? `${text.slice(0, length)}…` : "";
  }
}

/** The most pods that were pending in any of 2,000 parts of a run, on average over the part. */
function greatestPending(model) {
  model.mostPending ??= greatestSum(pendingCounts(model, { of: () => 0 }, 0, model.end, 2000));
  return model.mostPending;
}

/** The greatest sum over the classes of colour, of counts by class and column. */
function greatestSum(counts, columns = counts.length / COLOURS) {
  let most = 0;
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    for (let kind = 0; kind < COLOURS; kind++) sum += counts[kind * columns + column];
    most = Math.max(most, sum);
  }
  return most;
}
