// What is seen: the time axis that all charts over time share, and the view in the URL's hash.

const namedAxes = [];

/** The part of an axis that charts show, and the point that their cursors mark. With a name, that part is in the URL's hash. */
class Axis {
  constructor(end = 0, name = null) {
    Object.assign(this, { end, name, range: null, cursor: null, zoomed: [], pointed: [] });
    if (name) namedAxes.push(this);
    if (name) this.read();
  }

  /** Shows the part that the URL's hash names; everything if it names none. */
  read() {
    const range = (sharedView.get(this.name) ?? "").split("..").map(Number);
    this.zoom(...(range.length === 2 && range.every(Number.isFinite) && range[0] < range[1] ? range : []));
  }

  /** Shows a part of the axis, at least a millionth of it; everything without one. */
  zoom(low = null, high = null) {
    const least = (this.end || Math.abs(high) || 1) / 1e6;
    const all = low === null || (this.end && low <= 0 && high >= this.end);
    this.range = all ? null : this.within(low, Math.max(high, low + least));
    if (this.name) sharedView.set(this.name, this.range?.map((value) => Number(value.toPrecision(9))).join("..") ?? null);
    for (const draw of this.zoomed) draw();
  }

  /** Pushes a part back inside the axis. */
  within(low, high) {
    if (!this.end) return [low, high];
    const size = Math.min(high - low, this.end), start = Math.min(Math.max(low, 0), this.end - size);
    return [start, start + size];
  }

  /** Marks a point in all charts of the axis; null for none. */
  point(at) {
    this.cursor = at;
    for (const mark of this.pointed) mark(at);
  }
}

/** The view in the URL's hash, as name=value pairs: a link to it shows the same view again. */
const sharedView = {
  pairs: readHash(),
  listeners: [],
  get(name) {
    return this.pairs.get(name);
  },
  /** A number from 0 to below `count`; 0 if the hash has none. */
  index(name, count) {
    const value = Number(this.get(name) ?? 0);
    return Number.isInteger(value) && value >= 0 && value < count ? value : 0;
  },
  /** Keeps a value; null forgets it. */
  set(name, value) {
    if (value === null) this.pairs.delete(name);
    else this.pairs.set(name, String(value));
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      try {
        history.replaceState(null, "", this.pairs.size ? `#${this.pairs}` : location.pathname + location.search);
      } catch {
        // Some browsers refuse this for files, or if it happens too often: the view is then not in the URL.
      }
    });
  },
};

/** Reads the hash; a plain one (#gantt) leads to a section and is no view. */
function readHash() {
  return new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
}

const timeAxis = new Axis(DATA.end, "t");

addEventListener("hashchange", () => {
  sharedView.pairs = readHash();
  for (const axis of namedAxes) axis.read();
  for (const apply of sharedView.listeners) apply();
});

/** A drop-down of numbered texts whose choice is in the URL's hash; `pick` is called with the number, also if the hash changes. */
function keptDropDown(name, label, texts, pick) {
  const field = dropDown(label, texts.map((text, i) => [i, text]), (value) => { sharedView.set(name, value === "0" ? null : value); pick(Number(value)); });
  const select = field.querySelector("select");
  select.value = sharedView.index(name, texts.length);
  sharedView.listeners.push(() => { select.value = sharedView.index(name, texts.length); pick(Number(select.value)); });
  return field;
}
