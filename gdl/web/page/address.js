// The address of what is looked at: it stands behind the "#", which browsers do not send.
//
// In and out: {match} or a source of rules ({ruleset} or {rules, title, like}), how much of the
// log (at), and the moves behind it as [role, text].

const LONGEST = 16000; // a longer address is not taken by every program that passes it on

export function written({ match, source, at, line }) {
  const words = new URLSearchParams();
  if (match) words.set("match", match);
  else for (const [name, value] of Object.entries(source)) if (value) words.set(name, value);
  if (match && at !== null) words.set("at", at);
  if (line.length) words.set("line", JSON.stringify(line));
  const text = `#${words}`;
  return text.length > LONGEST ? null : text;
}

export function read(hash) {
  const words = new URLSearchParams(hash.slice(1));
  const text = (name) => words.get(name) || null;
  let line = [];
  try {
    line = JSON.parse(words.get("line") ?? "[]");
  } catch {
    // half of an address: the position before the line is shown
  }
  const isLine = Array.isArray(line) && line.every((step) => Array.isArray(step) && step.length === 2 && step.every((each) => typeof each === "string"));
  const at = Number(words.get("at"));
  return {
    match: text("match"),
    join: text("join"),
    invitation: text("invitation"),
    ruleset: text("ruleset"),
    rules: text("rules"),
    title: text("title"),
    like: text("like"),
    at: words.has("at") && Number.isInteger(at) && at >= 0 ? at : null,
    line: isLine ? line : [],
  };
}
