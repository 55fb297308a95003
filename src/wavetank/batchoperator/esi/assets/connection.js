// Requests with the token, and the stream of changes.

const KEY = "wavetank-batch-operator-token";
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10000;

/** The token of the link with which the page was opened, or of an earlier visit in this tab. */
export function knownToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("token")) {
    keepToken(fragment.get("token"));
    history.replaceState(null, "", location.pathname); // the token belongs neither on screen nor into bookmarks
  }
  return sessionStorage.getItem(KEY) ?? "";
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

/** Whether the server wants a token at all. */
export async function needsToken() {
  return (await (await fetch("/access")).json()).tokenNeeded;
}

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/** Sends a request; returns the answer's JSON, or throws an Error with the server's message. */
export async function request(method, path, body) {
  const options = { method, headers: headers(body ? { "Content-Type": "application/json" } : {}), body: body && JSON.stringify(body) };
  const answer = await fetch(path, options);
  if (answer.status === 304) return null;
  const read = await answer.json();
  if (!answer.ok) throw new Error(read.message);
  return read;
}

/**
 * Follows the stream forever. `begin` is called when a connection begins, `event` with each event, `state` with
 * "live", "lost" or "refused".
 */
export async function follow({ begin, event, state }) {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      const answer = await fetch("/external/stream", { headers: headers() });
      if (answer.status === 401) return state("refused");
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      begin();
      state("live");
      pause = FIRST_PAUSE_MS;
      await readEvents(answer.body.getReader(), event);
    } catch {
      // The server is gone, or the network; it is tried again below.
    }
    state("lost");
    await new Promise((resume) => setTimeout(resume, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

async function readEvents(reader, event) {
  const decoder = new TextDecoder();
  let pending = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (pending + decoder.decode(value, { stream: true })).split("\n");
    pending = lines.pop();
    for (const line of lines) if (line.startsWith("data:")) event(JSON.parse(line.slice(5)));
  }
}
