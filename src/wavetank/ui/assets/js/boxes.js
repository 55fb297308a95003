// Where the boxes of nodes are in the view, and where pods are in the box of their node.
import { byName, level, share } from "./model.js";

const SMALLEST = 11;
const LARGEST = 260;
const TITLE = 26; // height of a group's title
const AFTER = 8; // space below a group
const TINY = 0.004; // the share that a pod without requests is drawn with

/** Groups the nodes by zone or pool; one group without a title if `by` is "". */
export function grouped(nodes, by) {
  const groups = new Map();
  for (const node of nodes) {
    const title = by ? node[by] || `no ${by}` : "";
    if (!groups.has(title)) groups.set(title, []);
    groups.get(title).push(node);
  }
  return [...groups].sort(([a], [b]) => byName({ name: a }, { name: b })).map(([title, own]) => ({ title, nodes: own.sort(byName) }));
}

/** Places all nodes with the largest boxes that fit the view; if they would get too small, the view scrolls. */
export function placed(groups, width, height) {
  const { columns, side } = largestBoxes(groups, width, height);
  const gap = gapOf(side);
  const places = [];
  let top = 0;
  for (const group of groups) {
    if (group.title) top += TITLE;
    group.top = top;
    group.first = places.length;
    group.nodes.forEach((node, i) => {
      places.push({ node, x: (i % columns) * (side + gap), y: top + Math.floor(i / columns) * (side + gap) });
    });
    top += Math.ceil(group.nodes.length / columns) * (side + gap) + (group.title ? AFTER : 0);
  }
  return { side, gap, columns, places, height: top };
}

const gapOf = (side) => (side > 60 ? 8 : side > 24 ? 4 : 2);

function sideOf(width, columns) {
  const rough = width / columns;
  return Math.min(LARGEST, Math.floor(rough - gapOf(rough)));
}

/** Of several numbers of columns with equally large boxes the greatest: fewer rows. */
function largestBoxes(groups, width, height) {
  const most = Math.max(1, Math.floor(width / (SMALLEST + gapOf(SMALLEST))));
  let best = { columns: most, side: 0 };
  for (let columns = 1; columns <= most; columns++) {
    const side = Math.min(sideOf(width, columns), sideInHeight(groups, columns, height));
    if (side >= best.side) best = { columns, side };
  }
  return best.side >= SMALLEST ? best : { columns: most, side: sideOf(width, most) };
}

function sideInHeight(groups, columns, height) {
  const rows = groups.reduce((sum, group) => sum + Math.ceil(group.nodes.length / columns), 0);
  const titles = groups.reduce((sum, group) => sum + (group.title ? TITLE + AFTER : 0), 0);
  const rough = rows ? (height - titles) / rows : LARGEST;
  return Math.floor(rough - gapOf(rough));
}

/** The rectangles of a node's pods in a unit square, from its bottom up to the level of the node. */
export function podBoxes(node, measure) {
  if (node.boxes?.measure === measure) return node.boxes;
  const pods = [...node.pods].map((pod) => ({ pod, size: Math.max(TINY, share(pod, node, measure)) }));
  pods.sort((a, b) => b.size - a.size || (a.pod.key < b.pod.key ? -1 : 1));
  const total = pods.reduce((sum, each) => sum + each.size, 0);
  const high = pods.length ? Math.max(level(node, measure), Math.min(1, TINY * pods.length)) : 0;
  const boxes = squarified(pods, total, { x: 0, y: 1 - high, w: 1, h: high });
  boxes.measure = measure;
  node.boxes = boxes;
  return boxes;
}

/** Squarified treemap (Bruls, Huizing, van Wijk): rows along the shorter side while that makes rectangles squarer. */
function squarified(items, total, space) {
  const boxes = [];
  let { x, y, w, h } = space;
  let i = 0;
  const scale = total ? (w * h) / total : 0;
  while (i < items.length) {
    const side = Math.min(w, h) || 1e-6;
    let sum = 0;
    let best = Number.POSITIVE_INFINITY;
    let end = i;
    while (end < items.length) {
      const next = sum + items[end].size * scale;
      const worst = Math.max((side * side * items[i].size * scale) / (next * next), (next * next) / (side * side * items[end].size * scale));
      if (worst > best) break;
      best = worst;
      sum = next;
      end += 1;
    }
    const thick = sum / side;
    let at = 0;
    for (; i < end; i += 1) {
      const long = (items[i].size * scale) / thick;
      boxes.push(w < h ? { pod: items[i].pod, x: x + at, y, w: long, h: thick } : { pod: items[i].pod, x, y: y + at, w: thick, h: long });
      at += long;
    }
    if (w < h) [y, h] = [y + thick, h - thick];
    else [x, w] = [x + thick, w - thick];
  }
  return boxes;
}
