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
  if (facts.mode === "play") {
    redraw = startPlay(facts);
    return;
  }
  redraw = startLive(facts, () => {
    forgetToken();
    byId("content").hidden = true;
    askForToken("The server does not know the token of this tab: it may have been started again.", facts);
  });
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
