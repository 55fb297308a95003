// What the colours of the Gantt chart stand for.

const OTHERS = COLOURS - 1; // the class of all groups after the most frequent ones

/** The ways in which a run's pods can be coloured, by key: {label, names, of} with the class of a pod, or {label, ramp} with a share 0..1. */
function colourings(model) {
  const { pods } = model, found = new Map();
  const add = (key, label, codes, names) => { if (names.length > 1) found.set(key, { label, ...classes(codes, names) }); };
  add("group", "Name", pods.group, pods.groups);
  const [spaces, space] = coded(pods.names.map((name) => name.slice(0, name.indexOf("/"))));
  add("namespace", "Namespace", space, spaces);
  add("priority", "Priority", pods.priority, pods.priorities);
  if (pods.jobs.length > 1) found.set("job", { label: "Job", names: null, of: (pod) => pods.job[pod] % COLOURS });
  else found.set("pod", { label: "Pod", names: null, of: (pod) => pod % COLOURS });
  found.set("wait", { label: "Waiting time", ...waitRamp(model) });
  return found;
}

/** Classes of the most frequent values; all others share the last one if there are too many. */
function classes(codes, names) {
  const count = new Uint32Array(names.length);
  for (const code of codes) count[code]++;
  const order = Array.from(names.keys()).sort((a, b) => count[b] - count[a] || a - b);
  const place = new Uint8Array(names.length).fill(OTHERS);
  const own = names.length > COLOURS ? OTHERS : names.length;
  order.slice(0, own).forEach((code, k) => { place[code] = k; });
  const shown = order.slice(0, own).map((code) => names[code]);
  return { names: own < names.length ? [...shown, `${names.length - own} others`] : shown, of: (pod) => place[codes[pod]] };
}

function coded(values) {
  const places = new Map();
  const codes = Uint32Array.from(values, (value) => {
    if (!places.has(value)) places.set(value, places.size);
    return places.get(value);
  });
  return [[...places.keys()], codes];
}

/** Waiting times on a logarithmic scale, from a second to the longest. */
function waitRamp({ pods, fates, tick, end }) {
  const wait = (pod) => {
    const started = fates.scheduled[pod] === NEVER || fates.started[pod] === NEVER ? end : (fates.scheduled[pod] + fates.started[pod]) * tick;
    return Math.max(0, started - pods.submitted[pod] * tick);
  };
  let longest = 0;
  for (let pod = 0; pod < pods.submitted.length; pod++) longest = Math.max(longest, wait(pod));
  const scale = Math.log1p(longest) || 1;
  return { longest, ramp: (pod) => Math.log1p(wait(pod)) / scale };
}

/** What the colours stand for, as elements. */
function colourKey(colouring) {
  if (colouring.ramp && !colouring.longest) return [el("span", {}, "No pod waited.")];
  if (colouring.ramp) {
    return [el("span", {}, "Waiting time: 0 s"), el("span", { class: "ramp", "aria-hidden": "true" }), el("span", {}, `${duration(colouring.longest)} (logarithmic).`)];
  }
  if (!colouring.names) return [el("span", {}, colouring.label === "Job" ? "Colours distinguish jobs and repeat." : "Colours distinguish neighbouring pods.")];
  return colouring.names.map((name, k) => el("span", { class: "field" }, el("span", { class: `swatch b${k}`, "aria-hidden": "true" }), name));
}

/**
 * The mean number of pending pods in each of `columns` bins of the time from t0 to t1, by class of colour (row by row). A pod is
 * pending from its submission until it is bound, or until it goes or the run ends.
 */
function pendingCounts({ pods, fates, tick, end }, colouring, t0, t1, columns) {
  const classesOf = colouring.ramp ? () => 0 : colouring.of;
  const width = (t1 - t0) / columns, counts = new Float64Array(COLOURS * columns);
  const level = Array.from({ length: COLOURS }, () => new Float64Array(columns + 2)), offset = level.map((row) => row.slice());
  const add = (kind, time, sign) => {
    const edge = Math.min(columns + 1, Math.max(0, Math.ceil((time - t0) / width)));
    level[kind][edge] += sign;
    offset[kind][edge] += sign * (time - t0);
  };
  for (let pod = 0; pod < pods.submitted.length; pod++) {
    const from = pods.submitted[pod] * tick, to = pendingUntil(fates, pod, from, tick, end);
    if (to <= from || from >= t1 || to <= t0) continue;
    add(classesOf(pod), from, 1);
    add(classesOf(pod), to, -1);
  }
  for (let kind = 0; kind < COLOURS; kind++) writeShares(counts, kind * columns, columns, level[kind], offset[kind], width, width, Infinity);
  return counts;
}

function pendingUntil({ scheduled, finished }, pod, from, tick, end) {
  if (scheduled[pod] !== NEVER) return scheduled[pod] * tick;
  return finished[pod] === NEVER ? end : from + finished[pod] * tick; // of a pod that was never bound: since its submission
}
