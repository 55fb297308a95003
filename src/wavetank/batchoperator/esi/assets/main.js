// Starts the page: login, the stream, and what is drawn of it.
import { drawBuilder, startBuilder } from "./builder.js";
import { all, apply, beginAgain, onChange } from "./cluster.js";
import { follow, keepToken, knownToken, needsToken } from "./connection.js";
import { byId, counted, el } from "./dom.js";
import { drawJobs } from "./jobs.js";
import { drawSchedulings } from "./schedulings.js";
import { drawTestbeds } from "./testbeds.js";
import { startTheme } from "./theme.js";

const REFUSED = "not logged in";
let connection = "connecting";

function drawFacts() {
  const counts = ["testbeds", "schedulings", "jobs"].map((kind) => counted(all(kind).length, kind.slice(0, -1)));
  const facts = [el("li", { class: `connection ${connection}`, role: "status" }, connection), ...(connection === REFUSED ? [] : counts.map((text) => el("li", {}, text)))];
  byId("facts").replaceChildren(...facts);
}

function setConnection(state) {
  connection = { live: "live", lost: "connection lost", refused: REFUSED }[state];
  byId("login").hidden = state !== "refused";
  byId("content").hidden = state === "refused";
  byId("trouble").hidden = state !== "lost";
  byId("trouble").textContent = state === "lost" ? "The connection is lost; it is tried again." : "";
  drawFacts();
  if (state === "refused") {
    byId("token").focus();
    document.documentElement.dataset.ready = "";
  }
}

function connect() {
  follow({ begin: beginAgain, event: apply, state: setConnection });
}

startTheme();
startBuilder(drawTestbeds);
for (const draw of [drawFacts, drawTestbeds, drawBuilder, drawSchedulings, drawJobs]) onChange(draw);
byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(byId("token").value.trim());
  byId("token").value = "";
  connect();
});
if (!knownToken() && (await needsToken())) setConnection("refused");
else connect();
