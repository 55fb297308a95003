// Capacity against demand and the timeline of nodes; only in reports of runs with node groups or prices.

const CAPACITY_COLUMNS = 12;
const RESOURCES = { cpu: [1, 1000, "CPU", "cores"], memory: [4, 2 ** 30, "Memory", "GiB"] };
const CAPACITY_LINES = ["Allocatable", "Requested by pods on nodes", "Requested, with pending pods"];
const PRICE_LINES = [["All nodes", 9], ["Idle", 10]];
const GROUP_HEADS = ["Group", "Mean nodes", "Most", "Node-hours", "Ordered", "Never booted", "Mean boot", "Removed", "Flaps", "Interruptions",
  "Price per hour", "Cost", "Idle cost"];
const NAMESPACE_HEADS = ["Namespace", "Pods", "Finished pods", "Cost", "Per finished pod"];

function startNodes() {
  const state = { run: sharedView.index("nodes-run", DATA.nodes.length), resource: "cpu" };
  const load = once((run) => unpackFloats(DATA.nodes[run].capacity, CAPACITY_COLUMNS));
  const options = {
    xTitle: "time", formatX: instant, formatY: (value) => number(value), formatTick: (value) => number(value),
    yTicks: (high) => linearTicks(0, high, 4),
  };
  const charts = {
    capacity: new LineChart(byId("capacity"), { ...options }),
    price: new LineChart(byId("price"), { ...options, label: "Price of the nodes over time" }),
    machines: new MachineChart(byId("machines")),
  };
  const redraw = async () => showNodes(state, DATA.nodes[state.run], await load(state.run), charts);
  nodeControls(state, redraw);
  nodeKey("capacity-key", CAPACITY_LINES);
  nodeKey("price-key", PRICE_LINES.map(([name]) => name));
  return redraw();
}

function nodeControls(state, redraw) {
  const host = byId("nodes-controls");
  const runs = DATA.nodes.map(({ scheduler, seed }) => `${scheduler}, seed ${seed}`);
  if (runs.length > 1) host.append(keptDropDown("nodes-run", "Run", runs, (value) => { state.run = value; redraw(); }));
  host.append(choice("Resource", [["cpu", "CPU"], ["memory", "Memory"]], "cpu", (value) => { state.resource = value; redraw(); }));
}

/** Says which line is which. */
function nodeKey(id, names) {
  byId(id).replaceChildren(...names.map((name, i) => el("span", { class: "field" }, sample(i), name)));
}

function showNodes(state, run, columns, charts) {
  const [first, unit, resource, unitName] = RESOURCES[state.resource];
  const x = columns[0], end = 2 * x[x.length - 1] - (x[x.length - 2] ?? 0);
  const [having, bound, pending] = [0, 1, 2].map((k) => Array.from(columns[first + k], (value) => value / unit));
  const asked = bound.map((value, i) => value + pending[i]);
  const lines = [having, bound, asked].map((y, index) => ({ name: CAPACITY_LINES[index], index, x, y, end }));
  byId("capacity-caption").textContent = `${resource}: capacity against demand, in ${unitName}`;
  charts.capacity.show(lines, { yHigh: nodePeak(lines) * 1.05 || 1, label: `${resource} of the nodes and of pods over time` });
  const prices = PRICE_LINES.map(([name, column], index) => ({ name, index, x, y: columns[column], end }));
  byId("price-figure").hidden = nodePeak(prices) === 0;
  charts.price.show(prices, { yHigh: nodePeak(prices) * 1.05 || 1 });
  charts.machines.show(run, end);
  showNodeTables(run);
}

function nodePeak(lines) {
  return lines.reduce((most, line) => line.y.reduce((a, b) => Math.max(a, b), most), 0);
}

function showNodeTables(run) {
  const note = byId("machines-note");
  note.hidden = !run.left;
  note.textContent = `${number(run.left)} more machines are in node_timeline.csv.`;
  const groups = run.groups.map(([name, ...values]) => [name || "other nodes", ...values.map((value, i) => (i === 5 ? duration : amount)(value ?? NaN))]);
  byId("groups-table").replaceChildren(numberTable(GROUP_HEADS, groups));
  const namespaces = run.namespaces.map(([name, ...values]) => [name, ...values.map((value) => amount(value ?? NaN))]);
  byId("namespaces-table").replaceChildren(...(namespaces.length ? [numberTable(NAMESPACE_HEADS, namespaces)] : []));
}

/** A number with three digits however small it is. */
function amount(value) {
  return Math.abs(value) < 1 && value !== 0 ? String(Number(value.toPrecision(3))) : number(value);
}

/** A table of which only columns with a value are shown. */
function numberTable(heads, rows) {
  const shown = heads.map((_, i) => i).filter((i) => i === 0 || rows.some((row) => row[i] !== DASH));
  const cells = (tag, row) => shown.map((i) => el(i === 0 ? "th" : tag, {}, row[i]));
  return el("table", { class: "numbers" }, el("thead", {}, el("tr", {}, ...cells("th", heads))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))));
}

/** One bar per machine: booting, a node, and after the notice of an interruption. */
class MachineChart extends AxisChart {
  constructor(host) {
    super(host, timeAxis);
    host.classList.add("machines");
  }

  show(run, end) {
    Object.assign(this, { run, end });
    this.draw();
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width || !this.run) return;
    const { machines, groups } = this.run;
    this.bar = Math.min(14, Math.max(1, 640 / Math.max(1, machines.length)));
    const left = Math.min(width / 4, Math.max(MARGIN.left, ...groups.map(([name]) => 14 + 7 * (name || "other nodes").length)));
    const bottom = Math.round(6 + machines.length * this.bar + 8 * groups.length);
    this.begin(width, bottom + MARGIN.bottom, { left, right: width - MARGIN.right, top: 4, bottom }, "Machines over time");
    this.x = this.axisScale(this.end);
    this.drawGroups();
    this.picture.append(this.drawTimes());
    this.finish();
    this.drawKey();
  }

  /** Draws the machines group by group; each group has its name at the left. */
  drawGroups() {
    const { machines, groups } = this.run, { left, right } = this.plot;
    let y = 6, at = 0;
    this.tops = [];
    groups.forEach(([name], index) => {
      const begin = y;
      for (; at < machines.length && machines[at][1] === index; at++, y += this.bar) {
        this.tops.push(y);
        this.picture.append(this.drawMachine(machines[at], y));
      }
      const text = svg("text", { class: "group", x: left - 10, y: (begin + y) / 2 + 4, "text-anchor": "end" }, name || "other nodes");
      this.picture.append(text, svg("line", { class: "between", x1: left, x2: right, y1: y + 3, y2: y + 3 }));
      y += 8;
    });
  }

  drawMachine([, group, ordered, node, notice, , gone], y) {
    const height = Math.max(0.8, this.bar - (this.bar > 4 ? 2 : 0)), end = gone ?? this.end;
    const place = (time) => this.x(Math.min(Math.max(time, this.x.low), this.x.high)); // machines reach over the ends of what is seen
    const rect = (kind, from, to) => svg("rect", { class: kind, x: place(from), y, width: from > this.x.high || to < this.x.low ? 0 : Math.max(0.5, place(to) - place(from)), height });
    const drawn = svg("g", { class: `machine ${look(group).colour}` });
    drawn.append(rect(node === null && gone !== null ? "failed" : "booting", ordered, node ?? end));
    if (node !== null) drawn.append(rect("life", node, notice ?? end));
    if (notice !== null) drawn.append(rect("leaving", notice, end));
    if (notice !== null && notice >= this.x.low && notice <= this.x.high) {
      drawn.append(svg("path", { class: "interruption", d: markerPath(4, this.x(notice), y + height / 2, Math.min(5, Math.max(3, this.bar / 2))) }));
    }
    return drawn;
  }

  /** The machines as rows of a table, a heading first; times in seconds. */
  rows() {
    const rows = this.run.machines.map(([name, group, ordered, node, notice, , gone]) =>
      [name, this.run.groups[group][0], ordered, ...[node, notice, gone].map((time) => time ?? NaN)]);
    return [["machine", "group", "ordered_s", "node_s", "notice_s", "gone_s"], ...rows];
  }

  drawKey() {
    const keys = this.run.groups.map(([name], i) => el("span", { class: `field ${look(i).colour}` }, el("i", { class: "swatch" }), name || "other nodes"));
    const booting = el("span", { class: "field s0" }, el("i", { class: "swatch booting" }), "booting");
    const notice = el("span", { class: "field" }, el("i", { class: "swatch interruption" }), "notice of an interruption");
    const interrupted = this.run.machines.some((machine) => machine[4] !== null);
    byId("machines-key").replaceChildren(...keys, booting, ...(interrupted ? [notice] : []));
  }

  /** The machine below the pointer, or how many machines each group has. */
  tell(at, y) {
    const index = y === null ? -1 : this.tops.findIndex((top) => y >= top && y < top + this.bar);
    if (y !== null) return index < 0 || !this.exists(this.run.machines[index], at) ? null : this.tellMachine(this.run.machines[index]);
    const count = (group) => this.run.machines.filter((machine) => machine[1] === group && this.exists(machine, at)).length;
    return [el("b", {}, instant(at)), terms(this.run.groups.map(([name], group) => [name || "other nodes", `${number(count(group))} machines`]))];
  }

  exists([, , ordered, , , , gone], at) {
    return at >= ordered && at <= (gone ?? Infinity);
  }

  tellMachine([name, , ordered, node, notice, removal, gone, price, cost]) {
    const rows = [["Ordered", ordered], ["Node", node], ["Notice", notice], ["Removal", removal], ["Gone", gone]];
    const known = rows.filter(([, value]) => value !== null).map(([term, value]) => [term, instant(value)]);
    const money = price === null ? [] : [["Cost", `${amount(cost)} (${amount(price)} per hour)`]];
    return [el("b", {}, name), terms([...known, ...money])];
  }
}

startNodes();
