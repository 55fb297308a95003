// A single request with all its calls, one row each, from when it was sent to when its answer was back.

const FALL = { row: 24, left: 300, right: 92, top: 26 };

/** The spans of one trace. Its axis starts at the request and is only as long as that; the cursor is that of all charts over time. */
class Waterfall extends AxisChart {
  constructor(host) {
    super(host, new Axis(0, "span"));
    timeAxis.pointed.push((at) => this.mark(at === null ? null : at - this.begun));
  }

  /** Shows spans, callers first; each call is drawn below its caller. */
  show(spans) {
    const ordered = [];
    orderSpans(spans, null, 0, ordered);
    Object.assign(this, { spans, ordered, begun: spans[0][6] });
    this.axis.end = Math.max(...spans.map(spanReach), this.begun + 1e-9) - this.begun;
    this.draw();
  }

  draw() {
    if (!this.spans || !this.host.clientWidth) return;
    const width = Math.max(680, this.host.clientWidth), height = FALL.top + FALL.row * this.ordered.length + 6, [root] = this.spans;
    this.begin(width, height, { left: FALL.left, right: width - FALL.right, top: FALL.top - 6, bottom: height }, `A request of ${root[2]}.${root[3]}`);
    fill(this.picture, { class: "waterfall", role: "group" }, []);
    this.x = this.axisScale();
    this.picture.append(this.drawX(), ...this.ordered.map(([span, depth], i) => this.row(span, depth, i)));
    this.finish();
  }

  drawX() {
    const axis = svg("g", { class: "axis" }), { low, high } = this.x, { top, bottom } = this.plot;
    const scale = high < 1 ? 1000 : 1, unit = scale === 1 ? "s" : "ms";
    for (const value of linearTicks(low * scale, high * scale, 6)) {
      const at = this.x(value / scale);
      axis.append(svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
      axis.append(svg("text", { x: at, y: top - 4, "text-anchor": "middle" }, `${number(value)} ${unit}`));
    }
    return axis;
  }

  row(span, depth, index) {
    const y = FALL.top + FALL.row * index, end = spanEnd(span), name = `${span[2]}.${span[3]}`, { right, left } = this.plot;
    const group = svg("g", { tabindex: 0, role: "img", "aria-label": `${name}: ${duration(end - span[6])}`, onfocus: () => tellBeside(group, spanFacts(span, this.begun)), onblur: () => tooltip.hide() });
    group.append(svg("rect", { class: "row", x: 0, y, width: this.width, height: FALL.row }));
    const indent = 4 + Math.min(depth, 8) * 14, room = Math.floor((FALL.left - indent - 12) / 6.8);
    const label = svg("text", { x: indent, y: y + 16 }, shortName(name, room));
    if (span[4] && name.length + 6 < room) label.append(svg("tspan", { class: "fact" }, `  ${shortName(span[4], room - name.length)}`));
    group.append(label, ...this.bars(span, y));
    const word = span[11] ? span[11].toLowerCase().replaceAll("_", " ") : duration(end - span[6]);
    group.append(svg("text", { class: "fact", x: Math.min(Math.max(this.place(spanReach(span)), left), right) + 6, y: y + 16 }, word));
    return group;
  }

  /** The bars of a span, cut off where the plot ends. */
  bars(span, y) {
    const phases = spanPhases(span), end = spanEnd(span), last = phases.length ? phases.at(-1)[3] : span[6], { left, right } = this.plot;
    const parts = phases.map(([kind, , from, to]) => [kind, from, to]);
    if (span[11] && end > last) parts.push(["lost", last, end]);
    const seen = parts.filter(([, from, to]) => this.place(to) >= left && this.place(from) <= right);
    return seen.map(([kind, from, to]) => bar(`phase ${kind}`, Math.max(left, this.place(from)), Math.min(right, this.place(to)), y));
  }

  /** The pixel of an instant of the run. */
  place(instant) {
    return this.x(instant - this.begun);
  }

  point(...where) {
    super.point(...where);
    timeAxis.point(this.begun + this.axis.cursor);
  }

  unpoint() {
    super.unpoint();
    timeAxis.point(null);
  }

  tell(at, y) {
    if (y === null) return [el("b", {}, `after ${duration(at)}`)];
    const [span] = this.ordered[Math.floor((y - FALL.top) / FALL.row)] ?? [];
    return span ? spanFacts(span, this.begun) : null;
  }

  /** The spans as rows of a table, a heading first; times in seconds from the start of the run. */
  rows() {
    const heads = ["span", "parent", "service", "operation", "pod", "node", "sent_s", "received_s", "queued_s", "computed_s", "ended_s", "reason"];
    return [heads, ...this.spans];
  }
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

/** Until when anything of a span is drawn: a call goes on at the callee after its caller has given it up. */
function spanReach(span) {
  return Math.max(spanEnd(span), ...spanPhases(span).map(([, , , to]) => to));
}

/** The parts of a span: [class, name, from, to]. */
function spanPhases([, , , , , , sent, received, queued, computed, ended]) {
  const parts = [["under", "request under way", sent, received], ["calls", "waits for its calls", received, queued],
    ["cpu", "CPU", queued, computed], ["under", "answer under way", computed, ended]];
  return parts.filter(([, , from, to]) => from !== null && to !== null && to > from);
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
