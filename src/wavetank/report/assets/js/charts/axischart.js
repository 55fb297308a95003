// What charts along an axis have in common: the drag that zooms, keys, the cursor, the tooltip and downloads.

const MARGIN = { top: 10, right: 14, bottom: 34, left: 52 };
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

/**
 * A chart draws itself in draw(): begin(), its parts, finish(). It has rows() for CSV, and tell(at, y), which gives the tooltip's
 * content at a point of the axis and a pixel from the top (null if the keyboard moves the cursor); null for no tooltip.
 */
class AxisChart {
  constructor(host, axis) {
    Object.assign(this, { host, axis, legend: [] });
    host.classList.add("chart");
    onResize(host, () => this.draw());
    axis.zoomed.push(() => this.draw());
    axis.pointed.push((at) => this.mark(at));
    addDownloads(host, () => ({ name: host.id, picture: this.picture, legend: this.legend, rows: () => this.rows() }));
  }

  /** Begins a picture whose plot has these edges, in pixels from the left and the top. */
  begin(width, height, plot, label) {
    Object.assign(this, { width, height, plot });
    this.picture = svg("svg", {
      width, height, role: "img", tabindex: 0, "aria-label": label,
      onpointerdown: (event) => this.press(event), onpointerup: (event) => this.release(event),
      onpointermove: (event) => (this.grip === undefined ? this.point(...this.pixels(event), event.clientX, event.clientY) : this.drag(event)),
      onpointercancel: () => this.drop(), ondblclick: () => this.axis.zoom(),
      onpointerleave: () => this.unpoint(), onblur: () => this.unpoint(), onkeydown: (event) => this.key(event),
    });
  }

  /** Puts the picture in place, with the cursor and the band of a drag above everything else. */
  finish() {
    const { left, top, bottom } = this.plot;
    this.band = svg("rect", { class: "band", x: left, y: top - 4, width: 0, height: bottom - top + 4 });
    this.cross = svg("line", { class: "cross", y1: top, y2: bottom, visibility: "hidden" });
    this.picture.append(this.band, this.cross);
    const focused = this.host.contains(document.activeElement);
    this.host.replaceChildren(this.picture);
    if (focused) this.picture.focus({ preventScroll: true });
    this.mark(this.axis.cursor);
  }

  /** A scale over the part of the axis that is seen; everything reaches to `end` at least. */
  axisScale(end = 0) {
    return linearScale(...(this.axis.range ?? [0, Math.max(end, this.axis.end) || 1]), this.plot.left, this.plot.right);
  }

  /** A part of the picture that cuts off what lies outside the plot, but no marker at its edges. */
  clipped(...parts) {
    const { left, right, top, bottom } = this.plot;
    const inner = { x: left - 5, y: top - 4, width: right - left + 10, height: bottom - top + 9 };
    return svg("svg", { ...inner, viewBox: Object.values(inner).join(" ") }, ...parts);
  }

  /** The axis below the plot with its ticks, {at, text}, of which as many are kept as there is room for. */
  drawTicks(ticks, title) {
    const { left, right, bottom } = this.plot, keep = Math.ceil(ticks.length / this.roomForTicks());
    const axis = svg("g", { class: "axis" }, svg("line", { x1: left, x2: right, y1: bottom, y2: bottom }));
    ticks.filter((_, k) => k % keep === 0).forEach(({ at, text }) => {
      axis.append(svg("line", { x1: this.x(at), x2: this.x(at), y1: bottom, y2: bottom + 4 }));
      axis.append(svg("text", { x: this.x(at), y: bottom + 16, "text-anchor": "middle" }, text));
    });
    axis.append(svg("text", { class: "title", x: right, y: bottom + 30, "text-anchor": "end" }, title));
    return axis;
  }

  /** The axis of times below the plot. */
  drawTimes(title = "time") {
    const { low, high } = this.x, unit = timeUnit(high - low < 300 && high > 600 ? high : high - low);
    return this.drawTicks(timeTicks(low, high, this.roomForTicks(), unit), `${title} [${unit.name}]`);
  }

  roomForTicks() {
    return Math.max(2, (this.plot.right - this.plot.left) / 90);
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
    const { low, high } = this.x, at = this.axis.cursor ?? this.x.invert((this.plot.left + this.plot.right) / 2);
    this.axis.zoom(at - (at - low) / factor, at + (high - at) / factor);
  }

  /** Moves the cursor by a fiftieth of the chart. */
  step(direction) {
    const box = this.picture.getBoundingClientRect(), { left, right } = this.plot;
    const pixel = this.inside((this.pixel ?? left) + (direction * (right - left)) / 50);
    this.point(pixel, null, box.left + pixel, box.top + 30);
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.grip = this.inside(this.pixels(event)[0]);
    this.picture.setPointerCapture(event.pointerId);
  }

  /** Marks the part that a release would show. */
  drag(event) {
    const [low, high] = [this.grip, this.inside(this.pixels(event)[0])].sort((a, b) => a - b);
    fill(this.band, { x: low, width: high - low }, []);
    tooltip.hide();
  }

  release(event) {
    if (this.grip === undefined) return;
    const [low, high] = [this.grip, this.inside(this.pixels(event)[0])].sort((a, b) => a - b);
    this.drop();
    if (high - low > LEAST_DRAG) this.axis.zoom(this.x.invert(low), this.x.invert(high));
  }

  drop() {
    this.grip = undefined;
    this.band.setAttribute("width", 0);
  }

  /** Where an event is in the picture: offsetX would be that of the part below the pointer in some browsers. */
  pixels(event) {
    const box = this.picture.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  inside(pixel) {
    return Math.min(Math.max(pixel, this.plot.left), this.plot.right);
  }

  /** Sets the cursor of all charts of the axis to a pixel, and says what is there beside a point of the window. */
  point(pixel, y, left, top) {
    this.pixel = this.inside(pixel);
    const at = this.x.invert(this.pixel);
    this.axis.point(at);
    const content = this.tell(at, y);
    if (content) tooltip.show(content, left, top);
    else tooltip.hide();
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
}
