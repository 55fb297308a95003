// Response times over time: how many requests took how long, on a logarithmic scale.

const HEAT = { top: 16, right: 14, bottom: 34, left: 64, height: 280 };

/** Draws the heat map of one operation; `since` are instants from which a service is overloaded. */
function drawServiceHeat(host, map, end, since) {
  const width = host.clientWidth;
  if (!width) return;
  const low = map.bounds[0][0], high = map.bounds.at(-1)[1];
  const x = linearScale(0, end, HEAT.left, width - HEAT.right);
  const y = logScale(low, high, HEAT.height - HEAT.bottom, HEAT.top);
  const picture = svg("svg", { class: "heat chart", width, height: HEAT.height, role: "img", "aria-label": `Response times of ${map.name} over time` });
  const area = { x: HEAT.left, y: HEAT.top, width: width - HEAT.left - HEAT.right, height: HEAT.height - HEAT.top - HEAT.bottom };
  picture.append(svg("rect", { class: "back", ...area }), ...heatCells(map, x, y, end), ...heatAxes(x, y, width));
  for (const [i, name] of [[1, "p50"], [2, "p99"]]) {
    if (map.lines.length) picture.append(svg("path", { class: `quantile ${name}`, d: quantilePath(map, i, x, y) }));
  }
  for (const [at, name] of since) picture.append(...heatMark(x(at), name, width));
  picture.addEventListener("pointermove", (event) => heatTip(event, map, x, y));
  picture.addEventListener("pointerleave", () => tooltip.hide());
  host.replaceChildren(picture);
}

function heatCells(map, x, y, end) {
  const most = Math.max(...map.cells.map((cell) => cell[2]));
  return map.cells.map(([column, bucket, count]) => {
    const left = x(column * map.width), right = x(Math.min(end, (column + 1) * map.width));
    const top = y(map.bounds[bucket][1]), bottom = y(map.bounds[bucket][0]);
    const level = Math.min(9, Math.floor(10 * Math.sqrt(count / most)));
    const box = { x: left.toFixed(1), y: top.toFixed(1), width: Math.max(0.5, right - left + 0.3).toFixed(1), height: (bottom - top + 0.3).toFixed(1) };
    return svg("rect", { class: `h${level}`, ...box });
  });
}

function heatAxes(x, y, width) {
  const bottom = HEAT.height - HEAT.bottom, axis = svg("g", { class: "axis" }), unit = timeUnit(x.high);
  axis.append(svg("line", { x1: HEAT.left, x2: width - HEAT.right, y1: bottom, y2: bottom }));
  for (const { at, text } of timeTicks(0, x.high, Math.max(2, (width - 80) / 90), unit)) {
    axis.append(svg("line", { x1: x(at), x2: x(at), y1: bottom, y2: bottom + 4 }));
    axis.append(svg("text", { x: x(at), y: bottom + 16, "text-anchor": "middle" }, text));
  }
  axis.append(svg("text", { x: width - HEAT.right, y: HEAT.height - 4, "text-anchor": "end" }, `time [${unit.name}]`));
  for (const { at, text } of logTicks(y.low, y.high)) {
    axis.append(svg("line", { x1: HEAT.left - 4, x2: HEAT.left, y1: y(at), y2: y(at) }));
    axis.append(svg("text", { x: HEAT.left - 8, y: y(at) + 4, "text-anchor": "end" }, text));
  }
  return [axis];
}

function quantilePath(map, line, x, y) {
  const points = map.lines[0].map((time, i) => `${x(time + map.width / 2).toFixed(1)} ${y(map.lines[line][i]).toFixed(1)}`);
  return `M${points.join("L")}`;
}

function heatMark(at, name, width) {
  const anchored = at > width - 160 ? { x: at - 4, "text-anchor": "end" } : { x: at + 4 };
  return [
    svg("line", { class: "since", x1: at, x2: at, y1: HEAT.top, y2: HEAT.height - HEAT.bottom }),
    svg("text", { class: "sincetext", y: HEAT.top - 4, ...anchored }, `${name} overloaded`),
  ];
}

function heatTip(event, map, x, y) {
  const column = Math.floor(x.invert(event.offsetX) / map.width), at = y.invert(event.offsetY);
  const bucket = map.bounds.findIndex(([from, to]) => at >= from && at < to);
  const inColumn = map.cells.filter((cell) => cell[0] === column);
  const total = inColumn.reduce((sum, cell) => sum + cell[2], 0);
  if (bucket < 0 || !total) return tooltip.hide();
  const count = inColumn.find((cell) => cell[1] === bucket)?.[2] ?? 0, [from, to] = map.bounds[bucket];
  const rows = [["Response time", `${duration(from)} to ${duration(to)}`], ["Requests", `${number(count, 9)} of ${number(total, 9)} (${percent(count / total)})`]];
  const p = map.lines.length ? map.lines[0].findIndex((time) => Math.abs(time - column * map.width) < map.width / 2) : -1;
  if (p >= 0) rows.push(["Median", duration(map.lines[1][p])], ["p99", duration(map.lines[2][p])]);
  tooltip.show([el("b", {}, `from ${instant(column * map.width)}`), terms(rows)], event.clientX, event.clientY);
}
