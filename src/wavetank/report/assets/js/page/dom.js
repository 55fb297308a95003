// Elements, controls and the tooltip. Text from the data only ever becomes textContent.

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 6;
const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

function byId(id) {
  return document.getElementById(id);
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

let groups = 0;

/** A row of radio buttons; `options` are [value, text], `pick` is called with the value. */
function choice(label, options, chosen, pick) {
  const name = `choice-${groups++}`;
  const buttons = options.map(([value, text]) => {
    const input = el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => pick(value) });
    return el("label", {}, input, el("span", {}, text));
  });
  return el("fieldset", { class: "choice" }, el("legend", {}, label), ...buttons);
}

/** A drop-down; `options` are [value, text], `pick` is called with the value as text. */
function dropDown(label, options, pick) {
  const items = options.map(([value, text]) => el("option", { value }, text));
  const select = el("select", { onchange: () => pick(select.value) }, ...items);
  return el("label", { class: "field" }, el("span", {}, label), select);
}

/** How a scheduler is drawn wherever it appears: colour, dash and marker all differ between neighbours. */
function look(index) {
  const round = Math.floor(index / COLOURS);
  return { colour: `s${index % COLOURS}`, dash: DASHES[(index + round) % DASHES.length], marker: (index + 2 * round) % 6 };
}

/** The outline of a marker of the given kind around (x, y). */
function markerPath(kind, x, y, r = 4) {
  const at = (points) => `M${points.map(([dx, dy]) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`).join("L")}Z`;
  if (kind === 1) return at([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]);
  if (kind === 2) return at([[0, -1.2], [1.1, 0.9], [-1.1, 0.9]]);
  if (kind === 3) return at([[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]]);
  if (kind === 4) return at([[0, 1.2], [1.1, -0.9], [-1.1, -0.9]]);
  if (kind === 5) return at([[-1.2, -0.4], [1.2, -0.4], [1.2, 0.4], [-1.2, 0.4]]);
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

/** A short piece of a scheduler's line, for legends and tooltips. */
function sample(index) {
  const { colour, dash, marker } = look(index);
  const line = svg("line", { x1: 0, x2: 28, y1: 7, y2: 7, "stroke-dasharray": dash || null });
  const mark = svg("path", { class: "marker", d: markerPath(marker, 14, 7) });
  return svg("svg", { class: `sample ${colour}`, width: 28, height: 14, "aria-hidden": "true" }, line, mark);
}

/** Buttons that show and hide schedulers; `hidden` is the set of hidden indexes and is changed in place. */
function legend(host, names, hidden, changed) {
  const buttons = names.map((name, index) => {
    const toggle = () => {
      hidden.has(index) ? hidden.delete(index) : hidden.add(index);
      button.setAttribute("aria-pressed", String(!hidden.has(index)));
      changed();
    };
    const button = el("button", { type: "button", "aria-pressed": "true", onclick: toggle }, sample(index), name);
    return button;
  });
  host.replaceChildren(...buttons);
}

const tooltip = {
  element: null,
  /** Shows `content` (nodes) beside a point of the window. */
  show(content, x, y) {
    this.element ??= document.body.appendChild(el("div", { class: "tooltip", role: "presentation" }));
    this.element.replaceChildren(...content);
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = x + 16 + width > innerWidth ? x - width - 16 : x + 16;
    const top = Math.min(y + 16, innerHeight - height - 8);
    this.element.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  },
  hide() {
    if (this.element) this.element.hidden = true;
  },
};

/** Shows a tooltip below an element that has got the focus by the keyboard. */
function tellBeside(element, content) {
  if (!element.matches(":focus-visible")) return;
  const box = element.getBoundingClientRect();
  tooltip.show(content, box.left + box.width / 2, box.bottom);
}

/** Rows of terms and texts, for tooltips and details. */
function terms(pairs) {
  return el("dl", {}, ...pairs.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]));
}

/** Calls `draw` whenever the width of `element` has changed. */
function onResize(element, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    draw();
  }).observe(element);
}
