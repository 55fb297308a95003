// The section of the Gantt chart: its controls, its key, and what of it is in the URL's hash.

function heatKey(model, view, group) {
  const nodes = group > 1 ? ` (each row: ${group} nodes)` : "", ramp = el("span", { class: "ramp", "aria-hidden": "true" });
  const rest = model.heat ? "100 %." : "100 %. Zoom in to see pods.";
  const pending = model.pods ? [el("span", {}, "Pending pods:"), ...colourKey(model.colourings.get(view.colour))] : [];
  return [el("span", {}, `Share of CPU requested${nodes}: 0 %`), ramp, el("span", {}, rest), ...pending];
}

function barKey(model, { mode, colour }) {
  const above = model.stack.extent > 1 + 1e-3 ? ` A full row is ${percent(model.stack.extent, 0)} of a node: some pods need most of its CPU, others most of its memory.` : "";
  const height = mode === "lanes" ? "Overlapping pods are drawn in lanes." : `Height: the larger of a pod’s shares of its node’s CPU and memory.${above}`;
  return [...colourKey(model.colourings.get(colour)), el("span", {}, `Pale: scheduled, not yet started. Marked ends: failed. ${height}`)];
}

/** Shares of CPU as rows of a table, a heading first. */
function heatRows({ heat, nodes, end }) {
  const rows = Array.from(heat.values, (value, cell) =>
    [nodes.names[Math.floor(cell / heat.columns) * heat.nodesPerRow], ((cell % heat.columns) * end) / heat.columns, value / 255]);
  return [["first_node", "time_s", "cpu_share"], ...rows];
}

async function startGantt() {
  const { runs } = DATA.gantt;
  if (!runs.length) return;
  const view = new GanttView(), host = byId("gantt-controls");
  const indexOf = (scheduler, seed) => runs.findIndex((run) => run.scheduler === scheduler && String(run.seed) === String(seed));
  const state = { scheduler: runs[0].scheduler, seed: String(runs[0].seed) };
  const seeds = [...new Set(runs.map(({ seed }) => seed))], names = [...new Set(runs.map(({ scheduler }) => scheduler))];
  const redraw = async () => {
    const found = indexOf(state.scheduler, state.seed), index = found < 0 ? runs.findIndex((run) => run.scheduler === state.scheduler) : found;
    state.seed = String(runs[index].seed);
    sharedView.set("run", index === 0 ? null : `${state.scheduler}/${state.seed}`);
    view.show(await ganttModel(index));
    showGanttControls(view, controls, state);
  };
  const controls = {
    scheduler: dropDown("Scheduler", names.map((name) => [name, name]), (value) => { state.scheduler = value; redraw(); }),
    seed: dropDown("Seed", seeds.map((seed) => [seed, String(seed)]), (value) => { state.seed = value; redraw(); }),
    colour: dropDown("Colour", [], (value) => { view.colour = value; sharedView.set("colour", value); view.draw(); }),
    rows: choice("Rows", [["size", "By size"], ["lanes", "Lanes"]], "size", (value) => { view.mode = value; sharedView.set("rows", value === "size" ? null : value); view.draw(); }),
  };
  controls.scheduler.hidden = names.length < 2;
  controls.seed.hidden = seeds.length < 2;
  host.append(controls.scheduler, controls.seed, controls.colour, controls.rows, searchField(view), ...zoomButtons(view));
  onTheme(() => view.draw());
  const apply = () => readGanttView(view, state, redraw);
  sharedView.listeners.push(() => {
    if (sharedView.get("pod")) byId("gantt").scrollIntoView(); // a link of the page leads to a pod
    return apply();
  });
  await apply();
}

/** Takes over what the URL's hash says of the chart. */
async function readGanttView(view, state, redraw) {
  const [, scheduler, seed] = /^(.*)\/([^/]*)$/.exec(sharedView.get("run") ?? "") ?? [];
  if (DATA.gantt.runs.some((run) => run.scheduler === scheduler)) Object.assign(state, { scheduler, seed });
  view.mode = sharedView.get("rows") === "lanes" ? "lanes" : "size";
  view.colour = sharedView.get("colour") ?? null;
  const pod = sharedView.get("pod"), rows = (sharedView.get("nodes") ?? "").split("..").map(Number);
  view.rows = null;
  await redraw();
  if (rows.length === 2 && rows.every(Number.isFinite) && rows[0] < rows[1] && rows[1] <= view.nodes) view.rows = rows;
  const bar = pod && view.model.bars ? findBar(view.model, pod, -1) : -1;
  if (bar >= 0 && !sharedView.get("t") && !view.rows) view.centre(bar);
  if (bar >= 0) view.choose(bar);
  else view.draw();
}

/** Shows the run and the ways of drawing that the chart has, and hides what it has not. */
function showGanttControls(view, controls, { scheduler, seed }) {
  const { model } = view, colour = controls.colour.querySelector("select");
  controls.scheduler.querySelector("select").value = scheduler;
  controls.seed.querySelector("select").value = seed;
  colour.replaceChildren(...[...model.colourings].map(([key, { label }]) => el("option", { value: key }, label)));
  colour.value = view.view.colour ?? "";
  controls.colour.hidden = controls.rows.hidden = Boolean(model.heat);
  for (const input of controls.rows.querySelectorAll("input")) input.checked = input.value === view.mode;
  noteGantt(model);
}

function noteGantt({ heat, fates, bars }) {
  const note = byId("gantt-note"), unplaced = fates ? fates.scheduled.length - bars.pod.length : 0;
  const lines = [];
  if (heat) lines.push("To keep the page small, it contains this run as a heat map only; pods.csv of the run has every pod.");
  if (unplaced) lines.push(`${number(unplaced, 9)} pods were never placed on a node: they are in the lane of pending pods only.`);
  if (DATA.gantt.left) lines.push(`${number(DATA.gantt.left, 9)} more runs are not in the page.`);
  note.hidden = !lines.length;
  note.textContent = lines.join(" ");
}

function searchField(view) {
  const answer = el("span", { class: "quiet", role: "status" });
  const input = el("input", { type: "search", placeholder: "name, then Enter", size: 18 });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !input.value.trim()) return;
    answer.textContent = view.find(input.value) ? "" : "no such pod in this chart";
  });
  return el("label", { class: "field" }, el("span", {}, "Find a pod"), input, answer);
}

function zoomButtons(view) {
  const button = (text, label, onclick) => el("button", { type: "button", "aria-label": label, onclick }, text);
  return [el("div", { class: "buttons", role: "group", "aria-label": "Zoom" },
    button("+", "Zoom in", () => view.zoom(1.5)), button("−", "Zoom out", () => view.zoom(1 / 1.5)), el("button", { type: "button", title: "Show everything", onclick: () => view.reset() }, "Reset"))];
}
