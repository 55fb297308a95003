// Drawing the Gantt chart: a heat map from afar, bars from near.

const GUTTER = 112, AXIS = 26; // room for the names of nodes and for the time axis, in pixels
const FONT = "12px system-ui, sans-serif";
const LEAST_LANE = 3; // a thinner lane cannot be told from its neighbour
const CROWDED = 0.5; // bars per three pixels of lane, above which they run together
const CELL = { width: 3, height: 4 };

/** Whether bars can be told apart in this view; otherwise it is drawn as a heat map. */
function showsBars(model, view, plot) {
  if (model.heat) return false;
  const low = Math.floor(view.n0), high = Math.ceil(view.n1);
  let lanes = 0, deepest = 1;
  for (let node = low; node < high; node++) {
    lanes += model.lanes[node];
    deepest = Math.max(deepest, model.lanes[node]);
  }
  if (plot.height / (view.n1 - view.n0) / deepest < LEAST_LANE) return false;
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
    this.plot = { left: this.gutter, top: 4, width: width - this.gutter - 8, height: height - AXIS - 4 };
  }

  /** Draws `view` of `model`; `chosen` is the bar to mark or -1. Tells whether bars were drawn. */
  paint(model, view, colours, chosen) {
    Object.assign(this, { model, view, colours });
    const { context, plot } = this;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.font = FONT;
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    const bars = showsBars(model, view, plot);
    bars ? this.paintBars() : this.paintHeat();
    if (chosen >= 0) this.markBar(chosen);
    context.restore();
    this.paintNames();
    this.paintTimes();
    return bars;
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
        if (model.bars.from[bar] < view.t1 && model.bars.to[bar] >= view.t0) this.paintBar(bar, this.box(bar, node));
      }
    }
  }

  /** Where a bar stands, in pixels; at least one wide, so that short pods are seen too. */
  box(bar, node) {
    const { bars, lanes } = this.model;
    const rowHeight = this.y(1) - this.y(0), pad = Math.min(2, rowHeight * 0.08), lane = (rowHeight - 2 * pad) / lanes[node];
    const left = this.x(bars.from[bar]), width = Math.max(1, this.x(bars.to[bar]) - left);
    return { left, width, top: this.y(node) + pad + bars.lane[bar] * lane, height: lane > 4 ? lane - 1 : lane };
  }

  paintBar(bar, { left, width, top, height }) {
    const { context, model, colours } = this;
    const gap = width > 4 ? 1 : 0, start = model.bars.start[bar];
    context.fillStyle = this.colourOf(bar);
    context.globalAlpha = 0.35; // scheduled, not yet started
    context.fillRect(left, top, width - gap, height);
    context.globalAlpha = 1;
    if (!Number.isNaN(start)) {
      const begun = Math.max(left, this.x(start));
      context.fillRect(begun, top, Math.max(0.5, left + width - gap - begun), height);
    }
    if ((model.phases[model.fates.phase[model.bars.pod[bar]]] || "").startsWith("Failed")) this.crossOut(left, top, width - gap, height);
    if (width > 44 && height >= 11) this.paintLabel(bar, left, top, width - gap, height, colours.barInk);
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

  /** Pods of a job share a colour; without jobs neighbours differ. The colours repeat. */
  colourOf(bar) {
    const { pods, bars } = this.model, pod = bars.pod[bar];
    return this.colours.bars[(pods.jobs.length > 1 ? pods.job[pod] : pod) % COLOURS];
  }

  markBar(bar) {
    const { context } = this, { left, top, width, height } = this.box(bar, nodeOf(this.model, bar));
    context.strokeStyle = this.colours.mark;
    context.lineWidth = 2.5;
    context.strokeRect(left - 1, top - 1, Math.max(6, width + 1), Math.max(6, height + 2));
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
