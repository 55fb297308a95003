// Draws nodes, on the canvas of the page, or on one that becomes an SVG file.
import { podBoxes } from "./boxes.js";
import { colour } from "./theme.js";

const NAMED = 64; // boxes from this side on have their names
const NAME_HEIGHT = 15;
const INKS = ["ground", "surface", "rule", "ink", "quiet", "failed", "warn-rule"];

export const MARGIN = 10; // around all boxes

/** How high the strip with the name of a node is, in a box of this side. */
export const nameHeight = (side) => (side >= NAMED ? NAME_HEIGHT : 0);

export class NodePainter {
  constructor(context, settings) {
    Object.assign(this, { context, settings, layout: null, top: 0, height: 0 });
    this.readColours();
  }

  /** Reads the colours again, after the theme has changed. */
  readColours() {
    this.inks = Object.fromEntries(INKS.map((name) => [name, colour(name)]));
  }

  /** Sets what is drawn: the places of nodes, of which the view begins at `top`. */
  show(layout, top, height) {
    Object.assign(this, { layout, top, height });
  }

  /** Draws what is between two heights of the view. */
  part(from, to) {
    const { context, layout, top } = this;
    context.save();
    context.beginPath();
    context.rect(0, from, layout.width, to - from);
    context.clip();
    context.fillStyle = this.inks.surface;
    context.fillRect(0, from, layout.width, to - from);
    for (const group of layout.groups) if (group.title && group.top - top > from - 40 && group.top - top < to + 40) this.title(group);
    for (const place of layout.places) {
      const y = place.y + MARGIN - top;
      if (y + layout.side >= from && y <= to) this.node(place);
    }
    context.restore();
  }

  title(group) {
    const { context, top } = this;
    context.fillStyle = this.inks.ink;
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(group.title, MARGIN, group.top - top + MARGIN - 8);
    const { width } = context.measureText(group.title);
    context.fillStyle = this.inks.quiet;
    context.font = "12px system-ui, sans-serif";
    context.fillText(`${group.nodes.length} nodes`, width + MARGIN + 8, group.top - top + MARGIN - 8);
  }

  node(place) {
    if (!place) return;
    const { context, layout, settings, inks } = this;
    const { node } = place;
    const { side } = layout;
    const x = place.x + MARGIN;
    const y = place.y + MARGIN - this.top;
    if (y + side < 0 || y > this.height) return;
    const strip = nameHeight(side);
    context.fillStyle = inks.surface; // over a wider frame that was there
    context.fillRect(x - 1, y - 1, side + 2, side + 2);
    context.fillStyle = inks.rule;
    context.fillRect(x, y, side, side);
    context.fillStyle = inks.ground;
    context.fillRect(x + 1, y + 1, side - 2, side - 2);
    const inner = { x: x + 1, y: y + 1 + strip, w: side - 2, h: side - 2 - strip };
    const line = side > 30 ? 1 : side > 16 ? 0.5 : 0;
    for (const box of podBoxes(node, settings.measure)) {
      context.fillStyle = settings.colouring.of(box.pod);
      context.fillRect(inner.x + box.x * inner.w, inner.y + box.y * inner.h, Math.max(0.5, box.w * inner.w - line), Math.max(0.5, box.h * inner.h - line));
    }
    if (!node.ready || node.cordoned || node.leaving) this.frame(node, x, y, side);
    if (strip) this.name(node, x, y, side);
  }

  /** The frame of a node that is cordoned, is to be taken back, or is not ready. */
  frame(node, x, y, side) {
    const { context, inks } = this;
    context.lineWidth = Math.min(2, side / 10);
    context.strokeStyle = node.ready && !node.leaving ? inks["warn-rule"] : inks.failed;
    context.setLineDash(node.ready && side > 20 ? [4, 3] : []);
    context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    context.setLineDash([]);
    if (node.ready) return;
    const top = y + nameHeight(side); // no line runs through the name
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x + side, y + side);
    context.moveTo(x + side, top);
    context.lineTo(x, y + side);
    context.stroke();
  }

  name(node, x, y, side) {
    const { context, inks } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, side - 2, NAME_HEIGHT);
    context.clip();
    context.fillStyle = node.ready && !node.leaving ? inks.quiet : inks.failed;
    context.font = "11px system-ui, sans-serif";
    context.fillText(node.name, x + 4, y + 12);
    context.restore();
  }
}
