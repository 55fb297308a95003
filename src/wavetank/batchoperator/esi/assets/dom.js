// Elements. Text from the cluster only ever becomes textContent.

export function byId(id) {
  return document.getElementById(id);
}

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** A row of radio buttons; `options` are [value, text], `pick` is called with the value. */
export function choice(label, name, options, chosen, pick) {
  const buttons = options.map(([value, text]) => {
    const input = el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => pick(value) });
    return el("label", {}, input, el("span", {}, text));
  });
  return el("fieldset", { class: "choice" }, el("legend", {}, label), ...buttons);
}

export function field(label, input) {
  return el("label", { class: "field" }, el("span", {}, label), input);
}

export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The end of a state's name says nothing: RunningState is shown as Running. */
export function stateText(state) {
  return (state || "unknown").replace(/State$/, "").replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

export function badge(state) {
  return el("span", { class: `state ${stateText(state).replace(/ /g, "-")}` }, stateText(state));
}

/** Replaces the children of an element and keeps the focus on what has the same data-focus. */
export function replaceKeepingFocus(parent, children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  parent.replaceChildren(...children);
  if (key !== undefined) parent.querySelector(`[data-focus="${CSS.escape(key)}"]`)?.focus();
}
