// The share of CPU requested by groups of nodes and bins of time, for any part of the chart.

/** The shares (0..1, row by row) of `rows` groups of `group` nodes from view.n0, in `columns` bins from view.t0 to view.t1. */
function heatOf(model, view, group, rows, columns) {
  return model.heat ? sampledHeat(model, view, group, rows, columns) : summedHeat(model, view, group, rows, columns);
}

/**
 * Each bar adds cpu × (edge − from) to all later edges and takes cpu × (edge − to) away again: two running sums per row,
 * so that the work is one step per bar and one per cell, however long the bars.
 */
function summedHeat(model, view, group, rows, columns) {
  const { bars, first, nodes } = model;
  const width = (view.t1 - view.t0) / columns;
  const shares = new Float32Array(rows * columns), level = new Float64Array(columns + 2), offset = new Float64Array(columns + 2);
  const add = (time, cpu) => {
    const edge = Math.min(columns + 1, Math.max(0, Math.ceil((time - view.t0) / width)));
    level[edge] += cpu;
    offset[edge] += cpu * (time - view.t0);
  };
  for (let row = 0; row < rows; row++) {
    const [low, high] = groupOf(view, group, row, nodes.names.length);
    level.fill(0);
    offset.fill(0);
    for (let bar = first[low]; bar < first[high]; bar++) {
      if (bars.from[bar] >= view.t1) continue;
      add(bars.from[bar], bars.cpu[bar]);
      add(bars.to[bar], -bars.cpu[bar]);
    }
    writeShares(shares, row * columns, columns, level, offset, width, capacityOf(nodes.cpu, low, high) * width);
  }
  return shares;
}

/** Writes what the running sums hold in each bin, divided by `offered` and at most `most`. */
function writeShares(shares, at, columns, level, offset, width, offered, most = 1) {
  let rate = 0, lag = 0, before = 0;
  for (let edge = 0; edge <= columns; edge++) {
    rate += level[edge];
    lag += offset[edge];
    const held = rate * edge * width - lag;
    if (edge > 0 && offered > 0) shares[at + edge - 1] = Math.min(most, Math.max(0, (held - before) / offered));
    before = held;
  }
}

/** The embedded map, looked up at the middle of each cell. */
function sampledHeat({ heat, end, nodes }, view, group, rows, columns) {
  const shares = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const [low, high] = groupOf(view, group, row, nodes.names.length);
    const source = Math.floor((low + high - 1) / 2 / heat.nodesPerRow) * heat.columns;
    for (let column = 0; column < columns; column++) {
      const time = view.t0 + ((column + 0.5) / columns) * (view.t1 - view.t0);
      shares[row * columns + column] = time < end ? heat.values[source + Math.floor((time / end) * heat.columns)] / 255 : 0;
    }
  }
  return shares;
}

/** First node and the one after the last of a row of the heat map. */
function groupOf(view, group, row, nodes) {
  const low = Math.floor(view.n0 / group) * group + row * group;
  return [Math.min(low, nodes - 1), Math.min(low + group, nodes)];
}

function capacityOf(cpu, low, high) {
  let sum = 0;
  for (let node = low; node < high; node++) sum += cpu[node];
  return sum;
}
