// The server, as the page asks it: requests, and a socket that reconnects by itself.

export class Problem extends Error {
  constructor(status, { code = "unreachable", message = "the server does not answer", ...more } = {}) {
    super(message);
    Object.assign(this, { status, code, more });
  }
}

// An answer that does not come, or breaks off before its end, is that of a server that has gone.
async function fetched(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Problem(0);
  }
}

async function read(response) {
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Problem(response.status, answer?.error);
  if (answer === null) throw new Problem(0);
  return answer;
}

// The address of a match; its name may come from a link that anybody has written.
export const matchPath = (match) => `/api/matches/${encodeURIComponent(match)}`;

// The address of a ruleset: family and variant, with its parameters (hex?size=4) in the name.
export const rulesetPath = (id) => `/api/rulesets/${id.split("/").map(encodeURIComponent).join("/")}`;

const bearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

export async function ask(method, path, body, token = "") {
  const response = await fetched(path, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...bearer(token) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.status === 429) {
    const wait = Number(response.headers.get("Retry-After")) || 1;
    await new Promise((done) => setTimeout(done, wait * 1000));
    return ask(method, path, body, token);
  }
  return read(response);
}

// Send a text as it is.
export async function send(path, text) {
  return read(await fetched(path, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text }));
}

// Save an answer as a file; a link could not show who asks.
export async function download(path, name, token) {
  const response = await fetched(path, { headers: bearer(token) });
  if (!response.ok) await read(response);
  const blob = await response.blob().catch(() => {
    throw new Problem(0);
  });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const RETRY_MS = [250, 500, 1000, 2000, 4000];

// An action is sent again under the same id until the server has answered: it counts once.
export async function act(match, token, action, onWait = () => {}) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask("POST", `${matchPath(match)}/actions`, action, token);
    } catch (problem) {
      if (problem.status !== 0 && problem.status !== 503) throw problem;
      onWait(problem);
      await new Promise((done) => setTimeout(done, RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]));
    }
  }
}

// Watches a match: onMessage({type, entries, state}) for what is new; onLink(isUp).
export class Watch {
  constructor(match, { token = "", since = () => 0, onMessage, onLink = () => {}, onRefused = () => {} }) {
    Object.assign(this, { match, token, since, onMessage, onLink, onRefused });
    this.attempt = 0;
    this.isOver = false;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${matchPath(this.match)}/socket`);
    this.socket = socket;
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: "hello", since: this.since(), ...(this.token ? { token: this.token } : {}) }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "error" || message.error) {
        this.onRefused(new Problem(400, message.error));
        return;
      }
      this.attempt = 0;
      this.onLink(true);
      if (message.state) this.onMessage(message);
    };
    socket.onclose = ({ code }) => {
      if (this.isOver || code === 1008) return;
      this.onLink(false);
      const wait = RETRY_MS[Math.min(this.attempt++, RETRY_MS.length - 1)];
      this.timer = setTimeout(() => this.open(), wait);
    };
    clearInterval(this.beat);
    this.beat = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
    }, 20000);
  }

  close() {
    this.isOver = true;
    clearTimeout(this.timer);
    clearInterval(this.beat);
    this.socket.close();
  }
}
