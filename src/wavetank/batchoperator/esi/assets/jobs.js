// The jobs with their runs.
import { all, schedulingsByJob } from "./cluster.js";
import { badge, byId, el } from "./dom.js";

const SHOWN = 500;

export function drawJobs() {
  const jobs = all("jobs");
  const schedulings = schedulingsByJob();
  byId("job-rows").replaceChildren(...jobs.slice(0, SHOWN).map((job) => row(job, schedulings.get(job.name))));
  byId("jobs-note").textContent = jobs.length > SHOWN ? `${SHOWN} of ${jobs.length} jobs are shown.` : "";
}

function row(job, scheduling) {
  const runs = job.scheduledEvents ?? [];
  const cells = [el("td", {}, badge(job.state)), el("td", {}, scheduling?.name ?? "–"), el("td", { class: "runs" }, String(runs.length)), el("td", {}, lastRun(runs))];
  return el("tr", { "data-job": job.name, title: (job.problems ?? []).join("\n") || null }, el("th", { scope: "row" }, job.name), ...cells);
}

function lastRun(runs) {
  const run = runs.at(-1);
  if (!run?.start) return "–";
  if (!run.stop) return "running";
  const seconds = Math.round((Date.parse(run.stop) - Date.parse(run.start)) / 1000);
  return `${duration(seconds)}${run.successful === false ? ", failed" : ""}`;
}

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
