// Nodes as boxes that are filled by their pods, on a canvas. Only what has changed is drawn again, and only what is in view.
import { grouped, placed, podBoxes } from "./boxes.js";
import { savedRows } from "./columns.js";
import { el } from "./dom.js";
import { cores, gibibytes, level, nodeState, percent } from "./model.js";
import { MARGIN, NodePainter, nameHeight } from "./painter.js";
import { chartDownloads, pictureOf } from "./saving.js";

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
    this.painter = new NodePainter(this.context, settings);
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
    if (this.whole) this.painter.readColours();
    this.painter.show(this.layout, top, height);
    if (this.whole || Math.abs(moved) >= height) this.painter.part(0, height);
    else {
      if (moved) this.shift(moved, height);
      for (const node of this.cluster.changed) this.painter.node(this.placeOf.get(node));
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
    if (by > 0) this.painter.part(height - by, height);
    else this.painter.part(0, -by);
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

  /** Buttons that save all nodes, also those out of view; `name` is that of the file. */
  downloads(name) {
    return chartDownloads("the nodes", () => ({ name, picture: this.picture(), rows: () => savedRows("placements", [...this.cluster.nodes.values()].flatMap(placements)) }));
  }

  picture() {
    if (!this.layout || this.shape !== this.cluster.shape) this.place();
    const { layout } = this;
    const height = layout.height + 2 * MARGIN;
    return pictureOf(layout.width, height, (canvas) => {
      const painter = new NodePainter(canvas.getContext("2d"), this.settings);
      painter.show(layout, 0, height);
      painter.part(0, height);
    });
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
    const strip = nameHeight(side);
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

/** The pods of a node; a node without pods is there once. */
const placements = (node) => (node.pods.size ? [...node.pods].map((pod) => ({ node, pod })) : [{ node, pod: null }]);
