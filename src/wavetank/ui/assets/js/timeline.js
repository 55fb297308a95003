// The time of finished runs: a slider over a chart of pending and running pods, and buttons to play it.
import { button, el, fill, select } from "./dom.js";
import { chartDownloads, pictureOf } from "./saving.js";
import { colour } from "./theme.js";

const SPEEDS = [["5", "whole run in 5 s"], ["15", "in 15 s"], ["30", "in 30 s"], ["120", "in 2 min"], ["1", "real time"]];
const HEIGHT = 44;
const SAVED = { width: 960, height: 240, left: 48, top: 32, bottom: 24 }; // pixels of the chart that is saved
const STEPS = 400; // times at which pending pods are counted

export class Timeline {
  /** `seek` is called with each new time, `next` returns the time of the next event. */
  constructor(parent, seek, next) {
    Object.assign(this, { parent, seek, next, time: 0, end: 1, playing: false, lasts: "30", last: 0 });
    this.slider = el("input", { type: "range", min: "0", max: "1000", step: "any", value: "0", "aria-label": "Time of the run", oninput: () => { this.stop(); this.go((Number(this.slider.value) / 1000) * this.end); } });
    this.chart = el("canvas", { class: "spark", "aria-hidden": "true" });
    this.label = el("output", { class: "now" });
    this.note = el("small", { class: "quiet" });
    this.toggle = button("Play", () => this.playOrStop(), { id: "play", class: "primary" });
    new ResizeObserver(() => this.draw()).observe(parent);
  }

  show(runs, end, parted) {
    this.stop();
    Object.assign(this, { runs, end: Math.max(end, 1e-9), parted });
    this.profiles = runs.map((run) => profile(run, this.end));
    const first = button("First difference", () => this.go(parted), { id: "first-difference" });
    fill(
      this.parent,
      el("div", { class: "controls" }, this.toggle, button("Next event", () => this.go(this.next()), { id: "next" }), parted === undefined ? null : first, select("Speed", SPEEDS, this.lasts, (lasts) => { this.lasts = lasts; }), this.label, this.note, chartDownloads("pending pods", () => ({ name: "pending", picture: this.picture(), rows: () => this.rows() }))),
      el("div", { class: "track" }, this.chart, this.slider),
    );
    this.parent.hidden = false;
    this.draw();
  }

  go(time) {
    this.time = Math.max(0, Math.min(this.end, time));
    this.slider.value = String((this.time / this.end) * 1000);
    this.slider.setAttribute("aria-valuetext", clockText(this.time));
    this.label.textContent = `${clockText(this.time)} of ${clockText(this.end)}`;
    this.seek(this.time);
  }

  playOrStop() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.playing = true;
    this.toggle.textContent = "Pause";
    this.last = performance.now();
    if (this.time >= this.end) this.go(0);
    requestAnimationFrame((now) => this.frame(now));
  }

  stop() {
    this.playing = false;
    this.toggle.textContent = "Play";
  }

  frame(now) {
    if (!this.playing) return;
    const rate = this.lasts === "1" ? 1 : this.end / Number(this.lasts);
    this.go(this.time + (Math.max(0, now - this.last) / 1000) * rate);
    this.last = now;
    if (this.time >= this.end) this.stop();
    else requestAnimationFrame((later) => this.frame(later));
  }

  shortcut(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, button, summary, a")) return;
    const acts = { " ": () => this.playOrStop(), ".": () => this.go(this.next()) };
    if (!(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Draws pending pods of each run over time; they are what differs most. */
  draw() {
    const width = this.chart.clientWidth;
    if (!width || !this.profiles) return;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.chart, { width: width * ratio, height: HEIGHT * ratio });
    const context = this.chart.getContext("2d");
    context.scale(ratio, ratio);
    this.drawLines(context, { left: 0, top: 5, width, height: HEIGHT - 8 });
    this.note.textContent = `The line: pending pods, at most ${this.most().toLocaleString("en")}.`;
  }

  most() {
    return Math.max(1, ...this.profiles.flatMap(({ pending }) => pending));
  }

  drawLines(context, { left, top, width, height }) {
    const most = this.most();
    this.profiles.forEach(({ pending }, i) => {
      context.beginPath();
      context.moveTo(left, top + height - (pending[0] / most) * height);
      pending.forEach((count, at) => { context.lineTo(left + (at / STEPS) * width, top + height - (count / most) * height); });
      context.strokeStyle = colour(`series-${i}`);
      context.lineWidth = 1.75;
      context.stroke();
    });
    for (const run of this.runs) this.drawFaults(context, run.faults, { left, top, width, height });
  }

  /** The chart as it is saved: with axes, and the names of the runs. */
  picture() {
    const { left, top, bottom } = SAVED;
    const plot = { left, top, width: SAVED.width - left - 32, height: SAVED.height - top - bottom };
    return pictureOf(SAVED.width, SAVED.height, (canvas) => {
      const context = canvas.getContext("2d");
      context.font = "12px sans-serif";
      this.drawAxes(context, plot);
      this.drawLines(context, plot);
    });
  }

  drawAxes(context, { left, top, width, height }) {
    context.fillStyle = colour("rule");
    context.fillRect(left, top + height, width, 1);
    context.fillStyle = colour("quiet");
    for (const [align, part] of [["left", 0], ["center", 0.5], ["right", 1]]) {
      context.textAlign = align;
      context.fillText(clockText(part * this.end), left + part * width, top + height + 18);
    }
    context.fillText("0", left - 8, top + height + 4);
    context.fillText(this.most().toLocaleString("en"), left - 8, top + 8);
    context.textAlign = "left";
    context.fillText("Pending pods", left, 14);
    let x = left + context.measureText("Pending pods").width + 24;
    this.runs.forEach((run, i) => {
      context.fillStyle = colour(`series-${i}`);
      context.fillText(run.label, x, 14);
      x += context.measureText(run.label).width + 24;
    });
  }

  rows() {
    const times = Array.from({ length: STEPS + 1 }, (_, at) => (at / STEPS) * this.end);
    return [["time_s", ...this.runs.map((run) => `pending_${run.label}`)], ...times.map((time, at) => [time, ...this.profiles.map(({ pending }) => pending[at])])];
  }

  /** Marks when nodes failed or were taken back, and, paler, when they changed otherwise. */
  drawFaults(context, faults, { left, top, width, height }) {
    for (const { time, bad } of faults) {
      const x = left + (time / this.end) * width;
      const y = top - 5;
      context.fillStyle = colour(bad ? "failed" : "warn-rule");
      context.globalAlpha = bad ? 0.35 : 0.6;
      context.fillRect(x - 0.5, y + 8, 1, height);
      context.globalAlpha = 1;
      context.beginPath();
      context.moveTo(x - 4, y);
      context.lineTo(x + 4, y);
      context.lineTo(x, y + 7);
      context.fill();
    }
  }
}

/** How many pods are pending at each of the times. */
function profile(run, end) {
  const changes = new Float64Array(STEPS + 2);
  const at = (time) => Math.max(0, Math.min(STEPS + 1, Math.ceil((time / end) * STEPS)));
  for (const pod of run.pods) {
    const until = Math.min(pod.scheduled, pod.finished);
    changes[at(pod.submitted)] += 1;
    if (Number.isFinite(until)) changes[at(until)] -= 1;
  }
  let count = 0;
  return { pending: Array.from(changes.subarray(0, STEPS + 1), (change) => { count += change; return count; }) };
}

export function clockText(seconds) {
  if (!Number.isFinite(seconds)) return "the beginning";
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return parts.join(":");
}
