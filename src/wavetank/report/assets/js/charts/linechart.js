// A chart of stepped lines.

const MARKERS = 6;

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

class LineChart extends AxisChart {
  /**
   * `options`: label (for readers), xTitle, formatX, formatY, yLow (0 by default), yHigh, yTicks(high, low), formatTick and log. Charts over time share an axis;
   * another one is in the URL's hash by the id of its element.
   */
  constructor(host, options) {
    super(host, options.xTitle === "time" ? timeAxis : new Axis(0, host.id));
    Object.assign(this, { options, lines: [] });
  }

  /** Shows lines {name, index, x, y, end}; `options` override those of the constructor. */
  show(lines, options = {}) {
    if (this.axis !== timeAxis) {
      const { log } = this.options;
      if (log !== undefined && "log" in options && options.log !== log) this.axis.zoom();
      this.axis.end = lines.reduce((most, line) => Math.max(most, line.end), 0);
    }
    Object.assign(this.options, options);
    this.lines = this.legend = lines;
    this.draw();
  }

  draw() {
    const width = this.host.clientWidth, height = 250;
    if (!width || !this.lines) return;
    this.begin(width, height, { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom }, this.options.label);
    this.x = this.xScale();
    this.y = linearScale(this.options.yLow ?? 0, this.options.yHigh || 1, this.plot.bottom, this.plot.top);
    this.picture.append(this.drawX(), this.drawY(), this.clipped(...this.lines.map((line) => this.drawLine(line))));
    if (!this.lines.some((line) => line.x.length)) this.picture.append(this.drawEmpty());
    this.finish();
  }

  xScale() {
    const { left, right } = this.plot, { range } = this.axis;
    if (!this.options.log) return this.axisScale(Math.max(...this.lines.map((line) => line.end || 0)));
    if (range) return logScale(Math.max(range[0], range[1] / 1e6), range[1], left, right);
    const positive = this.lines.flatMap((line) => Array.from(line.x).filter((value) => value > 0));
    const least = positive.length ? Math.min(...positive) : 0.001, power = 10 ** Math.floor(Math.log10(least));
    const low = power * [5, 2, 1].find((factor) => factor * power <= least * 1.001);
    const high = this.axis.end || 1;
    return logScale(Math.min(low, high / 10), high, left, right);
  }

  drawX() {
    return this.options.log ? this.drawTicks(logTicks(this.x.low, this.x.high), this.options.xTitle) : this.drawTimes(this.options.xTitle);
  }

  drawY() {
    const axis = svg("g", { class: "axis" }), { left, right } = this.plot;
    for (const value of this.options.yTicks(this.y.high, this.y.low)) {
      const y = this.y(value);
      axis.append(svg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }));
      axis.append(svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, this.options.formatTick(value)));
    }
    return axis;
  }

  drawEmpty() {
    const x = (this.plot.left + this.width) / 2;
    return svg("text", { class: "empty", x, y: this.height / 2, "text-anchor": "middle" }, "nothing to show");
  }

  drawLine(line) {
    const { colour, dash, marker } = look(line.index), { left, right } = this.plot;
    const group = svg("g", { class: `line ${colour}` });
    group.append(svg("path", { d: this.path(line), "stroke-dasharray": dash || null }));
    for (let k = 0; k < MARKERS && line.x.length; k++) {
      const share = (k + (line.index + 0.5) / (DATA.schedulers.length || 1)) / MARKERS;
      const at = this.x.invert(left + share * (right - left));
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

  tell(at) {
    const rows = this.lines.map((line) => el("tr", {}, el("td", {}, sample(line.index)), el("td", {}, line.name),
      el("td", {}, this.options.formatY(valueAt(line, at)))));
    return [el("b", {}, this.options.formatX(at)), el("table", {}, ...rows)];
  }

  /** The lines as rows of a table, one per point. */
  rows() {
    const points = this.lines.flatMap((line) => Array.from(line.x, (x, i) => [line.name, x, line.y[i]]));
    return [["line", this.options.xTitle === "time" ? "time_s" : "x", "value"], ...points];
  }
}
