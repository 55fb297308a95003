// The time of finished runs: a slider over a chart of pending and running pods, and buttons to play it.
import { button, el, fill, select } from "./dom.js";
import { colour } from "./theme.js";

const SPEEDS = [["5", "whole run in 5 s"], ["15", "in 15 s"], ["30", "in 30 s"], ["120", "in 2 min"], ["1", "real time"]];
const HEIGHT = 44;

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
      el("div", { class: "controls" }, this.toggle, button("Next event", () => this.go(this.next()), { id: "next" }), parted === undefined ? null : first, select("Speed", SPEEDS, this.lasts, (lasts) => { this.lasts = lasts; }), this.label, this.note),
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
    const most = Math.max(1, ...this.profiles.flatMap(({ pending }) => pending));
    this.profiles.forEach(({ pending }, i) => {
      context.beginPath();
      pending.forEach((count, at) => { context.lineTo((at / (pending.length - 1)) * width, HEIGHT - 3 - (count / most) * (HEIGHT - 8)); });
      context.strokeStyle = colour(`series-${i}`);
      context.lineWidth = 1.75;
      context.stroke();
    });
    for (const run of this.runs) this.drawFaults(context, run.faults, width);
    this.note.textContent = `The line: pending pods, at most ${most.toLocaleString("en")}.`;
  }

  /** Marks when nodes failed or were taken back, and, paler, when they changed otherwise. */
  drawFaults(context, faults, width) {
    for (const { time, bad } of faults) {
      const x = (time / this.end) * width;
      context.fillStyle = colour(bad ? "failed" : "warn-rule");
      context.globalAlpha = bad ? 0.35 : 0.6;
      context.fillRect(x - 0.5, 8, 1, HEIGHT - 8);
      context.globalAlpha = 1;
      context.beginPath();
      context.moveTo(x - 4, 0);
      context.lineTo(x + 4, 0);
      context.lineTo(x, 7);
      context.fill();
    }
  }
}

/** How many pods are pending at 400 times of a run. */
function profile(run, end) {
  const steps = 400;
  const changes = new Float64Array(steps + 2);
  const at = (time) => Math.max(0, Math.min(steps + 1, Math.ceil((time / end) * steps)));
  for (const pod of run.pods) {
    const until = Math.min(pod.scheduled, pod.finished);
    changes[at(pod.submitted)] += 1;
    if (Number.isFinite(until)) changes[at(until)] -= 1;
  }
  let count = 0;
  return { pending: Array.from(changes.subarray(0, steps + 1), (change) => { count += change; return count; }) };
}

export function clockText(seconds) {
  if (!Number.isFinite(seconds)) return "the beginning";
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return parts.join(":");
}
