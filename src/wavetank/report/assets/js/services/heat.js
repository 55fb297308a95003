// Response times over time: how many requests took how long, on a logarithmic scale.

const HEAT = { top: 16, left: 64, height: 280 };

class ServiceHeat extends AxisChart {
  constructor(host) {
    super(host, timeAxis);
    host.classList.add("heat");
  }

  /** Shows the heat map of one operation, null if it answered no request; `since` are [instant, name] from which a service is overloaded. */
  show(map, end, since) {
    Object.assign(this, { map, end, since });
    this.host.classList.toggle("none", !map);
    if (map) this.draw();
    else this.host.replaceChildren("no request was answered");
  }

  draw() {
    const width = this.host.clientWidth, { map } = this;
    if (!width || !map) return;
    const plot = { left: HEAT.left, right: width - MARGIN.right, top: HEAT.top, bottom: HEAT.height - MARGIN.bottom };
    this.begin(width, HEAT.height, plot, `Response times of ${map.name} over time`);
    this.x = this.axisScale(this.end);
    this.y = logScale(map.bounds[0][0], map.bounds.at(-1)[1], plot.bottom, plot.top);
    const area = { x: plot.left, y: plot.top, width: plot.right - plot.left, height: plot.bottom - plot.top };
    this.picture.append(svg("rect", { class: "back", ...area }), svg("svg", { ...area, viewBox: Object.values(area).join(" ") }, ...this.cells(), ...this.quantiles()));
    this.picture.append(this.drawTimes(), this.drawY(), ...this.since.filter(([at]) => at >= this.x.low && at <= this.x.high).flatMap((each) => this.overload(...each)));
    this.finish();
  }

  cells() {
    const { map, x, y } = this, most = Math.max(...map.cells.map((cell) => cell[2]));
    const seen = map.cells.filter(([column]) => column * map.width <= x.high && (column + 1) * map.width >= x.low);
    return seen.map(([column, bucket, count]) => {
      const left = x(column * map.width), right = x(Math.min(this.end, (column + 1) * map.width));
      const top = y(map.bounds[bucket][1]), bottom = y(map.bounds[bucket][0]);
      const level = Math.min(9, Math.floor(10 * Math.sqrt(count / most)));
      const box = { x: left.toFixed(1), y: top.toFixed(1), width: Math.max(0.5, right - left + 0.3).toFixed(1), height: (bottom - top + 0.3).toFixed(1) };
      return svg("rect", { class: `h${level}`, ...box });
    });
  }

  drawY() {
    const { y } = this, { left } = this.plot, axis = svg("g", { class: "axis" });
    for (const { at, text } of logTicks(y.low, y.high)) {
      axis.append(svg("line", { x1: left - 4, x2: left, y1: y(at), y2: y(at) }));
      axis.append(svg("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, text));
    }
    return axis;
  }

  /** Lines of the median and the 99th percentile, if each column is one interval. */
  quantiles() {
    const { lines, width } = this.map;
    const points = (line) => lines[0].map((time, i) => `${this.x(time + width / 2).toFixed(1)} ${this.y(lines[line][i]).toFixed(1)}`);
    return lines.length ? [[1, "p50"], [2, "p99"]].map(([line, name]) => svg("path", { class: `quantile ${name}`, d: `M${points(line).join("L")}` })) : [];
  }

  overload(since, name) {
    const at = this.x(since), { top, bottom } = this.plot;
    const anchored = at > this.width - 160 ? { x: at - 4, "text-anchor": "end" } : { x: at + 4 };
    return [
      svg("line", { class: "since", x1: at, x2: at, y1: top, y2: bottom }),
      svg("text", { class: "sincetext", y: top - 4, ...anchored }, `${name} overloaded`),
    ];
  }

  tell(at, y) {
    const { map } = this, column = Math.floor(at / map.width), inColumn = map.cells.filter((cell) => cell[0] === column);
    const total = inColumn.reduce((sum, cell) => sum + cell[2], 0);
    const bucket = y === null ? -1 : map.bounds.findIndex(([from, to]) => this.y.invert(y) >= from && this.y.invert(y) < to);
    if (!total || (y !== null && bucket < 0)) return null;
    const count = inColumn.find((cell) => cell[1] === bucket)?.[2] ?? 0;
    const share = `${number(count, 9)} of ${number(total, 9)} (${percent(count / total)})`;
    const rows = bucket < 0 ? [["Requests", number(total, 9)]] : [["Response time", map.bounds[bucket].map(duration).join(" to ")], ["Requests", share]];
    const p = map.lines.length ? map.lines[0].findIndex((time) => Math.abs(time - column * map.width) < map.width / 2) : -1;
    if (p >= 0) rows.push(["Median", duration(map.lines[1][p])], ["p99", duration(map.lines[2][p])]);
    return [el("b", {}, `from ${instant(column * map.width)}`), terms(rows)];
  }

  /** The cells as rows of a table, a heading first; times in seconds. */
  rows() {
    const { width, bounds, cells } = this.map;
    return [["time_s", "from_s", "to_s", "requests"], ...cells.map(([column, bucket, count]) => [column * width, ...bounds[bucket], count])];
  }
}
