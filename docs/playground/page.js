// The page: what was typed and played goes to Python, what comes back is shown.

const PAUSE = 300; // milliseconds after the last key
const PATIENCE = 30_000; // milliseconds for one question
const MOST_BUTTONS = 400;

const at = (id) => document.getElementById(id);
const state = { name: "", moves: [], chosen: {}, round: 0 };

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
  state.moves = [];
  state.chosen = {};
  const round = ++state.round;
  const text = at("rules").value;
  const found = await question("check", text);
  if (round !== state.round) return;
  at("problems").textContent = found.refused ?? (found.value.said || "Nothing.");
  await show();
}

async function open(name) {
  const found = await question("rules_of", name);
  if (found.refused !== undefined) return;
  state.name = name;
  at("rules").value = found.value;
  await rulesChanged();
}

// The game ----------------------------------------------------------------------------------------

async function show() {
  const round = ++state.round;
  const { refused, value } = await question("position", at("rules").value, state.name, state.moves);
  if (round !== state.round) return;
  at("back").disabled = at("again").disabled = state.moves.length === 0;
  at("moves").replaceChildren();
  at("board").replaceChildren();
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
  for (const [role, moves] of Object.entries(value.legal)) {
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
        state.moves.push({ ...state.chosen });
        show();
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
  clearTimeout(typed);
  typed = setTimeout(rulesChanged, PAUSE);
};
at("example").onchange = () => open(at("example").value);
at("back").onclick = () => (state.moves.pop(), show());
at("again").onclick = () => ((state.moves = []), show());
at("ask").onsubmit = async (event) => {
  event.preventDefault();
  const { refused, value } = await question("why", at("rules").value, state.name, state.moves, at("query").value);
  at("answer").hidden = false;
  at("answer").textContent = refused ?? value;
};
at("count").onclick = async () => {
  const { refused, value } = await question("perft", at("rules").value, state.name, state.moves);
  const table = document.createElement("table");
  for (const row of [["moves", "plays", "that end"], ...(value ?? [])]) {
    const line = table.insertRow();
    row.forEach((cell) => (line.insertCell().textContent = cell.toLocaleString("en")));
  }
  at("counts").replaceChildren(refused ?? table);
};

begin();
const { value: names } = await ask("examples");
for (const name of names) {
  at("example").append(new Option(name, name));
}
await open(names[0]);
