// Nodes as boxes that are filled by their pods, on a canvas. Only what has changed is drawn again, and only what is in view.
import { grouped, placed, podBoxes } from "./boxes.js";
import { el } from "./dom.js";
import { nodeState } from "./lists.js";
import { cores, gibibytes, level, percent } from "./model.js";
import { colour } from "./theme.js";

const NAMED = 64; // boxes from this side on have their names
const NAME_HEIGHT = 15;
const MARGIN = 10; // around all boxes
const INKS = ["ground", "surface", "rule", "ink", "quiet", "failed", "warn-rule"];

export class NodeMap {
  /** `settings` has the colouring, grouping and measure; `pick` is called with {node, pod} that was chosen. */
  constructor(parent, cluster, settings, pick) {
    Object.assign(this, { cluster, settings, pick, chosen: null, shape: -1, layout: null, planned: false, whole: true, top: 0, frames: [] });
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.space = el("div", { class: "space" });
    this.mark = el("div", { class: "mark", hidden: true });
    this.tip = el("div", { class: "tooltip", hidden: true });
    this.status = el("p", { class: "unseen", role: "status" });
    const attributes = { class: "scroller", tabindex: "0", role: "application", "aria-label": "Nodes", "aria-describedby": "keys" };
    this.scroller = el("div", attributes, this.canvas, this.space, this.mark);
    parent.append(this.scroller, this.tip, this.status);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.listen();
    new ResizeObserver(() => this.relayout()).observe(this.scroller);
  }

  listen() {
    this.scroller.addEventListener("scroll", () => this.schedule());
    this.scroller.addEventListener("pointermove", (event) => this.hover(event));
    this.scroller.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.scroller.addEventListener("click", (event) => this.choose(this.at(event)));
    this.scroller.addEventListener("keydown", (event) => this.key(event));
  }

  relayout() {
    this.layout = null;
    this.schedule(true);
  }

  /** Draws at the next frame, all or what has changed. */
  schedule(whole = false) {
    this.whole ||= whole;
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      const begun = performance.now();
      this.draw();
      this.frames.push(performance.now() - begun);
      if (this.frames.length > 600) this.frames.shift();
    });
  }

  draw() {
    if (!this.layout || this.shape !== this.cluster.shape) this.place();
    const top = Math.round(this.scroller.scrollTop);
    const height = this.scroller.clientHeight;
    const moved = top - this.top;
    this.top = top;
    if (this.whole || Math.abs(moved) >= height) this.drawPart(0, height);
    else {
      if (moved) this.shift(moved, height);
      for (const node of this.cluster.changed) this.drawNode(this.placeOf.get(node));
    }
    this.cluster.changed.clear();
    this.whole = false;
  }

  /** Moves what is drawn, and draws what has come into view. */
  shift(by, height) {
    const { context, canvas } = this;
    const ratio = canvas.height / height;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(canvas, 0, -by * ratio);
    context.restore();
    if (by > 0) this.drawPart(height - by, height);
    else this.drawPart(0, -by);
  }

  place() {
    const { clientWidth: width, clientHeight: height } = this.scroller;
    const groups = grouped(this.cluster.nodes.values(), this.settings.group);
    this.layout = { ...placed(groups, width - 2 * MARGIN + 4, height - 2 * MARGIN + 4), groups, width, height };
    this.placeOf = new Map(this.layout.places.map((place) => [place.node, place]));
    this.shape = this.cluster.shape;
    this.space.style.height = `${Math.max(0, this.layout.height + 2 * MARGIN - height)}px`;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = `${height}px`;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.whole = true;
    this.showMark();
  }

  /** Draws what is between two heights of the view. */
  drawPart(from, to) {
    const { context, layout, top } = this;
    if (this.whole) this.inks = Object.fromEntries(INKS.map((name) => [name, colour(name)]));
    context.save();
    context.beginPath();
    context.rect(0, from, this.scroller.clientWidth, to - from);
    context.clip();
    context.fillStyle = this.inks.surface;
    context.fillRect(0, from, this.scroller.clientWidth, to - from);
    for (const group of layout.groups) if (group.title && group.top - top > from - 40 && group.top - top < to + 40) this.drawTitle(group, top);
    for (const place of layout.places) {
      const y = place.y + MARGIN - top;
      if (y + layout.side >= from && y <= to) this.drawNode(place);
    }
    context.restore();
  }

  drawTitle(group, top) {
    const { context } = this;
    context.fillStyle = this.inks.ink;
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(group.title, MARGIN, group.top - top + MARGIN - 8);
    const width = context.measureText(group.title).width;
    context.fillStyle = this.inks.quiet;
    context.font = "12px system-ui, sans-serif";
    context.fillText(`${group.nodes.length} nodes`, width + MARGIN + 8, group.top - top + MARGIN - 8);
  }

  drawNode(place) {
    if (!place) return;
    const { context, layout, settings, inks } = this;
    const { node } = place;
    const side = layout.side;
    const x = place.x + MARGIN;
    const y = place.y + MARGIN - this.top;
    if (y + side < 0 || y > this.scroller.clientHeight) return;
    const named = side >= NAMED;
    context.fillStyle = inks.surface; // over a wider frame that was there
    context.fillRect(x - 1, y - 1, side + 2, side + 2);
    context.fillStyle = inks.rule;
    context.fillRect(x, y, side, side);
    context.fillStyle = inks.ground;
    context.fillRect(x + 1, y + 1, side - 2, side - 2);
    const inner = { x: x + 1, y: y + 1 + (named ? NAME_HEIGHT : 0), w: side - 2, h: side - 2 - (named ? NAME_HEIGHT : 0) };
    const line = side > 30 ? 1 : side > 16 ? 0.5 : 0;
    for (const box of podBoxes(node, settings.measure)) {
      context.fillStyle = settings.colouring.of(box.pod);
      context.fillRect(inner.x + box.x * inner.w, inner.y + box.y * inner.h, Math.max(0.5, box.w * inner.w - line), Math.max(0.5, box.h * inner.h - line));
    }
    if (!node.ready || node.cordoned || node.leaving) this.drawFrame(node, x, y, side);
    if (named) this.drawName(node, x, y, side);
  }

  /** The frame of a node that is cordoned, is to be taken back, or is not ready. */
  drawFrame(node, x, y, side) {
    const { context, inks } = this;
    context.lineWidth = Math.min(2, side / 10);
    context.strokeStyle = node.ready && !node.leaving ? inks["warn-rule"] : inks.failed;
    context.setLineDash(node.ready && side > 20 ? [4, 3] : []);
    context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    context.setLineDash([]);
    if (node.ready) return;
    const top = y + (side >= NAMED ? NAME_HEIGHT : 0); // no line runs through the name
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x + side, y + side);
    context.moveTo(x + side, top);
    context.lineTo(x, y + side);
    context.stroke();
  }

  drawName(node, x, y, side) {
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

  // What is under the pointer, and the keys

  at(event) {
    if (!this.layout) return null;
    const bounds = this.canvas.getBoundingClientRect();
    const x = event.clientX - bounds.left - MARGIN;
    const y = event.clientY - bounds.top - MARGIN + this.scroller.scrollTop;
    const { side, gap, columns, groups, places } = this.layout;
    const group = groups.findLast((each) => each.top <= y);
    if (!group || x < 0) return null;
    const column = Math.floor(x / (side + gap));
    const row = Math.floor((y - group.top) / (side + gap));
    const index = row * columns + column;
    if (column >= columns || index >= group.nodes.length) return null;
    const place = places[group.first + index];
    const strip = side >= NAMED ? NAME_HEIGHT : 0;
    const inside = { x: (x - place.x) / side, y: (y - place.y - strip) / (side - strip) };
    const box = podBoxes(place.node, this.settings.measure).find((each) => inside.x >= each.x && inside.x < each.x + each.w && inside.y >= each.y && inside.y < each.y + each.h);
    return { node: place.node, pod: box?.pod };
  }

  hover(event) {
    const found = this.at(event);
    this.tip.hidden = !found;
    if (!found) return;
    const lines = [el("b", {}, found.node.name), el("span", {}, this.describe(found.node))];
    if (found.pod) lines.push(el("b", {}, found.pod.key), el("span", {}, `${found.pod.state} · ${cores(found.pod.cpu)}, ${gibibytes(found.pod.memory)}`));
    this.tip.replaceChildren(...lines);
    const left = Math.min(event.clientX + 14, window.innerWidth - this.tip.offsetWidth - 8);
    this.tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.min(event.clientY + 14, window.innerHeight - this.tip.offsetHeight - 8)}px)`;
  }

  describe(node) {
    const use = `CPU ${percent(node.cpuUsed, node.cpu)}, memory ${percent(node.memoryUsed, node.memory)}`;
    return `${nodeState(node)} · ${node.pods.size} pods · ${use}`;
  }

  choose(found, byKey = false) {
    if (!found) return;
    this.chosen = found.node.name;
    this.showMark();
    this.pick(found, byKey);
  }

  showMark() {
    const node = this.cluster.nodes.get(this.chosen);
    const place = node && this.placeOf?.get(node);
    this.mark.hidden = !place;
    if (!place) return;
    Object.assign(this.mark.style, { left: `${place.x + MARGIN - 2}px`, top: `${place.y + MARGIN - 2}px`, width: `${this.layout.side + 4}px`, height: `${this.layout.side + 4}px` });
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.layout?.places.length) return;
    const { places, columns } = this.layout;
    const present = places.findIndex((place) => place.node.name === this.chosen);
    if (event.key === "Enter" && present >= 0) {
      this.choose({ node: places[present].node }, true);
      event.preventDefault();
      return;
    }
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -places.length, End: places.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = present < 0 ? 0 : Math.max(0, Math.min(places.length - 1, present + steps[event.key]));
    this.chosen = places[next].node.name;
    this.showMark();
    this.mark.scrollIntoView({ block: "nearest" });
    this.status.textContent = `${this.chosen}: ${this.describe(places[next].node)}, full to ${Math.round(100 * level(places[next].node, this.settings.measure))} %`;
  }
}
