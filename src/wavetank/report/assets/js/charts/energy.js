// Power of the nodes and nodes that are on, one line per scheduler; only in reports of runs whose nodes have a power model.

const ENERGY_COLUMNS = 3;
const JOULES_PER_KWH = 3.6e6;

function startEnergy() {
  const options = { xTitle: "time", formatX: instant, formatY: (value) => number(value), formatTick: (value) => number(value) };
  const charts = [["power", 1, "Power of the nodes over time"], ["nodes-on", 2, "Nodes that are on over time"]].map(([id, column, label]) =>
    [new LineChart(byId(id), { ...options, yTicks: (high) => linearTicks(0, high, 4) }), column, label]);
  const load = once((run) => unpackFloats(DATA.energy[run].columns, ENERGY_COLUMNS));
  const seeds = [...new Set(DATA.energy.map(({ seed }) => seed))];
  const redraw = async (seed) => {
    const runs = DATA.energy.map((run, i) => ({ ...run, i })).filter((run) => run.seed === seed);
    const columns = await Promise.all(runs.map(({ i }) => load(i)));
    byId("energy-key").replaceChildren(...runs.map(({ scheduler, joules }, index) =>
      el("span", { class: "field" }, sample(index), `${scheduler}: ${number(joules / JOULES_PER_KWH)} kWh`)));
    for (const [chart, column, label] of charts) {
      const lines = energyLines(runs, columns, column);
      const high = lines.reduce((most, line) => line.y.reduce((a, b) => Math.max(a, b), most), 0);
      chart.show(lines, { label, yHigh: high * 1.05 || 1 });
    }
  };
  if (seeds.length > 1) {
    byId("energy-controls").append(keptDropDown("energy-seed", "Seed", seeds.map(String), (value) => redraw(seeds[value])));
  }
  return redraw(seeds[sharedView.index("energy-seed", seeds.length)]);
}

function energyLines(runs, columns, column) {
  return runs.map(({ scheduler }, index) => {
    const x = columns[index][0], end = 2 * x[x.length - 1] - (x[x.length - 2] ?? 0);
    return { name: scheduler, index, x, y: columns[index][column], end };
  });
}

startEnergy();
