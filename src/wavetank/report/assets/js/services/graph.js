// The graph of services: boxes with their operations, and the calls between them.

const BOX = { width: 194, users: 70, head: 40, row: 22, gapX: 130, gapY: 26, bypass: 16 };

/** Draws the graph of one run into `host`. */
function drawServiceGraph(host, run) {
  const boxes = placeBoxes(run);
  const all = [...boxes.values()];
  const width = Math.max(...all.map((box) => box.x + BOX.width)) + 8;
  const height = Math.max(...all.map((box) => box.y + box.height)) + 8;
  const most = Math.max(1, ...run.calls.map((call) => call[4] + call[5]));
  const slowest = Math.max(1e-9, ...run.calls.map((call) => call[10]));
  const picture = svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Services and their calls" });
  picture.append(...drawEdges(run, boxes, most), ...all.filter((box) => !box.from).map((box) => drawBox(box, slowest)));
  host.replaceChildren(picture);
}

/** Boxes by service, users first: in columns by the longest way from the users, in a column by the places of their callers. */
function placeBoxes(run) {
  const boxes = new Map([["", { name: "", service: null, operations: [], depth: 0 }]]);
  for (const service of run.services) {
    const lasting = run.overloads.some(([name, , , until]) => name === service.name && until === null);
    boxes.set(service.name, { name: service.name, service, lasting, operations: [], depth: 1 });
  }
  for (const [, , service, operation, , , , , , , cpu] of run.calls) addOperation(boxes.get(service), operation, cpu);
  for (let round = 0; round < boxes.size; round++) {
    for (const [caller, , service] of run.calls) {
      const deeper = boxes.get(caller).depth + 1;
      if (caller !== service && deeper <= boxes.size) boxes.get(service).depth = Math.max(boxes.get(service).depth, deeper);
    }
  }
  addBypasses(boxes, run.calls);
  stackBoxes([...boxes.values()], run.calls, boxes);
  return boxes;
}

/** A place in each column that calls between two services pass, so that no line runs behind a box. */
function addBypasses(boxes, calls) {
  for (const [caller, , service] of calls) {
    const from = boxes.get(caller), to = boxes.get(service);
    for (let depth = from.depth + 1; depth < to.depth; depth++) {
      const name = bypassName(caller, service, depth);
      if (!boxes.has(name)) boxes.set(name, { name, from, depth, operations: [] });
    }
  }
}

function bypassName(caller, service, depth) {
  return `${caller}\n${service}\n${depth}`;
}

/** The mean time at the CPU is that over all callers' edges, the slowest of them. */
function addOperation(box, name, cpu) {
  const known = box.operations.find((each) => each.name === name);
  if (known) known.cpu = Math.max(known.cpu, cpu);
  else box.operations.push({ name, cpu });
}

function stackBoxes(all, calls, boxes) {
  const columns = [...new Set(all.map((box) => box.depth))].sort((a, b) => a - b);
  columns.forEach((depth, column) => {
    const stack = all.filter((box) => box.depth === depth);
    const callers = (box) => (box.from ? [box.from] : calls.filter((call) => call[2] === box.name).map((call) => boxes.get(call[0])));
    const place = (box) => mean(callers(box).map((caller) => caller.y + caller.height || 0));
    stack.sort((a, b) => place(a) - place(b));
    let y = 8;
    for (const box of stack) {
      box.height = boxHeight(box);
      Object.assign(box, { x: 4 + column * (BOX.width + BOX.gapX) - (column ? BOX.width - BOX.users : 0), y });
      y += box.height + BOX.gapY;
    }
  });
  const tallest = Math.max(...columns.map((depth) => bottomOf(all, depth)));
  for (const depth of columns) {
    const shift = (tallest - bottomOf(all, depth)) / 2;
    for (const box of all) if (box.depth === depth) box.y += shift;
  }
}

function boxHeight(box) {
  if (box.from) return BOX.bypass;
  return box.name ? BOX.head + BOX.row * box.operations.length + 6 : 34;
}

function bottomOf(all, depth) {
  return Math.max(...all.filter((box) => box.depth === depth).map((box) => box.y + box.height));
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}

function drawBox(box, slowest) {
  const width = box.name ? BOX.width : BOX.users;
  const group = svg("g", { class: box.lasting ? "service overloaded" : "service", transform: `translate(${box.x} ${box.y})` });
  group.append(svg("rect", { class: "box", width, height: box.height, rx: 8 }));
  if (!box.name) {
    group.append(svg("text", { class: "title", x: width / 2, y: 22, "text-anchor": "middle" }, "users"));
    return group;
  }
  const { pods, utilization } = box.service;
  const facts = `${number(pods)} ${pods === 1 ? "pod" : "pods"} · CPU ${percent(utilization, 0)} of requests`;
  group.append(svg("text", { class: "title", x: 10, y: 18 }, shortName(box.name, 28)), svg("text", { class: "fact", x: 10, y: 33 }, facts));
  box.operations.forEach(({ name, cpu }, i) => {
    const y = BOX.head + BOX.row * i;
    group.append(svg("line", { class: "rule", x1: 1, x2: BOX.width - 1, y1: y, y2: y }));
    group.append(svg("rect", { class: "bar", x: 1, y: y + 1, width: Math.max(0, (BOX.width - 2) * (cpu / slowest)), height: BOX.row - 2 }));
    group.append(svg("text", { x: 10, y: y + 15 }, shortName(name, 20)));
    group.append(svg("text", { class: "time", x: BOX.width - 8, y: y + 15, "text-anchor": "end" }, duration(cpu)));
  });
  return group;
}

function shortName(name, most) {
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function drawEdges(run, boxes, most) {
  const taken = [], labels = [];
  const lines = run.calls.map((call) => {
    const [, , , , succeeded, failed] = call;
    const curves = curvesOf(call, boxes);
    const label = succeeded ? `${duration(call[11])} · ${duration(call[13])}` : "all failed";
    const tips = {
      onpointermove: (event) => tooltip.show(edgeFacts(call), event.clientX, event.clientY),
      onpointerleave: () => tooltip.hide(), onblur: () => tooltip.hide(),
    };
    const group = svg("g", { class: failed ? "edge failing" : "edge", tabindex: 0, role: "img", "aria-label": `${edgeName(call)}: ${label}`, ...tips, onfocus: () => tellBeside(group, edgeFacts(call)) });
    const share = (succeeded + failed) / most;
    const d = curves.map(([a, b, c, e], i) => `${i ? "L" : "M"}${a.x} ${a.y}C${b.x} ${b.y} ${c.x} ${c.y} ${e.x} ${e.y}`).join("");
    group.append(svg("path", { d, "stroke-width": (1 + 5 * Math.sqrt(share)).toFixed(1) }));
    labels.push(svg("text", { class: "label", ...labelPlace(curves, label, taken), "text-anchor": "middle", ...tips }, label));
    return group;
  });
  return [...lines, ...labels]; // no line runs over a label
}

/** The curves from gap to gap between columns; inside a column a line is straight. */
function curvesOf([caller, from, service, to], boxes) {
  const first = boxes.get(caller), last = boxes.get(service);
  const stops = [anchor(first, from, true)];
  for (let depth = first.depth + 1; depth < last.depth; depth++) {
    const { x, y } = boxes.get(bypassName(caller, service, depth));
    stops.push({ x, y: y + BOX.bypass / 2 }, { x: x + BOX.width, y: y + BOX.bypass / 2 });
  }
  stops.push(anchor(last, to, false));
  const curves = [];
  for (let i = 0; i < stops.length; i += 2) {
    const start = stops[i], end = stops[i + 1], bend = Math.max(40, Math.abs(end.x - start.x) / 2);
    curves.push([start, { x: start.x + bend, y: start.y }, { x: end.x - bend, y: end.y }, end]);
  }
  return curves;
}

/** A place on the line where the label covers no earlier one, if there is any. */
function labelPlace(curves, label, taken) {
  const half = label.length * 3.1;
  const places = [...curves].reverse().flatMap((curve) => [0.5, 0.62, 0.38, 0.75, 0.25].map((t) => pointOn(curve, t)));
  const overlaps = ({ x, y }) => taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 14);
  const place = places.find((each) => !overlaps(each)) ?? places[0];
  taken.push({ ...place, half });
  return { x: place.x.toFixed(1), y: (place.y - 5).toFixed(1) };
}

function pointOn([a, b, c, d], t) {
  const along = (axis) => a[axis] * (1 - t) ** 3 + 3 * b[axis] * t * (1 - t) ** 2 + 3 * c[axis] * t * t * (1 - t) + d[axis] * t ** 3;
  return { x: along("x"), y: along("y") };
}

function anchor(box, operation, leaves) {
  if (!box.name) return { x: box.x + BOX.users, y: box.y + box.height / 2 };
  const index = Math.max(0, box.operations.findIndex((each) => each.name === operation));
  return { x: box.x + (leaves ? BOX.width : 0), y: box.y + BOX.head + BOX.row * (index + 0.5) };
}

/** The calls as rows of a table, a heading first; times in seconds. */
function callRows({ calls }) {
  const heads = ["caller_service", "caller_operation", "service", "operation", "succeeded", "failed", "failures", "mean_s", "messages_s", "calls_s",
    "cpu_s", "p50_s", "p95_s", "p99_s", "p999_s", "max_s"];
  return [heads, ...calls];
}

function edgeName([caller, from, service, to]) {
  return `${caller ? `${caller}.${from}` : "users"} → ${service}.${to}`;
}

function edgeFacts(call) {
  const [, , , , succeeded, failed, failures, average, messages, calls, cpu, p50, p95, p99, p999, longest] = call;
  const rows = [["Calls", number(succeeded + failed, 9)]];
  if (failed) rows.push(["Failed", failures.replaceAll(";", ", ").replaceAll("=", " ")]);
  rows.push(["Mean", duration(average)], ["– under way", duration(messages)], ["– waits for its calls", duration(calls)]);
  rows.push(["– CPU", duration(cpu)], ["Median", duration(p50)], ["p95", duration(p95)], ["p99", duration(p99)]);
  rows.push(["p99.9", duration(p999)], ["Longest", duration(longest)]);
  return [el("b", {}, edgeName(call)), terms(rows)];
}
