// How the nodes are drawn: colours, groups, sizes; and the legend.
import { COLOURINGS, Colouring } from "./colours.js";
import { byId, counted, el, fill, select } from "./dom.js";

const GROUPS = [["", "none"], ["zone", "zone"], ["pool", "pool"]];
const MEASURES = [["larger", "larger share"], ["cpu", "CPU"], ["memory", "memory"]];

/** The settings of all views; `redraw` is called when one of them has changed. `more` are colourings besides the usual ones. */
export function makeSettings(redraw, more = []) {
  const first = more[0]?.[0] ?? "namespace";
  const settings = { colouring: new Colouring(first), group: "", measure: "larger" };
  fill(
    byId("map-controls"),
    select("Colour", [...more, ...COLOURINGS], first, (by) => { settings.colouring = new Colouring(by); redraw("colours"); }),
    select("Group", GROUPS, "", (by) => { settings.group = by; redraw("places"); }),
    select("Size", MEASURES, "larger", (by) => { settings.measure = by; redraw("colours"); }),
  );
  return settings;
}

export function drawLegend(colouring) {
  const entries = colouring.legend().map(([text, name, count]) => {
    return el("li", { title: counted(count, "pod") }, el("i", { class: `swatch ${name}` }), text, el("small", {}, count.toLocaleString("en")));
  });
  fill(byId("legend"), ...entries);
}
