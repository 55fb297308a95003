// Elements. Text from the cluster only ever becomes textContent.

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, act, attributes = {}) {
  return el("button", { type: "button", onclick: act, "data-focus": attributes["aria-label"] ?? text, ...attributes }, text);
}

/** A select with a label; `options` are [value, text]. */
export function select(label, options, chosen, pick) {
  const input = el("select", { onchange: () => pick(input.value) }, ...options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", { class: "field" }, el("span", {}, label), input);
}

export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Replaces the children of an element, and keeps the focus on what has the same data-focus, and the place in a scroller. */
export function fill(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const top = parent.scrollTop;
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  parent.scrollTop = top;
  if (key !== undefined) (parent.querySelector(`[data-focus="${CSS.escape(key)}"]`) ?? parent).focus({ preventScroll: true });
}

/** Says something for a few seconds, aloud for screen readers. */
export function say(text) {
  const said = byId("said");
  said.textContent = text;
  said.classList.toggle("shown", text !== "");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 6000);
}

export function table(heads, rows) {
  const head = el("tr", {}, ...heads.map(([text, kind]) => el("th", { scope: "col", class: kind }, text)));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "numbers" }, el("thead", {}, head), el("tbody", {}, ...rows)));
}
