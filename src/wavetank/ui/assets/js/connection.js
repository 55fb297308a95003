// Requests with the token, the log-in, and the stream of changes.

const KEY = "wavetank-token";
const PAUSES_MS = [300, 600, 1200, 2500, 5000];

/** What the server says of itself: its mode, and whether it needs a token. */
export async function readFacts() {
  return (await fetch("/ui/facts")).json();
}

/** Logs in with the code of the link; returns why that failed, or "". */
export async function logInByLink() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const code = hash.get("login");
  if (!code) return sessionStorage.getItem(KEY) ? "" : "This page needs the link that was printed when its server was started.";
  hash.delete("login"); // the code belongs neither on screen nor into bookmarks
  history.replaceState(null, "", `${location.pathname}${hash.size ? `#${hash}` : ""}`);
  const answer = await fetch("/ui/login", { method: "POST", body: JSON.stringify({ code }) });
  if (!answer.ok) return sessionStorage.getItem(KEY) ? "" : "The link works once, and has been used.";
  keepToken((await answer.json()).token);
  return "";
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
}

async function send(method, path, { body, type, accept } = {}) {
  const headers = { ...(type ? { "Content-Type": type } : {}), ...(accept ? { Accept: accept } : {}) };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(path, { method, headers, body });
}

/** Sends a request; returns the answer's JSON, or throws an Error with the server's message and `status`. */
export async function request(method, path, body, type = "application/json") {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const answer = await send(method, path, { body: text, type: body === undefined ? undefined : type });
  const read = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(read.message ?? `status ${answer.status}`), { status: answer.status });
  return read;
}

export async function readYaml(path) {
  const answer = await send("GET", path, { accept: "application/yaml" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

export const mergePatch = (path, body) => request("PATCH", path, body, "application/merge-patch+json");

/** Follows the stream forever: `line` is called with each line, `state` with "live", "lost" or "refused". */
export async function follow(line, state) {
  for (let failed = 0; ; failed += 1) {
    try {
      const answer = await send("GET", "/ui/api/feed");
      if (answer.status === 401) return state("refused");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      state("live");
      failed = 0;
      await readLines(answer.body.getReader(), line);
    } catch {
      // The server is gone; it is tried again below.
    }
    state("lost");
    await new Promise((resume) => setTimeout(resume, PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)]));
  }
}

async function readLines(reader, line) {
  const decoder = new TextDecoder();
  let parts = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = decoder.decode(value, { stream: true }).split("\n");
    parts.push(lines[0]);
    for (const next of lines.slice(1)) {
      line(JSON.parse(parts.join("")));
      parts = [next];
    }
  }
}
