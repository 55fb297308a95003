// Numbers, times and ticks as text.

const DASH = "–";

/** The unit in which a span of seconds reads well on an axis. */
function timeUnit(span) {
  if (span <= 300) return { name: "s", seconds: 1 };
  if (span <= 3 * 3600) return { name: "min", seconds: 60 };
  if (span <= 4 * 86400) return { name: "h", seconds: 3600 };
  return { name: "d", seconds: 86400 };
}

/** A number with about `digits` significant digits, thousands separated. */
function number(value, digits = 4) {
  if (!Number.isFinite(value)) return DASH;
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, digits - whole) });
}

/** Seconds in the two greatest units that matter: "840 ms", "12.3 s", "4 min 5 s", "3 h 12 min". */
function duration(seconds) {
  if (!Number.isFinite(seconds)) return DASH;
  if (seconds === 0) return "0 s";
  if (Math.abs(seconds) < 1) return `${number(seconds * 1000, 3)} ms`;
  if (seconds < 120) return `${number(seconds)} s`;
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[first];
  const [smaller, smallerName] = units[Math.min(first + 1, 3)];
  const rounded = Math.round(seconds / smaller) * smaller, rest = Math.round((rounded % size) / smaller);
  const whole = `${number(Math.floor(rounded / size), 9)} ${name}`;
  return rest ? `${whole} ${rest} ${smallerName}` : whole;
}

/** An instant of the run to the millisecond, with its human form behind when that differs. */
function instant(seconds) {
  if (!Number.isFinite(seconds)) return DASH;
  const exact = `${seconds.toLocaleString("en-US", { maximumFractionDigits: 3 })} s`;
  return seconds < 120 ? exact : `${exact} (${duration(seconds)})`;
}

function percent(share, decimals = 1) {
  return Number.isFinite(share) ? `${(share * 100).toFixed(decimals)} %` : DASH;
}

/** Round values from low to high, about `count` of them. */
function linearTicks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999);
  return multiples(low, high, step);
}

/** Ticks on a time axis: round in its unit, and given back in seconds with their labels. */
function timeTicks(low, high, count, unit) {
  const hours = unit.name === "h" ? [0.5, 1, 2, 3, 6, 12, 24] : null;
  const wanted = (high - low) / unit.seconds / Math.max(1, count);
  const step = hours?.find((candidate) => candidate >= wanted);
  const values = step && wanted > 0.25
    ? multiples(low / unit.seconds, high / unit.seconds, step)
    : linearTicks(low / unit.seconds, high / unit.seconds, count);
  const digits = values.length > 1 ? Math.max(0, -Math.floor(Math.log10(values[1] - values[0]) + 1e-9)) : 2;
  const text = (value) => value.toLocaleString("en-US", { maximumFractionDigits: digits });
  return values.map((value) => ({ at: value * unit.seconds, text: text(value) }));
}

function multiples(low, high, step) {
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => (first + k) * step || 0); // never −0
}

/** Powers of ten from low to high seconds with their labels; over few of them also twice and five times each. */
function logTicks(low, high) {
  const factors = high / low < 1e4 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const factor of factors) ticks.push(factor * 10 ** power);
  }
  return ticks.filter((at) => at > low * 0.999 && at < high * 1.001).map((at) => ({ at, text: logLabel(at) }));
}

function logLabel(seconds) {
  if (seconds < 0.000999) return `${number(seconds * 1e6)} µs`;
  return seconds < 0.999 ? `${number(seconds * 1e3)} ms` : `${number(seconds)} s`;
}
