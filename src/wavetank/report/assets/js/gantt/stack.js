// Where the bars of a node stand: stacked by the share of the node that they request, or in lanes.

/** The share of its node that each bar requests: the larger of those of CPU and memory; 0 if the node's size is unknown. */
function barShares({ bars, first, nodes, pods }) {
  const shares = new Float32Array(bars.pod.length);
  for (let node = 0; node < nodes.names.length; node++) {
    for (let bar = first[node]; bar < first[node + 1]; bar++) {
      const pod = bars.pod[bar], cpu = nodes.cpu[node], memory = nodes.memory[node];
      shares[bar] = Math.max(cpu ? pods.cpu[pod] / cpu : 0, memory ? pods.memory[pod] / memory : 0);
    }
  }
  return shares;
}

/**
 * Gives each bar its place in the stack of its node: pieces from `low` to `high`, where 1 is the whole node. A bar stays where it
 * is until it ends. It takes the lowest place that is large enough, otherwise several: then it has more than one piece. Bars may
 * reach above 1, since one may need most of the CPU and another most of the memory; `extent` is how far the highest reaches.
 */
function stackBars(model) {
  const { first, bars } = model, shares = barShares(model);
  const stack = { first: new Uint32Array(bars.pod.length + 1), low: [], high: [], extent: 1 };
  for (let node = 0; node + 1 < first.length; node++) {
    let active = []; // pieces {low, high, until}, from low to high
    for (let bar = first[node]; bar < first[node + 1]; bar++) {
      active = active.filter(({ until }) => until > bars.from[bar]);
      const pieces = placesFor(active, shares[bar]).map(([low, high]) => ({ low, high, until: bars.to[bar] }));
      for (const { low, high } of pieces) { stack.low.push(low); stack.high.push(high); stack.extent = Math.max(stack.extent, high); }
      stack.first[bar + 1] = stack.low.length;
      active = [...active, ...pieces].sort((a, b) => a.low - b.low || a.high - b.high);
    }
  }
  return stack;
}

/** Free places of `size` in all, as [low, high]: one if a gap is large enough, otherwise the lowest gaps and what lies above. */
function placesFor(active, size) {
  const gaps = [];
  let top = 0;
  for (const { low, high } of active) {
    if (low - top > TINY) gaps.push([top, low]);
    top = Math.max(top, high);
  }
  if (1 - top > TINY) gaps.push([top, 1]);
  const whole = gaps.find(([low, high]) => high - low >= size - TINY);
  if (whole) return [[whole[0], whole[0] + size]];
  const places = [];
  let left = size;
  for (const [low, high] of gaps) {
    const taken = Math.min(left, high - low);
    places.push([low, low + taken]);
    left -= taken;
  }
  const above = Math.max(1, top);
  if (left > TINY || !places.length) places.push([above, above + left]);
  return places;
}

const TINY = 1e-6;

/** Gives each bar the lowest lane of its node that is free when it begins. */
function layLanes({ bars, first, nodes }) {
  const lanes = { of: new Uint16Array(bars.pod.length), count: new Uint16Array(nodes.names.length).fill(1), deepest: 1 };
  for (let node = 0; node < nodes.names.length; node++) {
    const free = [];
    for (let bar = first[node]; bar < first[node + 1]; bar++) {
      let lane = free.findIndex((until) => until <= bars.from[bar]);
      if (lane < 0) lane = free.length;
      free[lane] = bars.to[bar];
      lanes.of[bar] = lane;
    }
    lanes.count[node] = Math.max(1, free.length);
  }
  lanes.deepest = lanes.count.reduce((a, b) => Math.max(a, b), 1);
  return lanes;
}

/** The pieces of a bar in its row, as shares [top, bottom] of the row's height from above. */
function piecesOf({ stack, lanes }, mode, node, bar) {
  if (mode === "lanes") return [[lanes.of[bar] / lanes.count[node], (lanes.of[bar] + 1) / lanes.count[node]]];
  const pieces = [];
  for (let k = stack.first[bar]; k < stack.first[bar + 1]; k++) pieces.push([1 - stack.high[k] / stack.extent, 1 - stack.low[k] / stack.extent]);
  return pieces;
}

/** The bar at a node, a share of its row's height and a time, or -1; `slack` widens bars by seconds and by a share of the height. */
function barAt(model, mode, { node, place, time }, slack) {
  const { bars, first } = model;
  for (let bar = first[node]; bar < first[node + 1]; bar++) {
    if (bars.from[bar] - slack.time > time || time > bars.to[bar] + slack.time) continue;
    if (piecesOf(model, mode, node, bar).some(([top, bottom]) => top - slack.place <= place && place <= bottom + slack.place)) return bar;
  }
  return -1;
}
