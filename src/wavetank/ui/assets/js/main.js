// Starts the page: of a live cluster, or of finished runs.
import { byId } from "./dom.js";
import { forgetToken, keepToken, logInByLink, readFacts } from "./connection.js";
import { startLive } from "./live.js";
import { startPlay } from "./play.js";
import { startTheme } from "./theme.js";

let redraw = () => {};

async function start() {
  startTheme(() => redraw());
  const facts = await readFacts();
  const refused = facts.tokenNeeded ? await logInByLink() : "";
  if (refused) askForToken(refused, facts);
  else begin(facts);
  document.documentElement.dataset.ready = "";
}

function begin(facts) {
  byId("login").hidden = true;
  byId("content").hidden = false;
  document.documentElement.dataset.mode = facts.mode;
  const refused = () => {
    forgetToken(); // it is wrong, or of a server that was started again
    location.reload();
  };
  redraw = facts.mode === "play" ? startPlay(refused) : startLive(facts, refused);
}

function askForToken(why, facts) {
  byId("login-why").textContent = why;
  byId("login-where").textContent = facts.where;
  byId("login").hidden = false;
  byId("login").onsubmit = (event) => {
    event.preventDefault();
    keepToken(byId("token").value.trim());
    begin(facts);
  };
}

start();
