// Load, replicas and capacity of autoscalers over time; only in reports of runs with autoscalers.

const HPA_LINES = [["Replicas asked for", 2], ["Load, in pods at the target", 1], ["Running pods", 3]];
const HPA_USE = [["Use", 4], ["Target", 5]];

function startAutoscaling() {
  const state = { run: sharedView.index("autoscaling-run", DATA.autoscaling.length), hpa: sharedView.index("hpa", DATA.autoscaling[0].hpas.length) };
  const count = (value) => number(value);
  const options = { xTitle: "time", formatX: instant, formatY: count, formatTick: shortCount };
  const pods = new LineChart(byId("autoscaling-pods"), { ...options, yTicks: wholeTicks });
  const use = new LineChart(byId("autoscaling-use"), { ...options, yTicks: (high) => linearTicks(0, high, 4), formatTick: count });
  const redraw = () => showAutoscaling(state, pods, use);
  autoscalingControls(state, redraw);
  key("autoscaling-pods-key", HPA_LINES);
  key("autoscaling-use-key", HPA_USE);
  redraw();
}

function autoscalingControls(state, redraw) {
  const host = byId("autoscaling-controls");
  const pick = (key) => (value) => { state[key] = value; redraw(); };
  const runs = DATA.autoscaling.map(({ scheduler, seed }) => `${scheduler}, seed ${seed}`);
  if (runs.length > 1) host.append(keptDropDown("autoscaling-run", "Run", runs, pick("run")));
  const names = DATA.autoscaling[0].hpas.map(({ name }) => name);
  if (names.length > 1) host.append(keptDropDown("hpa", "HPA", names, pick("hpa")));
}

/** Says which line is which. */
function key(id, lines) {
  byId(id).replaceChildren(...lines.map(([name], i) => el("span", { class: "field" }, sample(i), name)));
}

function showAutoscaling(state, pods, use) {
  const { end, hpas } = DATA.autoscaling[state.run];
  const hpa = hpas[Math.min(state.hpa, hpas.length - 1)];
  const x = hpa.columns[0];
  const line = ([name, column], index) => ({ name, index, x, y: hpa.columns[column].map((value) => value ?? NaN), end });
  const lines = HPA_LINES.map(line), uses = HPA_USE.map(line);
  byId("autoscaling-caption").textContent = `${hpa.scales} under ${hpa.name}: ${hpa.least} to ${hpa.most} replicas`;
  pods.show(lines, { yHigh: Math.max(1, peak(lines)) * 1.05, label: `Load and pods of ${hpa.scales} over time` });
  byId("autoscaling-use-caption").textContent = `${hpa.metric || "Metric"}: use and target, as the HPA saw them`;
  use.show(uses, { yHigh: (peak(uses) || 1) * 1.05, label: `Use and target of ${hpa.metric} over time` });
  byId("autoscaling-figures").replaceChildren(autoscalingFigures(hpa.figures));
}

function peak(lines) {
  return Math.max(0, ...lines.flatMap((line) => line.y.filter(Number.isFinite)));
}

function autoscalingFigures([hours, missing, above, rescales, moved, largest, turns]) {
  return terms([
    ["Pod-hours", number(hours)],
    ["Missing pod-hours", number(missing)],
    ["Time above target", duration(above)],
    ["Rescales", `${number(rescales)} (${number(moved)} replicas in all, ${number(largest)} at most)`],
    ["Direction changes", number(turns)],
  ]);
}

startAutoscaling();
