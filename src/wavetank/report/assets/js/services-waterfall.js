// A single request with all its calls, one row each, from when it was sent to when its answer was back.

const FALL = { row: 24, left: 300, right: 92, top: 26 };

/** Draws the spans of one trace; they come callers first, and are shown with each call below its caller. */
function drawWaterfall(host, spans) {
  const width = Math.max(680, host.clientWidth), [root] = spans;
  const begin = root[6], end = Math.max(...spans.map(spanEnd), begin + 1e-9);
  const x = linearScale(begin, end, FALL.left, width - FALL.right);
  const ordered = [];
  orderSpans(spans, null, 0, ordered);
  const height = FALL.top + FALL.row * ordered.length + 6;
  const picture = svg("svg", { class: "waterfall", width, height, role: "img", "aria-label": `A request of ${root[2]}.${root[3]}` });
  picture.append(waterfallAxis(x, begin, end, height), ...ordered.map(([span, depth], i) => spanRow(span, depth, i, x, width, begin)));
  host.replaceChildren(picture);
}

function orderSpans(spans, parent, depth, ordered) {
  const some = spans.filter((span) => span[1] === parent).sort((a, b) => a[6] - b[6] || a[0] - b[0]);
  for (const span of some) {
    ordered.push([span, depth]);
    orderSpans(spans, span[0], depth + 1, ordered);
  }
}

function spanEnd(span) {
  return span[10] ?? Math.max(...span.slice(6, 10).filter((time) => time !== null));
}

function waterfallAxis(x, begin, end, height) {
  const axis = svg("g", { class: "axis" });
  const scale = end - begin < 1 ? 1000 : 1, unit = scale === 1 ? "s" : "ms";
  for (const value of linearTicks(0, (end - begin) * scale, 6)) {
    const at = x(begin + value / scale);
    axis.append(svg("line", { class: "grid", x1: at, x2: at, y1: FALL.top - 6, y2: height }));
    axis.append(svg("text", { x: at, y: FALL.top - 10, "text-anchor": "middle" }, `${number(value)} ${unit}`));
  }
  return axis;
}

/** The parts of a span: [class, name, from, to]. */
function spanPhases([, , , , , , sent, received, queued, computed, ended]) {
  const parts = [["under", "request under way", sent, received], ["calls", "waits for its calls", received, queued],
    ["cpu", "CPU", queued, computed], ["under", "answer under way", computed, ended]];
  return parts.filter(([, , from, to]) => from !== null && to !== null && to > from);
}

function spanRow(span, depth, index, x, width, begin) {
  const y = FALL.top + FALL.row * index, end = spanEnd(span), name = `${span[2]}.${span[3]}`;
  const group = svg("g", {
    tabindex: 0, "aria-label": `${name}: ${duration(end - span[6])}`,
    onpointermove: (event) => tooltip.show(spanFacts(span, begin), event.clientX, event.clientY),
    onpointerleave: () => tooltip.hide(), onblur: () => tooltip.hide(),
  });
  group.append(svg("rect", { class: "row", x: 0, y, width, height: FALL.row }));
  const indent = 4 + Math.min(depth, 8) * 14, room = Math.floor((FALL.left - indent - 12) / 6.8);
  const label = svg("text", { x: indent, y: y + 16 }, shortName(name, room));
  if (span[4] && name.length + 6 < room) label.append(svg("tspan", { class: "fact" }, `  ${shortName(span[4], room - name.length)}`));
  group.append(label);
  const phases = spanPhases(span), last = phases.length ? phases.at(-1)[3] : span[6];
  for (const [kind, , from, to] of phases) group.append(bar(`phase ${kind}`, x(from), x(to), y));
  if (span[11] && end > last) group.append(bar("phase lost", x(last), x(end), y));
  group.append(svg("text", { class: "fact", x: x(end) + 6, y: y + 16 }, span[11] ? span[11].toLowerCase().replaceAll("_", " ") : duration(end - span[6])));
  return group;
}

function bar(kind, left, right, y) {
  return svg("rect", { class: kind, x: left.toFixed(1), y: y + 5, width: Math.max(1, right - left).toFixed(1), height: FALL.row - 10, rx: 1.5 });
}

function spanFacts(span, begin) {
  const rows = [["Pod", span[4] || DASH], ["Node", span[5] || DASH], ["Sent", `after ${duration(span[6] - begin)}`]];
  for (const [, name, from, to] of spanPhases(span)) rows.push([name, duration(to - from)]);
  rows.push([span[11] ? "Failed after" : "In all", duration(spanEnd(span) - span[6])]);
  if (span[11]) rows.push(["Reason", span[11]]);
  return [el("b", {}, `${span[2]}.${span[3]}`), terms(rows)];
}
