// A chart of stepped lines with axes, a crosshair and a tooltip.

const MARGIN = { top: 10, right: 14, bottom: 34, left: 52 };
const MARKERS = 6;
const LEAST_DRAG = 6; // pixels: a shorter one is a click
const ZOOMS = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "−": 1 / 1.5 };

function linearScale(low, high, from, to) {
  const place = (value) => from + ((value - low) / (high - low)) * (to - from);
  return Object.assign(place, { low, high, invert: (pixel) => low + ((pixel - from) / (to - from)) * (high - low) });
}

/** A logarithmic scale; what lies below its low end (a wait of zero) is drawn at that end. */
function logScale(low, high, from, to) {
  const inner = linearScale(Math.log(low), Math.log(high), from, to);
  const place = (value) => inner(Math.log(Math.max(value, low)));
  return Object.assign(place, { low, high, invert: (pixel) => Math.exp(inner.invert(pixel)) });
}

/** The value of a stepped line at x: that of the last point at or before it. */
function valueAt(line, x) {
  if (!line.x.length || x < line.x[0] || x > line.end) return NaN;
  let low = 0;
  for (let high = line.x.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (line.x[middle] <= x) low = middle;
    else high = middle;
  }
  return line.y[low];
}

class LineChart {
  /** `options`: label (for readers), xTitle, formatX, formatY, yHigh, yTicks(high), formatTick and log. Charts over time share an axis. */
  constructor(host, options) {
    Object.assign(this, { host, options, lines: [], height: 250, axis: options.xTitle === "time" ? timeAxis : new Axis() });
    host.classList.add("chart");
    onResize(host, () => this.draw());
    this.axis.zoomed.push(() => this.draw());
    this.axis.pointed.push((at) => this.mark(at));
    addDownloads(host, () => ({ name: host.id, picture: this.picture, legend: this.lines, rows: () => this.rows() }));
  }

  /** Shows lines {name, index, x, y, end}; `options` override those of the constructor. */
  show(lines, options = {}) {
    if (this.axis !== timeAxis) {
      if ("log" in options && options.log !== this.options.log) this.axis.range = null;
      this.axis.end = lines.reduce((most, line) => Math.max(most, line.end), 0);
    }
    Object.assign(this.options, options);
    this.lines = lines;
    this.draw();
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width) return;
    this.width = width;
    this.x = this.xScale();
    this.y = linearScale(0, this.options.yHigh || 1, this.height - MARGIN.bottom, MARGIN.top);
    const picture = svg("svg", {
      width, height: this.height, role: "img", tabindex: 0, "aria-label": this.options.label,
      onpointerdown: (event) => this.press(event), onpointerup: (event) => this.release(event),
      onpointermove: (event) => (this.grip === undefined ? this.point(event.offsetX, event.clientX, event.clientY) : this.drag(event)),
      onpointercancel: () => this.drop(), ondblclick: () => this.axis.zoom(),
      onpointerleave: () => this.unpoint(), onblur: () => this.unpoint(), onkeydown: (event) => this.key(event),
    });
    const plot = { x: MARGIN.left, y: MARGIN.top - 4, width: width - MARGIN.left - MARGIN.right, height: this.height - MARGIN.top - MARGIN.bottom + 4 };
    this.band = svg("rect", { class: "band", ...plot, width: 0 });
    this.cross = svg("line", { class: "cross", y1: MARGIN.top, y2: this.height - MARGIN.bottom, visibility: "hidden" });
    const inner = { x: plot.x - 5, y: plot.y, width: plot.width + 10, height: plot.height + 5 }; // cuts off what lies outside, but no marker
    const lines = svg("svg", { ...inner, viewBox: Object.values(inner).join(" ") }, ...this.lines.map((line) => this.drawLine(line)));
    picture.append(this.drawX(), this.drawY(), lines, this.band, this.cross);
    if (!this.lines.some((line) => line.x.length)) picture.append(this.drawEmpty());
    const focused = this.host.contains(document.activeElement);
    this.host.replaceChildren(picture);
    this.picture = picture;
    if (focused) picture.focus({ preventScroll: true });
    if (this.axis.cursor !== null) this.mark(this.axis.cursor);
  }

  xScale() {
    const from = MARGIN.left, to = this.width - MARGIN.right;
    if (this.axis.range) {
      const [low, high] = this.axis.range;
      return this.options.log ? logScale(Math.max(low, high / 1e6), high, from, to) : linearScale(low, high, from, to);
    }
    const high = Math.max(...this.lines.map((line) => line.end || 0), this.axis.end) || 1;
    if (!this.options.log) return linearScale(0, high, from, to);
    const positive = this.lines.flatMap((line) => Array.from(line.x).filter((value) => value > 0));
    const least = positive.length ? Math.min(...positive) : 0.001, power = 10 ** Math.floor(Math.log10(least));
    const low = power * [5, 2, 1].find((factor) => factor * power <= least * 1.001);
    return logScale(low, Math.max(high, low * 10), from, to);
  }

  drawX() {
    const { low, high } = this.x, bottom = this.height - MARGIN.bottom;
    const unit = timeUnit(high - low < 300 && high > 600 ? high : high - low), count = Math.max(2, (this.width - 80) / 90);
    const ticks = this.options.log ? logTicks(low, high) : timeTicks(low, high, count, unit);
    const keep = Math.ceil(ticks.length / count);
    const title = this.options.log ? this.options.xTitle : `${this.options.xTitle} [${unit.name}]`;
    const axis = svg("g", { class: "axis" }, svg("line", { x1: MARGIN.left, x2: this.width - MARGIN.right, y1: bottom, y2: bottom }));
    ticks.filter((_, k) => k % keep === 0).forEach(({ at, text }) => {
      axis.append(svg("line", { x1: this.x(at), x2: this.x(at), y1: bottom, y2: bottom + 4 }));
      axis.append(svg("text", { x: this.x(at), y: bottom + 16, "text-anchor": "middle" }, text));
    });
    axis.append(svg("text", { class: "title", x: this.width - MARGIN.right, y: this.height - 4, "text-anchor": "end" }, title));
    return axis;
  }

  drawY() {
    const axis = svg("g", { class: "axis" });
    for (const value of this.options.yTicks(this.y.high)) {
      const y = this.y(value);
      axis.append(svg("line", { class: "grid", x1: MARGIN.left, x2: this.width - MARGIN.right, y1: y, y2: y }));
      axis.append(svg("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, this.options.formatTick(value)));
    }
    return axis;
  }

  drawEmpty() {
    const x = (MARGIN.left + this.width) / 2;
    return svg("text", { class: "empty", x, y: this.height / 2, "text-anchor": "middle" }, "nothing to show");
  }

  drawLine(line) {
    const { colour, dash, marker } = look(line.index);
    const group = svg("g", { class: `line ${colour}` });
    group.append(svg("path", { d: this.path(line), "stroke-dasharray": dash || null }));
    for (let k = 0; k < MARKERS && line.x.length; k++) {
      const share = (k + (line.index + 0.5) / (DATA.schedulers.length || 1)) / MARKERS;
      const at = this.x.invert(MARGIN.left + share * (this.width - MARGIN.left - MARGIN.right));
      const value = valueAt(line, at);
      if (value >= 0 && at <= line.end) group.append(svg("path", { class: "marker", d: markerPath(marker, this.x(at), this.y(value)) }));
    }
    return group;
  }

  path(line) {
    let d = "", open = false;
    for (let i = 0; i < line.x.length; i++) {
      const y = this.y(line.y[i]);
      const next = i + 1 < line.x.length ? line.x[i + 1] : line.end;
      if (Number.isNaN(y)) { open = false; continue; }
      d += `${open ? "V" : `M${this.x(line.x[i]).toFixed(1)} `}${y.toFixed(1)}H${this.x(next).toFixed(1)}`;
      open = true;
    }
    return d;
  }

  key(event) {
    const { low, high } = this.x, step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], factor = ZOOMS[event.key];
    if ((!step && !factor && event.key !== "0") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key === "0") this.axis.zoom();
    else if (factor) this.zoom(factor);
    else if (event.shiftKey) this.axis.zoom(low + (step * (high - low)) / 10, high + (step * (high - low)) / 10);
    else this.step(step);
  }

  /** Zooms around the cursor, or the middle. */
  zoom(factor) {
    const { low, high } = this.x, middle = (MARGIN.left + this.width - MARGIN.right) / 2;
    const at = this.axis.cursor ?? this.x.invert(middle);
    this.axis.zoom(at - (at - low) / factor, at + (high - at) / factor);
  }

  /** Moves the cursor by a fiftieth of the chart. */
  step(direction) {
    const box = this.picture.getBoundingClientRect();
    const pixel = (this.pixel ?? MARGIN.left) + (direction * (this.width - MARGIN.left - MARGIN.right)) / 50;
    this.point(pixel, box.left + pixel, box.top + 30);
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.grip = this.inside(event.offsetX);
    this.picture.setPointerCapture(event.pointerId);
  }

  /** Marks the part that a release would show. */
  drag(event) {
    const [low, high] = [this.grip, this.inside(event.offsetX)].sort((a, b) => a - b);
    fill(this.band, { x: low, width: high - low }, []);
    tooltip.hide();
  }

  release(event) {
    if (this.grip === undefined) return;
    const [low, high] = [this.grip, this.inside(event.offsetX)].sort((a, b) => a - b);
    this.drop();
    if (high - low > LEAST_DRAG) this.axis.zoom(this.x.invert(low), this.x.invert(high));
  }

  drop() {
    this.grip = undefined;
    this.band.setAttribute("width", 0);
  }

  inside(pixel) {
    return Math.min(Math.max(pixel, MARGIN.left), this.width - MARGIN.right);
  }

  point(pixel, left, top) {
    this.pixel = this.inside(pixel);
    const at = this.x.invert(this.pixel);
    this.axis.point(at);
    const rows = this.lines.map((line) => el("tr", {}, el("td", {}, sample(line.index)), el("td", {}, line.name),
      el("td", {}, this.options.formatY(valueAt(line, at)))));
    tooltip.show([el("b", {}, this.options.formatX(at)), el("table", {}, ...rows)], left, top);
  }

  /** Draws the cursor, which another chart of the axis may have set. */
  mark(at) {
    const shown = at !== null && this.x && at >= this.x.low && at <= this.x.high;
    if (this.cross) fill(this.cross, { visibility: shown ? "visible" : "hidden", ...(shown && { x1: this.x(at), x2: this.x(at) }) }, []);
  }

  unpoint() {
    this.axis.point(null);
    tooltip.hide();
  }

  /** The lines as rows of a table, one per point. */
  rows() {
    const points = this.lines.flatMap((line) => Array.from(line.x, (x, i) => [line.name, x, line.y[i]]));
    return [["line", this.options.xTitle === "time" ? "time_s" : "x", "value"], ...points];
  }
}
