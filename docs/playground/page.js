// The page: what was typed and played goes to Python, what comes back is shown. Random games and search
// go to machine code of the rulesets to begin with.

const PAUSE = 300; // milliseconds after the last key
const PATIENCE = 30_000; // milliseconds for one question
const MOST_BUTTONS = 400;

const at = (id) => document.getElementById(id);
const SECOND = 1000; // milliseconds of thought
const SHOWN = 8; // moves of a search
// `moves` in the words of the ruleset, `written` the same as the rules write them.
const state = { name: "", moves: [], written: [], chosen: {}, words: {}, isOver: false, round: 0 };

// Python ------------------------------------------------------------------------------------------

let worker, waiting, last, loaded;

function begin() {
  waiting = new Map();
  last = 0;
  worker = new Worker("worker.js", { type: "module" });
  let isLoaded;
  loaded = new Promise((resolve) => (isLoaded = resolve));
  worker.onmessage = ({ data }) => {
    if (data.ready) {
      at("status").textContent = "";
      isLoaded();
    } else if (data.failed) {
      at("status").textContent = `Python could not be loaded: ${data.failed}`;
    } else {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      asked?.resolve(data);
    }
  };
}

function ask(name, ...args) {
  return new Promise((resolve) => {
    const id = ++last;
    waiting.set(id, { resolve });
    worker.postMessage({ id, name, args });
  });
}

/** Ask a question about rules; where it takes too long, Python is begun anew. */
async function question(name, ...args) {
  await loaded; // loading is no part of the time
  const mine = worker;
  const answer = ask(name, ...args);
  const timer = setTimeout(() => {
    if (mine !== worker) return;
    const asked = [...waiting.values()];
    worker.terminate();
    begin();
    at("status").textContent = "That took too long and was ended. Python is loading again.";
    asked.forEach(({ resolve }) => resolve({ refused: "this takes too long for a page; the installed program has more time" }));
  }, PATIENCE);
  const found = await answer;
  clearTimeout(timer);
  return found;
}

// The rules ---------------------------------------------------------------------------------------

let typed;

async function rulesChanged() {
  clearTimeout(typed); // what was typed last and what is opened now ask only once
  forget();
  state.chosen = {};
  const round = ++state.round;
  const text = at("rules").value;
  const found = await question("check", text);
  if (round !== state.round) return;
  at("problems").textContent = found.refused ?? (found.value.said || "Nothing.");
  await show();
}

function forget(from = 0) {
  state.moves.splice(from);
  state.written.splice(from);
  unsay("answer", "counts");
}

/** Take answers away that were about another position, or about other rules. */
function unsay(...names) {
  for (const name of names) {
    at(name).replaceChildren();
    at(name).hidden = true;
  }
}

function say(name, ...said) {
  at(name).replaceChildren(...said);
  at(name).hidden = false;
}

async function open(name) {
  clearTimeout(typed);
  const round = ++state.round;
  const found = await question("rules_of", name);
  if (found.refused !== undefined || round !== state.round) return;
  state.name = name;
  unsay("meant");
  at("rules").value = found.value;
  await rulesChanged();
}

// The game ----------------------------------------------------------------------------------------

async function show() {
  const round = ++state.round;
  at("worth").replaceChildren();
  const { refused, value } = await question("position", at("rules").value, state.name, state.moves);
  if (round !== state.round) return;
  at("back").disabled = at("again").disabled = state.moves.length === 0;
  at("moves").replaceChildren();
  at("board").replaceChildren();
  state.isOver = refused !== undefined || value.over;
  for (const button of [at("random"), at("search")]) button.disabled = !state.name || state.isOver;
  at("machine").hidden = state.name !== "";
  if (refused !== undefined) {
    at("said").textContent = "";
    const pre = document.createElement("pre");
    pre.textContent = refused;
    at("board").append(pre);
    return;
  }
  if (value.picture) {
    // The words in it come from rules that somebody sent: nothing of it may run.
    const image = new DOMParser().parseFromString(value.picture, "image/svg+xml").documentElement;
    image.querySelectorAll("script, foreignObject").forEach((each) => each.remove());
    at("board").append(document.importNode(image, true));
  } else {
    const pre = document.createElement("pre");
    pre.textContent = value.facts;
    at("board").append(pre);
  }
  at("said").textContent = value.over
    ? `The game is over: ${Object.entries(value.goals).map(([role, goal]) => `${role} ${goal}`).join(", ")}.`
    : "";
  state.chosen = {};
  state.words = {};
  for (const [role, moves] of Object.entries(value.legal)) {
    state.words[role] = new Map(moves.map((move, i) => [move, value.written[role][i]]));
    if (moves.length === 1) {
      state.chosen[role] = moves[0];
    }
  }
  for (const [role, moves] of Object.entries(value.legal)) {
    if (moves.length !== 1 || Object.values(value.legal).every((each) => each.length === 1)) {
      offer(role, moves, Object.keys(value.legal));
    }
  }
}

function make(joint) {
  state.moves.push(joint);
  unsay("answer", "counts");
  state.written.push(Object.fromEntries(Object.entries(joint).map(([role, move]) => [role, state.words[role].get(move)])));
  show();
}

function offer(role, moves, roles) {
  const title = document.createElement("h2");
  title.textContent = moves.length ? `${role} moves` : `${role} has no legal move`;
  const list = document.createElement("div");
  list.className = "moves";
  for (const move of moves.slice(0, MOST_BUTTONS)) {
    const button = document.createElement("button");
    button.textContent = move;
    button.setAttribute("aria-pressed", "false");
    button.onclick = () => {
      state.chosen[role] = move;
      list.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      if (roles.every((each) => each in state.chosen)) {
        make({ ...state.chosen });
      }
    };
    list.append(button);
  }
  at("moves").append(title, list);
  if (moves.length > MOST_BUTTONS) {
    list.append(`and ${moves.length - MOST_BUTTONS} more`);
  }
}

// What one does -----------------------------------------------------------------------------------

at("rules").oninput = () => {
  state.name = "";
  unsay("answer", "counts", "meant");
  clearTimeout(typed);
  typed = setTimeout(rulesChanged, PAUSE);
};
at("example").onchange = () => open(at("example").value);
at("back").onclick = () => (forget(state.moves.length - 1), show());
at("again").onclick = () => (forget(), show());
at("ask").onsubmit = async (event) => {
  event.preventDefault();
  const round = state.round;
  const { refused, value } = await question("why", at("rules").value, state.name, state.moves, at("query").value);
  if (round !== state.round) return;
  say("answer", refused ?? value);
};
at("count").onclick = async () => {
  const round = state.round;
  const { refused, value } = await question("perft", at("rules").value, state.name, state.moves);
  if (round !== state.round) return;
  say("counts", refused ?? table([["moves", "plays", "that end"], ...value]));
};
for (const kind of ["changes", "verify"]) {
  at(kind).onclick = async () => {
    say("meant", "Looking: some seconds.");
    const name = kind === "changes" ? at("example").value : state.name;
    const { refused, value } = await question(kind, at("rules").value, name);
    say("meant", refused ?? value);
  };
}
at("random").onclick = async () => {
  const found = await worth("estimate");
  if (!found) return;
  const rate = Math.round(found.games / found.seconds).toLocaleString("en");
  const means = found.roles.map((role, i) => `${role} ${found.means[i].toFixed(1)}`).join(", ");
  at("worth").replaceChildren(`${found.games.toLocaleString("en")} random games from here, ${rate} a second: on average ${means}.`);
};
at("search").onclick = async () => {
  const found = await worth("search");
  if (!found) return;
  at("worth").replaceChildren(`After ${found.games.toLocaleString("en")} games:`);
  found.roles.forEach((role, i) => {
    if (found.best[i].length < 2) return;
    const words = new Map([...state.words[role]].map(([move, written]) => [written, move]));
    const rows = found.best[i].slice(0, SHOWN).map((each) => [words.get(each.move), each.visits, each.value.toFixed(1)]);
    at("worth").append(table([[role, "visits", "value"], ...rows]));
  });
};

// Machine code ------------------------------------------------------------------------------------

const machine = new Worker("machine-worker.js", { type: "module" });
const thinking = new Map();
let thoughts = 0;
machine.onmessage = ({ data }) => {
  thinking.get(data.id)(data);
  thinking.delete(data.id);
};

/** Ask machine code about the position; null where the page has gone on meanwhile, or it cannot say. */
async function worth(kind) {
  const round = state.round;
  at("worth").replaceChildren("Thinking: a second.");
  const id = ++thoughts;
  const found = await new Promise((resolve) => {
    thinking.set(id, resolve);
    machine.postMessage({ id, kind, ruleset: state.name, play: state.written, milliseconds: SECOND });
  });
  if (round !== state.round) return null;
  if (found.refused === undefined) return found;
  at("worth").replaceChildren(`Not so: ${found.refused}.`);
  return null;
}

function table(rows) {
  const made = document.createElement("table");
  for (const row of rows) {
    const line = made.insertRow();
    row.forEach((cell) => (line.insertCell().textContent = cell.toLocaleString("en")));
  }
  return made;
}

begin();
const names = await (await fetch("./games.json")).json();
for (const name of names) {
  at("example").append(new Option(name, name));
}
/** Take the rules that follow the # of the address: examples of the documentation come so. */
async function take() {
  const rules = new URLSearchParams(location.hash.slice(1)).get("rules");
  if (rules === null) return;
  state.name = "";
  unsay("meant");
  at("rules").value = rules;
  await rulesChanged();
}

await open(names[0]);
window.onhashchange = take;
await take();
