// The page: one game on the table, its positions, and everything a person can do with it.
//
// A table is a match on the server or a study that only the page knows. What is on the board
// comes from the server, for every position: the page knows no rules.

import * as address from "./address.js";
import { ofThoughts, ofValues } from "./advice.js";
import { act, ask, download, matchPath, Problem, rulesetPath, send as sendText, Watch } from "./api.js";
import { BoardView, drawn, el, turnedAround } from "./board.js";
import { Choice } from "./choose.js";
import { RuleEditor } from "./editor.js";
import { drawGames } from "./games.js";
import { keep, kept, recalled, remember } from "./kept.js";
import { drawPlayers, playedRoles, whoAmI } from "./players.js";
import * as sound from "./sound.js";
import { drawTree, Tree } from "./tree.js";

const $ = (id) => document.getElementById(id);
const pinned = new Map();
let table = null; // what is being played or looked at

// ---------------------------------------------------------------- the table

class Table {
  // source: {ruleset}, {rules, title, like} or {match}; card: names, frame, roles.
  constructor({ source, card, match = null, secrets = {}, invitations = {} }) {
    Object.assign(this, { source, card, match, secrets, invitations });
    this.tree = new Tree((role) => this.titleOf(role));
    this.live = null; // the newest state of the match
    this.choice = new Choice([]);
    this.shown = null;
    this.view = null;
    this.isTurned = card.near !== null && this.mine.length === 1 && this.mine[0] !== card.near; // one's own men lie below
    this.isSending = false;
    this.values = new Map();
    this.wins = new Map(); // by node, the sites that decided the game
  }

  // What people call a role.
  titleOf(role) {
    return this.card.players.find((player) => player.role === role)?.title ?? role;
  }

  get isMatch() {
    return this.match !== null;
  }

  // The roles that are played at this board.
  get mine() {
    return Object.keys(this.secrets).filter((role) => this.secrets[role]);
  }

  request(node) {
    const { seq, moves } = this.tree.place(node);
    return this.isMatch ? { match: this.match, seq, moves } : { ...this.source, moves };
  }

  async stateOf(node) {
    if (!node.state) {
      const { state, refused } = await patiently(() => ask("POST", "/api/positions", this.request(node), this.token));
      if (refused) throw Object.assign(new Error(refused.message), refused);
      node.state = state;
    }
    return node.state;
  }

  // The state of a node with all that may be done there: what spectators are told only counts it.
  async withMoves(node) {
    const state = await this.stateOf(node);
    if (isCounted(state)) {
      const { seq } = this.tree.place(node);
      state.legal = (await ask("POST", "/api/positions", { match: this.match, seq }, this.token)).state.legal;
    }
  }

  // Whoever plays several roles of a game that hides something looks as the one that is to move.
  async seen(state, node) {
    const role = state.toMove.find((each) => this.mine.includes(each));
    if (!state.hidden || this.token || role === undefined || node !== this.tree.tip || state.you === role) return state;
    node.state = await ask("GET", matchPath(this.match), undefined, this.secrets[role]);
    return node.state;
  }

  // Whoever plays several roles looks as one of them, if that shows him all there is to see.
  get token() {
    const roles = this.mine;
    return roles.length === 1 || this.isPrivate || !this.isHidden ? (this.secrets[roles[0]] ?? "") : "";
  }

  // Whether a move made now goes to the server.
  isAtStake(role) {
    return this.isMatch && this.tree.current === this.tree.tip && this.live?.status === "active" && this.mine.includes(role);
  }

  // Whether a move made now is only tried.
  get isTrying() {
    return !this.isMatch || this.tree.current !== this.tree.tip || this.live?.status !== "active" || !this.mine.length;
  }
}

async function rulesOf(id) {
  if (!pinned.has(id)) pinned.set(id, await ask("GET", rulesetPath(id)));
  return pinned.get(id);
}

function cardOf(rules) {
  return { id: rules.id, title: rules.title || rules.id, players: rules.players ?? [], frame: rules.frame ?? null, near: rules.near ?? null, trained: rules.trained ?? [], example: rules.notation?.example ?? "", summary: rules.summary ?? "" };
}

function titleOf(role) {
  return table?.titleOf(role) ?? role;
}

function put(next) {
  table?.watch?.close();
  const isChange = table?.isMatch !== next.isMatch; // what a person has folded stays so
  table = next;
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  table.host = document.createElement("div");
  figure.append($("above"), table.host, $("below"), caption);
  $("boards").replaceChildren(figure);
  table.caption = caption;
  table.beside = new Map();
  setBoard();
  if (isChange) $("setup").open = !table.isMatch && !matchMedia("(max-width: 60rem)").matches;
  const { summary } = table.card;
  const isSent = table.source.rules && summary;
  $("summary").textContent = isSent ? `Of the rules that these were made from: \u201c${summary}\u201d What was changed, the rules below say.` : summary || "Nobody has written down how this is played; the rules are below.";
  $("example").textContent = table.card.example ? `A move is written as ${table.card.example}; clicking the board does the same.` : "";
  $("why").hidden = true;
  $("eval").hidden = true;
  $("lines").hidden = true;
  nameInList();
  for (const box of $("others").querySelectorAll("input:checked")) addBeside(box.value);
  $("log").hidden = !table.isMatch;
  $("choices").replaceChildren();
  offerAdvisers();
  drawActs(); // what the table before allowed is not done to this one
  say("The board is being set up.");
  note("");
  showRules();
}

// Draw an empty board, from the side of the table on which a person sits.
function setBoard() {
  const { card } = table;
  if (!card.frame) return;
  const frame = table.isTurned ? turnedAround(card.frame) : card.frame;
  table.view = new BoardView(table.host, { ...card, frame }, { onTouch: touched, onTurn: play, label: card.title });
}

const TEXT = ""; // in the list of rules: the text on the board

// Let the list of rules name what is on the board: a text, and a ruleset with parameters
// (hex?size=4), get a line of their own, which stands first.
function nameInList() {
  const list = $("ruleset");
  const wanted = table.source.rules ? TEXT : table.source.ruleset;
  const own = [...list.options].find(({ dataset }) => dataset.own);
  if (own?.value !== wanted) own?.remove();
  let option = [...list.options].find(({ value }) => value === wanted);
  if (!option) {
    option = new Option("", wanted);
    option.dataset.own = "yes";
    list.prepend(option);
  }
  if (option.dataset.own) option.textContent = table.card.title;
  list.value = wanted;
}

// ---------------------------------------------------------------- showing

let turn = 0; // number of the last call of show: an older one that comes late draws nothing

async function show({ animate = true } = {}) {
  const here = table;
  const run = ++turn;
  const node = here.tree.current;
  let state;
  try {
    state = await here.seen(await here.stateOf(node), node);
  } catch (problem) {
    say(problem.message);
    return;
  }
  if (run !== turn || here !== table) return;
  here.shown = state;
  const moves = movesOf(state);
  const position = JSON.stringify([state.ply, here.tree.line(node), moves.map(({ role, text }) => [role, text])]);
  if (here.choice.position !== position) here.choice = new Choice(moves, position);
  else here.choice.all = moves; // it is told again: a choice that is made by half goes on
  drawTree($("moves"), here.tree, (to) => go(to));
  drawBoard({ animate });
  drawChoices();
  drawFacts(state);
  drawKnown(state);
  drawActs();
  describe();
  showBeside();
  showValue();
  showWin(node);
  nameAddress();
  if ($("always").checked && state.toMove.length && !isThinking(state)) advise();
  passBy();
}

// Where rules hide whose turn it is everybody makes a move in each; whoever has but one, and that
// nowhere on the board, need not press a button for it.
function passBy() {
  const { choice, live, shown } = table;
  const [only, ...others] = choice.all;
  if (!shown?.hidden || !only || others.length || only.steps || only.touch || !table.isAtStake(only.role)) return;
  if (table.isSending || table.passed === choice.position || (live.clock && absent().length)) return;
  table.passed = choice.position; // once, whatever comes of it
  play(only.text);
}

function isThinking(state) {
  return table.isMatch && table.tree.current === table.tree.tip && state.toMove.some((role) => table.live?.seats?.[role]?.agent);
}

// Whether a state says how many moves there are, and not which.
function isCounted(state) {
  return Object.values(state.legal).some(({ moves }) => !moves);
}

function movesOf(state) {
  const roles = table.isTrying ? state.toMove : state.toMove.filter((role) => table.isAtStake(role));
  const role = roles[0];
  const legal = role === undefined ? null : state.legal[role];
  if (!legal?.moves) return [];
  return legal.moves.map((text, index) => {
    const at = legal.touches?.[index];
    const steps = legal.steps?.[index] ?? null;
    const pick = legal.picks?.[index] ?? null;
    return { role, text, steps, pick, piece: legal.pieces?.[pick] ?? null, touch: at && { block: at[2], degrees: at[3] } };
  });
}

const UNSEEN = { sites: {}, pieces: [], changed: [], isUnseen: true }; // of a game that hides its state

function drawBoard({ animate = false } = {}) {
  const state = table.shown;
  if (!table.view || !state) return;
  const at = state.lastTouch;
  table.view.show(state.scene ?? state.known ?? UNSEEN, {
    open: (site) => table.choice.isOpen(site) || handOf(site) !== null,
    next: (site) => table.choice.touched.length > 0 && table.choice.goesOn(site),
    chosen: [...table.choice.touched, ...inHandNow()],
    ghost: table.card.players.find((player) => player.role === table.choice.moves[0]?.role)?.colour,
    touch: at && { row: at[0], column: at[1], block: at[2], degrees: at[3] },
    last: state.lastSites,
    line: table.wins.get(table.tree.current) ?? [],
    hints: hints(),
    animate,
  });
  table.view.offerTurns(table.choice.turns.map(({ text, touch }) => ({ move: text, touch })));
}

const KNOWN_TRIES = 3; // where time was short, or machine code is still made
const KNOWN_PAUSE = 3000; // milliseconds between two

// What somebody knows for certain of a game that hides its state; until it is told nothing is shown.
async function drawKnown(state) {
  if (!state.hidden || !table.isMatch || !table.view || !table.secrets[state.you] || "known" in state) return;
  const here = table;
  for (let tries = 0; tries < KNOWN_TRIES && !state.known && here.shown === state && here === table; tries += 1) {
    if (tries) await new Promise((go) => setTimeout(go, KNOWN_PAUSE));
    const question = { match: here.match, seq: state.seq, seconds: 2 };
    state.known = null;
    state.known = await ask("POST", "/api/known", question, here.secrets[state.you]).then(({ scene }) => scene, () => null);
  }
  if (here === table && here.shown === state) drawBoard();
}

function drawChoices() {
  const { choice } = table;
  const all = table.view ? choice.plain : choice.moves;
  const worths = new Map((table.values.get(table.tree.current)?.moves ?? []).map((each) => [each.move, each]));
  $("choices").replaceChildren(...all.slice(0, 300).map(({ text, piece }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (piece) button.prepend(pictured(piece));
    const known = worths.get(text);
    if (known) button.append(Object.assign(document.createElement("span"), { className: `worth ${known.tone}`, textContent: ` ${known.worth}`, title: known.words }));
    button.addEventListener("click", () => play(text));
    return button;
  }));
  drawPalette();
  $("legal").replaceChildren(...choice.all.slice(0, 2000).map(({ text }) => {
    const option = document.createElement("option");
    option.value = text;
    return option;
  }));
  const isCounting = table.isTrying && isCounted(table.shown);
  if (isCounting) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Try a move" });
    button.addEventListener("click", mayTry);
    $("choices").replaceChildren(button);
  }
  $("move").placeholder = table.card.example || choice.moves[0]?.text || "as text";
  $("move").disabled = !choice.moves.length && !isCounting;
}

// What may be put down, to be picked before the place is touched.
function drawPalette() {
  const { choice } = table;
  $("palette").hidden = !choice.picks.length || !table.view;
  $("palette").replaceChildren(...(table.view ? choice.picks : []).map((pick) => {
    const { piece } = choice.all.find((move) => move.pick === pick);
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...(piece ? [pictured(piece)] : []), piece?.[2] ?? pick);
    button.dataset.pick = pick;
    button.setAttribute("aria-pressed", choice.picked === pick);
    button.addEventListener("click", () => pickUp(pick));
    return button;
  }));
}

function pickUp(pick) {
  table.choice.pick(pick);
  $("why").hidden = true;
  drawBoard();
  drawChoices();
  describe();
  $("palette").querySelector(`[data-pick="${CSS.escape(pick)}"]`)?.focus({ preventScroll: true });
}

// A piece as it stands on the board: shapes around a middle, as a picture of its own.
function pictured([shapes]) {
  return el("svg", { viewBox: "-30 -30 60 60", class: "board piece", "aria-hidden": "true" }, el("g", { class: "mark" }, ...shapes.map(drawn)));
}

const MOST_SEEN = 30; // turns of which it is told what was seen

function drawFacts(state) {
  const facts = state.payload?.facts;
  $("facts").textContent = !table.view && Array.isArray(facts) ? facts.join("\n") : "";
  const seen = (state.percepts ?? []).map((percepts, turn) => `${turn + 1} ${percepts.join(", ") || "nothing"}`);
  $("seen").hidden = !seen.length;
  $("seen").textContent = `${titleOf(state.you)} saw: ${seen.length > MOST_SEEN ? "… · " : ""}${seen.slice(-MOST_SEEN).join(" · ")}`;
}

function drawActs() {
  const { live, mine } = table;
  const isOn = table.isMatch && live?.status === "active";
  const offer = live?.drawOffer;
  const asked = live?.takeback;
  const toAnswer = (offered) => mine.filter((role) => offered && role !== offered.by && !offered.accepted.includes(role));
  const others = toAnswer(offer);
  $("resign").hidden = !(isOn && mine.length);
  $("rematch").hidden = !(table.isMatch && live?.status === "finished" && (live.rematch || (mine.length && !absent().length)));
  $("rematch").textContent = live?.rematch ? "To the rematch" : "Rematch";
  const isAlone = live && playedRoles(live).length < 2; // nature agrees to nothing
  $("draw").hidden = !(isOn && mine.length && !offer && !isAlone);
  $("accept").hidden = $("decline").hidden = !(isOn && others.length);
  $("takeback").hidden = !(isOn && mine.length && !asked && live.ply && !live.hidden && !isAlone);
  $("agree").hidden = $("stand").hidden = !(isOn && toAnswer(asked).length);
  $("drop").hidden = table.tree.current.seq !== null;
  $("back").disabled = $("first").disabled = !table.tree.current.parent;
  $("forth").disabled = !table.tree.current.children.length;
  $("last").disabled = table.isMatch ? table.tree.current === table.tree.tip : $("forth").disabled;
  $("advice").disabled = !table.shown?.toMove.length || table.shown.hidden;
  drawInvitations(isOn ? absent() : []);
  drawNames();
}

function drawNames() {
  drawPlayers($("above"), $("below"), table, titleOf);
  const who = whoAmI(table, titleOf);
  if ($("who").textContent !== who.map((part) => part.textContent ?? part).join("")) $("who").replaceChildren(...who);
}

// The roles of a match at which nobody sits yet.
function absent() {
  const seats = Object.entries(table.live?.seats ?? {});
  return seats.filter(([, seat]) => !seat || seat.reserved).map(([role]) => role);
}

// A link for each seat that this page can give away: one that is open, or whose invitation it has.
function drawInvitations(roles) {
  const links = roles.flatMap((role) => {
    const invitation = table.invitations[role];
    if (table.live.seats[role]?.reserved && !invitation) return [];
    const words = new URLSearchParams({ match: table.match, join: role, ...(invitation ? { invitation } : {}) });
    return [{ role, link: `${location.origin}${location.pathname}#${words}`, isKept: Boolean(invitation) }];
  });
  const told = JSON.stringify(links);
  if ($("invitations").dataset.told === told) return; // what somebody has marked there stays marked
  $("invitations").dataset.told = told;
  $("invitations").replaceChildren(...links.map(({ role, link, isKept }) => {
    const row = document.createElement("label");
    const field = Object.assign(document.createElement("input"), { readOnly: true, value: link });
    field.dataset.role = role;
    field.addEventListener("focus", () => field.select());
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
    button.setAttribute("aria-label", `Copy the link for ${titleOf(role)}`);
    button.addEventListener("click", () => copy(field, button));
    row.append(`${isKept ? "Invitation" : "Link"} for ${titleOf(role)}`, field, button);
    return row;
  }));
}

async function copy(field, button) {
  field.select();
  let isDone = false;
  try {
    await navigator.clipboard.writeText(field.value);
    isDone = true;
  } catch {
    isDone = document.execCommand("copy"); // a page without TLS has no clipboard of its own
  }
  const { textContent } = button;
  button.textContent = isDone ? "Copied" : "Press Ctrl-C";
  setTimeout(() => (button.textContent = textContent), 2000);
}

function describe() {
  const state = table.shown;
  const { current, tip } = table.tree;
  const where = current.seq === null && table.isMatch ? "Analysis: " : current !== tip && table.isMatch ? "Looking back: " : "";
  const said = where + sentence(state);
  say(said[0].toUpperCase() + said.slice(1)); // roles of rules without a manifest are small words
  const kept = table.live?.spectators === false ? " · private" : "";
  table.caption.textContent = `${table.card.title} · move ${state.ply}${kept}`;
  document.title = `${isMyTurn() ? "● Your move · " : ""}${table.card.title} · gdl`;
  note(noteOf(state));
}

// Whether others wait for who sits at this page; whoever plays all sides is waited for by nobody.
function isMyTurn() {
  const { live, mine } = table;
  return live?.status === "active" && mine.length < playedRoles(live).length && live.toMove.some((role) => mine.includes(role));
}

// What a program could not do: what a log says of the last moves, or why nobody moves now.
function noteOf(state) {
  const { tree, live } = table;
  return (tree.current === tree.tip && live?.trouble) || tree.note(state.roles.length);
}

function note(text) {
  $("note").hidden = !text;
  if ($("note").textContent !== text) $("note").textContent = text;
}

function sentence(state) {
  if (state.outcome) {
    const { how, by, goals } = state.outcome;
    if (how === "stuck" && !by) return "The game cannot go on: what the rules make true grows beyond what can be told.";
    if (how === "stuck") return `The game cannot go on: the rules leave ${titleOf(by)} without a move.`;
    if (how === "idle") return "The game cannot go on: the rules never let anybody do anything.";
    if (how === "endless") return "The match is over: the rules let it go on for ever, and it has gone on for 5000 turns.";
    const result = resultOf(state, titleOf);
    const reason = {
      resignation: `${titleOf(by)} resigned; `,
      timeout: `${titleOf(by)} ran out of time; `,
      "draw-agreed": "agreed; ",
    }[how] ?? "";
    const points = Object.entries(goals).map(([role, goal]) => `${titleOf(role)} ${goal ?? "?"}`).join(", ");
    return `The game is over: ${result} (${reason}${points}).`;
  }
  if (!state.toMove.length) return "Nobody has anything to do.";
  const isNow = table.tree.current === table.tree.tip;
  const agentOf = (role) => (isNow && role !== "random" && !table.mine.includes(role) && table.live?.seats?.[role]?.agent) || "";
  const movers = state.toMove.filter((role) => !agentOf(role)).map(titleOf).join(" and ");
  const asked = state.takeback ? ` ${titleOf(state.takeback.by)} asks to take a move back.` : "";
  const offer = (state.drawOffer ? ` ${titleOf(state.drawOffer.by)} offers a draw.` : "") + asked;
  if (!movers) {
    const programs = state.toMove.map((role) => `${titleOf(role)} (${agentOf(role)})`);
    return `${programs.join(" and ")} ${programs.length > 1 ? "are" : "is"} thinking.${offer}`;
  }
  const picked = table.choice.moves[0]?.piece?.[2] ?? table.choice.picked;
  const what = !table.choice.touched.length ? (table.choice.picked === null ? "" : `: choose where to put the ${picked}`) : table.choice.turns.length ? ": choose a turn, or another square" : ": choose where to, or another square";
  const missing = table.isMatch ? absent().map(titleOf).join(" and ") : "";
  return `${movers} to move${what}.${missing ? ` Nobody sits at ${missing} yet.` : ""}${offer}`;
}

function resultOf({ outcome, roles }, nameOf) {
  const { winner, goals } = outcome;
  if (winner) return `${nameOf(winner)} wins`;
  if (roles.length === 1) return `${goals[roles[0]] ?? "no"} points`;
  const known = new Set(Object.values(goals));
  return known.size === 1 && !known.has(null) ? "a draw" : "no winner";
}

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

setInterval(() => table?.live?.clock && table.live.status === "active" && drawNames(), 100);

// Mark what the proof of a win rests on: the line of five, the path from side to side.
async function showWin(node) {
  const { outcome, scene } = table.shown;
  if (outcome?.how !== "rules" || !outcome.winner || !table.view || table.wins.has(node)) return;
  const here = table;
  here.wins.set(node, []);
  const query = `goal ${outcome.winner} ${outcome.goals[outcome.winner]}`;
  const { sites } = await ask("POST", "/api/why", { ...here.request(node), query }, here.token).catch(() => ({ sites: [] }));
  const pieces = Object.values(scene.sites).filter(([piece]) => piece !== null).length;
  const line = sites.filter((site) => scene.sites[site]);
  if (line.length < pieces) here.wins.set(node, line); // a count of all pieces is no line
  if (here === table && here.tree.current === node) drawBoard();
}

// What the address bar says: an analysis and its moves can be passed on as they are.
function nameAddress() {
  if (table.isMatch || address.read(location.hash).match) return; // a match that is being opened
  const text = addressOf();
  if (text !== null && text !== location.hash) history.replaceState(null, "", text);
}

function addressOf() {
  const { seq, moves } = table.tree.place();
  const line = moves.flatMap((move) => Object.entries(move));
  const at = table.isMatch && (line.length || table.tree.current !== table.tree.tip) ? seq : null;
  return address.written({ match: table.match, source: table.source, at, line });
}

// ---------------------------------------------------------------- moving

// A spectator begins to try a move, and is shown which there are; returns whether he still may.
async function mayTry() {
  const here = table;
  const node = here.tree.current;
  if (!here.isTrying || !isCounted(here.shown)) return true;
  try {
    await here.withMoves(node);
  } catch (problem) {
    say(problem.message);
    return false;
  }
  if (here !== table || here.tree.current !== node) return false;
  await show({ animate: false });
  return here === table && here.tree.current === node;
}

async function touched(site) {
  if (table.isSending || !table.shown) return null; // half of a double click; nothing is there yet
  if (!(await mayTry())) return null;
  const inHand = handOf(site);
  if (inHand !== null) return pickUp(inHand);
  const before = table.choice.touched;
  const wasChosen = before.includes(site);
  const text = table.choice.touch(site);
  if (text !== null) return play(text);
  if (table.choice.touched.length) {
    $("why").hidden = true;
    drawBoard();
    drawChoices();
    describe();
    return null;
  }
  drawBoard();
  drawChoices();
  if (wasChosen) return describe(); // it is put down where it was
  if (!table.shown.toMove.length) return describe();
  if (!table.isTrying && !table.choice.moves.length) {
    return say(`It is not your turn. ${sentence(table.shown)}`);
  }
  return explain({ sites: [...before, site] });
}

// The sites at which what is picked lies in a hand.
function inHandNow() {
  const { picked } = table.choice;
  return picked === null ? [] : [...table.card.frame.sites.keys()].filter((site) => handOf(site) === picked);
}

const cellOf = (site) => table.card.frame.sites[site]?.cell;

// What is picked by touching a site at which nothing can be played: the piece that lies there, in
// somebody's hand or on a pile, where it is one that may be put down.
function handOf(site) {
  const { choice, shown } = table;
  const name = shown.scene?.sites[site]?.[1];
  if (!name || cellOf(site)) return null;
  const isOnBoard = choice.all.some(({ steps }) => steps?.some((step) => step.includes(site) || !cellOf(step[0])));
  if (isOnBoard) return null;
  return choice.picks.find((pick) => choice.all.find((move) => move.pick === pick).piece?.[1] === name) ?? null;
}

async function play(text) {
  if (!(await mayTry())) return;
  const known = table.choice.all.find((move) => move.text === text);
  const role = known?.role ?? table.choice.all[0]?.role;
  if (!role) return;
  $("why").hidden = true;
  if (!table.isAtStake(role)) return attempt(role, text);
  if (table.live.clock && absent().length) return say(`Nobody sits at ${absent().map(titleOf).join(" and ")} yet, and the clock would run: wait with the first move.`);
  await send(role, { type: "MOVE", move: text }, known);
}

// A move that is tried: it becomes a branch only when the rules allow it.
async function attempt(role, text) {
  const here = table;
  const before = here.tree.current;
  const isNew = !before.children.some((each) => each.role === role && each.move === text);
  const node = here.tree.branch(before, role, text);
  try {
    await here.stateOf(node);
  } catch (problem) {
    if (isNew) before.children = before.children.filter((each) => each !== node);
    if (here !== table) return null;
    return problem instanceof Problem || !NOT_ALLOWED.includes(problem.code) ? say(problem.message.split("\n")[0]) : explain({ query: `legal ${role} ${text}` }, problem, { role, text });
  }
  if (here !== table) return null;
  $("move").value = "";
  sound.knock();
  return go(node);
}

// Random enough to be nobody else's; crypto.randomUUID is there only with TLS or on localhost.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(role, action, known = true) {
  const here = table;
  here.isSending = true;
  try {
    await act(here.match, here.secrets[role], { id: newId(), seq: here.live.seq, ...action }, () =>
      say("The server does not answer. What you did is sent again until it does."),
    );
    if (action.type === "MOVE") $("move").value = "";
  } catch (problem) {
    if (LATE.includes(problem.code)) return describe(); // the match has gone on meanwhile
    if (action.type === "MOVE" && NOT_ALLOWED.includes(problem.code)) explain({ query: `legal ${role} ${action.move}` }, problem, { role, text: action.move });
    else say(problem.message.split("\n")[0]);
  } finally {
    here.isSending = false;
    if (here === table) passBy(); // the next turn may have been told meanwhile
  }
  return null;
}

const LATE = ["game-over", "wrong-sequence", "already-moved", "out-of-turn"];

// refusal: what the server said to a move ({role, text}) that was tried, or nothing to a touch.
async function explain(question, refusal = null, tried = null) {
  const here = table;
  try {
    const { text, short, move } = await ask("POST", "/api/why", { ...here.request(here.tree.current), ...question }, here.token);
    const [role, what] = tried ? [tried.role, tried.text] : [table.choice.all[0]?.role, move];
    const usual = role && what ? `${titleOf(role)} cannot play ${what} here.` : "The rules do not allow a move there.";
    if (here === table) tell(short ?? usual, text);
  } catch (problem) {
    const message = refusal?.message ?? problem.message;
    if (here !== table) return;
    if (tried && UNREADABLE.includes(refusal?.code)) tell(`\u201c${tried.text}\u201d is no move here. ${howMovesAreWritten(tried.text)}`, message, "What was expected");
    else tell(message);
  }
}

const UNREADABLE = ["malformed", "out-of-range"];
const NOT_ALLOWED = [...UNREADABLE, "occupied", "illegal-move"]; // for all else it is not the move that is wrong
const SAMPLES = 3; // moves that are named to whoever has typed what is none

// The legal moves that look most like a text.
function howMovesAreWritten(text) {
  const alike = (move) => [...text.toLowerCase()].filter((letter) => move.toLowerCase().includes(letter)).length;
  const near = table.choice.all.map((move) => move.text).sort((one, other) => alike(other) - alike(one));
  if (near.length < 2) return near.length ? `The only move is ${near[0]}.` : "";
  const shown = near.slice(0, SAMPLES);
  return `Moves are written as ${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}.`;
}

// A reason for a person, and the proof one click further.
function tell(reason, proof = "", kind = "The proof in the rules") {
  $("reason").textContent = reason;
  $("because").firstElementChild.textContent = kind;
  $("proof").textContent = proof;
  $("because").hidden = !proof;
  $("why").hidden = false;
  say(reason.split("\n")[0]);
}

async function go(node, options) {
  table.tree.current = node;
  await show(options);
}

// ---------------------------------------------------------------- matches

const INVITED = "?";
const OPEN = "*";

// roles: those that somebody plays, as the server tells them.
async function newMatch(source, roles) {
  const mine = $("seat").value && roles.includes($("seat").value) ? $("seat").value : roles[0];
  const against = $("against").value;
  const seconds = Math.min(10, Math.max(0.1, Number($("seconds").value) || 1));
  const seats = {};
  for (const role of roles) {
    if (role === mine || against === "") seats[role] = { name: ownName() };
    else if (against === INVITED) seats[role] = { invite: true };
    else if (against !== OPEN) seats[role] = { agent: against, seconds };
  }
  const [initialMs, incrementMs] = $("clock").value.split("/").map(Number);
  const clock = $("clock").value ? { clock: { initialMs, incrementMs } } : {};
  say("The match is being set up.");
  const access = $("private").checked ? { listed: false, spectators: false } : {};
  const made = await ask("POST", "/api/matches", { ...source, ...clock, ...access, seats });
  const each = (name) => Object.fromEntries(Object.entries(made.seats).map(([role, seat]) => [role, seat[name]]));
  keep(made.match, { secrets: each("token"), invitations: each("invitation"), source, owner: made.owner });
  if (location.hash === `#match=${made.match}`) await openMatch(made.match);
  else location.hash = `match=${made.match}`;
}

const ownName = () => $("name").value.trim();

// Whoever sends rules may call them as others are called.
const sentTitle = (title) => `${title} (sent rules)`;

// The rules of a match with their board: shipped ones as they are, others as the match has them.
async function rulesOfMatch({ match, ruleset, digest, shipped }, token) {
  if (shipped) {
    const rules = await rulesOf(ruleset);
    if (rules.digest === digest) return { rules, source: { ruleset } };
  }
  const { ruleset: sent } = await ask("POST", "/api/positions", { match, seq: 0, about: true }, token);
  return { rules: { ...sent, title: sentTitle(sent.title || sent.id) }, source: { rules: sent.rules, title: sent.title } };
}

// join and invitation: the seat to take first, as a link says.
async function openMatch(match, { join = null, invitation = null, at = null, line = [] } = {}) {
  const known = kept(match);
  const secrets = known.secrets ?? {};
  let refused = "";
  if (join && !secrets[join]) {
    const path = `${matchPath(match)}/seats/${encodeURIComponent(join)}`;
    try {
      const seat = await ask("POST", path, { name: ownName(), ...(invitation ? { invitation } : {}) });
      secrets[join] = seat.token;
      keep(match, { ...known, secrets });
    } catch (problem) {
      if (problem.code !== "seat-taken" && problem.status !== 403) throw problem;
      refused = problem.message; // one may look on all the same, if the match has spectators
    }
  }
  if (join) history.replaceState(null, "", `#match=${encodeURIComponent(match)}`); // what is used up need not be kept
  const token = Object.values(secrets).find(Boolean) ?? "";
  const first = await ask("GET", matchPath(match), undefined, token);
  const { rules, source } = await rulesOfMatch(first, token);
  const { invitations = {} } = known;
  put(new Table({ source: known.source ?? source, card: cardOf(rules), match, secrets, invitations }));
  if (refused) tell(refused);
  table.isPrivate = !first.spectators; // whoever plays all sides of it may look only as one of them
  table.isHidden = first.hidden;
  const here = table;
  here.wanted = at === null ? null : { at, line };
  here.watch = new Watch(match, {
    token: here.token,
    since: () => here.tree.tip.seq,
    onLink: (isUp) => {
      if (!isUp) say("The connection is lost. Trying again.");
      else if (here.down && here.shown) describe();
      here.down = !isUp;
    },
    onRefused: (problem) => say(problem.message),
    onMessage: (message) => heard(here, message),
  });
}

function heard(here, { entries, state }) {
  if (here !== table) return;
  const followed = here.tree.current === here.tree.tip;
  const before = here.tree.tip;
  for (const entry of entries) {
    if (entry.seq + 1 > here.tree.tip.seq) here.tree.extend(entry);
    else if (!entry.hidden) reveal(here.tree, entry);
  }
  here.live = state;
  here.liveAt = Date.now();
  const known = here.tree.tip.state;
  here.tree.tip.state = known?.seq === state.seq ? { ...state, legal: known.legal } : state; // it may have been asked for
  if (here.wanted) {
    const { at, line } = here.wanted;
    here.wanted = null;
    return goTo(here, here.tree.before(at), line);
  }
  if (before !== here.tree.tip && before.parent) sound.knock(state.status === "active" ? 220 : 330);
  if (followed) go(here.tree.tip, { animate: before !== here.tree.tip });
  else show({ animate: false });
  return null;
}

// Follow moves behind a node as far as the rules allow them.
async function goTo(here, node, line) {
  const end = here.tree.follow(node, line);
  try {
    await here.stateOf(end);
    here.tree.current = end;
  } catch (problem) {
    here.tree.drop(here.tree.follow(node, line.slice(0, 1)));
    here.tree.current = node;
    if (here === table) tell(`The line of this address stops: ${problem.message.split("\n")[0]}`);
  }
  if (here === table) await show({ animate: false });
}

// A move that was kept back until the others of its turn had come.
function reveal(tree, entry) {
  for (let node = tree.tip; node; node = node.parent) {
    if (node.seq === entry.seq + 1 && node.move === null && entry.move) {
      Object.assign(node, { move: entry.move, text: entry.move });
    }
  }
}

function study(source, rules, line = []) {
  put(new Table({ source, card: cardOf(rules) }));
  return line.length ? goTo(table, table.tree.root, line) : show({ animate: false });
}

// Rules that somebody wrote, as the server reads them: who plays, and what board it finds.
async function rulesOfText(source) {
  const { ruleset } = await ask("POST", "/api/positions", { ...source, about: true });
  return ruleset;
}

// ---------------------------------------------------------------- under other rules

async function addBeside(id) {
  if (table.beside.has(id)) return;
  const figure = document.createElement("figure");
  figure.className = "beside";
  const host = document.createElement("div");
  const caption = document.createElement("figcaption");
  const onward = document.createElement("button");
  onward.type = "button";
  onward.textContent = "Go on under these rules";
  onward.addEventListener("click", () => goOn(id, here.texts ?? []).catch(complain));
  const how = document.createElement("p");
  how.className = "hint";
  figure.append(host, caption, how, onward);
  $("boards").append(figure);
  const here = { figure, caption, how, onward, view: null, texts: [], isMatched: false, titleOf: (role) => role };
  table.beside.set(id, here);
  const card = cardOf(await rulesOf(id));
  here.title = card.title;
  here.titleOf = (role) => card.players.find((player) => player.role === role)?.title ?? role;
  if (card.frame) here.view = new BoardView(host, card, { label: card.title });
  await showBeside();
}

const AGAIN = ["busy", "no-database"]; // what was refused for these is done a while later
const BUSY_MS = 2000;
let carrying = 0; // number of the last call of showBeside: an older one stops

// The server says which moves of two rulesets are the same. It takes a while to find out, once for
// each pair, and the boards ask one after the other: nobody may ask for much at once.
async function showBeside() {
  const here = table;
  const mine = ++carrying;
  for (const [id, side] of here.beside) {
    if (!side.isMatched) side.caption.textContent = `${side.title} · finding out which moves are the same\u2026`;
    const isLate = () => here !== table || mine !== carrying;
    const told = await carriedTo(here, id, isLate).catch((problem) => ({ problem }));
    if (isLate()) return;
    tellBeside(side, told);
  }
}

function carriedTo(here, id, isLate) {
  const wanted = { ...sourceOf(here), moves: here.tree.line(), other: id };
  return patiently(() => ask("POST", "/api/carried", wanted, here.token), isLate);
}

// Asks again while the server has no room for it, until nobody wants to know any more.
async function patiently(request, isLate = () => false) {
  while (true) {
    try {
      return await request();
    } catch (problem) {
      if (!AGAIN.includes(problem.code) || isLate()) throw problem;
      await new Promise((done) => setTimeout(done, BUSY_MS));
    }
  }
}

function tellBeside(side, { problem, state, texts, refused, matching }) {
  side.onward.hidden = Boolean(problem);
  if (problem) {
    side.caption.textContent = `${side.title} · ${problem.message}`;
    return;
  }
  side.isMatched = true;
  side.texts = texts;
  side.view?.show(state.scene);
  const end = state.outcome ? ` · over: ${resultOf(state, side.titleOf)}` : ` · ${state.toMove.map(side.titleOf).join(" and ")} to move`;
  const stop = refused ? ` · stops before move ${refused.move + 1}: ${refused.message.split("\n")[0]}` : "";
  side.caption.textContent = `${side.title} · move ${state.ply}${end}${stop}`;
  const renamed = Object.entries(matching.roles).filter(([mine, theirs]) => mine !== theirs);
  const roles = renamed.map(([mine, theirs]) => ` · ${titleOf(mine)} is ${side.titleOf(theirs)}`).join("");
  side.how.textContent = matching.note ? `Moves go by their names: ${matching.note}.` : `Moves matched by ${matching.method}${roles}.`;
}

// Take the position on under other rules: an analysis, as far as these rules allow the moves.
async function goOn(id, texts) {
  const rules = await rulesOf(id);
  if (table.isMatch) history.pushState(null, "", "#"); // going back takes up the match again
  $("others").querySelector(`input[value="${id}"]`).checked = false;
  $("ruleset").value = id;
  put(new Table({ source: { ruleset: id }, card: cardOf(rules) }));
  for (const move of texts) {
    const [[role, text]] = Object.entries(move);
    table.tree.current = table.tree.branch(table.tree.current, role, text);
  }
  await show({ animate: false });
}

function sourceOf(here) {
  return here.isMatch ? { match: here.match, seq: 0 } : here.source;
}

// ---------------------------------------------------------------- what a program thinks

const EXACT = "alphabeta"; // what it says is proven is the value, not an estimate
const ASK = $("advice").textContent;
const MOST_LINES = 3;
const MOST_VALUES = 12; // moves with exact values that are listed; the board marks all
const SHOWN_LINE = 12; // moves of a line that are shown

// Whoever may be asked what he thinks: programs of this server that play what is on the table.
function offerAdvisers() {
  const wanted = $("adviser").value;
  const names = ["", ...agentsFor(table.card.trained).map(({ name }) => name)];
  $("adviser").replaceChildren(...names.map((name) => new Option(name || "any program", name)));
  $("adviser").value = names.includes(wanted) ? wanted : "";
}

async function advise() {
  const here = table;
  const node = here.tree.current;
  if (here.values.has(node) || here.asking === node) return;
  here.asking = node;
  $("advice").disabled = true;
  $("advice").textContent = "Looking ahead…";
  const tell = (advice) => {
    here.values.set(node, advice);
    if (here === table) showValue();
  };
  try {
    const seconds = Math.min(5, Number($("seconds").value) || 1);
    const think = (path, more) => ask("POST", path, { ...here.request(node), seconds, ...more }, here.token);
    if (here === table) await mayTry(); // arrows start where moves do
    const { roles } = await here.stateOf(node);
    const asked = $("adviser").value;
    const known = asked ? null : await think("/api/values", { seconds: Math.min(1, seconds) }).catch(() => null);
    if (asked) tell(ofThoughts(await think("/api/evaluations", { agent: asked }), null, roles, titleOf, asked));
    else if (known?.value) tell(ofValues(known, roles, titleOf));
    else {
      const found = await think("/api/evaluations", { agent: "mcts" });
      tell(ofThoughts(found, null, roles, titleOf));
      const exact = await think("/api/evaluations", { agent: EXACT }).catch(() => null);
      if (exact) tell(ofThoughts(found, exact, roles, titleOf));
    }
  } catch (problem) {
    say(problem.message);
  }
  here.asking = null;
  $("advice").textContent = ASK;
  if (here === table) drawActs();
}

const stepsOf = (move) => table.choice.all.find(({ text }) => text === move)?.steps ?? null;

// What the board marks. Estimates: the best moves, each with its way. Exact values: every move,
// at the next of its sites; where several go on from there, the best of them.
function hints() {
  const advice = table.values.get(table.tree.current);
  if (!advice) return [];
  const { touched } = table.choice;
  const best = advice.moves.slice(0, MOST_LINES).flatMap(({ move, worth, tone }) => {
    const steps = stepsOf(move);
    return steps ? [{ sites: steps.map((sites) => sites[0]), text: worth || (steps.length > 1 ? "" : "✓"), tone }] : [];
  });
  if (!advice.isExact) return best;
  const marks = new Map();
  for (const { move, worth, tone } of advice.moves) {
    const steps = stepsOf(move);
    const isBegun = steps && touched.every((site, step) => steps[step]?.includes(site));
    const next = isBegun ? steps[touched.length]?.[0] : undefined;
    if (next !== undefined && !marks.has(next)) marks.set(next, { sites: [next], text: worth, tone });
  }
  const top = advice.moves[0]?.tone;
  const ways = touched.length ? [] : best.filter(({ sites, tone }) => sites.length > 1 && tone === top);
  return [...ways.map((way) => ({ ...way, text: "" })), ...marks.values()];
}

function drawLines(advice) {
  const listed = (advice?.moves ?? []).slice(0, advice?.isExact ? MOST_VALUES : MOST_LINES);
  $("lines").hidden = !listed.length;
  $("lines").replaceChildren(...listed.map(({ move, worth, tone, words, isProven, line }) => {
    const row = document.createElement("li");
    const label = advice.isExact || !worth ? move : `${move}: ${worth}`;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    button.addEventListener("click", () => attempt(advice.role, move));
    const said = Object.assign(document.createElement("span"), { textContent: ` ${isProven && !advice.isExact ? "proven" : words}`, className: `worth ${tone}` });
    row.append(button, said);
    if (line.length) {
      const then = Object.assign(document.createElement("span"), { className: "then" });
      then.textContent = ` · then ${line.slice(0, SHOWN_LINE).join(", ")}${line.length > SHOWN_LINE ? ", …" : ""}`;
      row.append(then);
    }
    return row;
  }));
}

function showValue() {
  const advice = table.values.get(table.tree.current);
  drawLines(advice);
  if (advice) {
    if (table.view) drawBoard();
    drawChoices();
  }
  $("eval").hidden = !table.values.size;
  const text = advice?.text ?? "not evaluated here";
  $("eval").firstElementChild.style.width = `${advice?.share ?? 50}%`;
  $("eval").lastElementChild.textContent = text;
  $("eval").setAttribute("aria-label", text);
}

// ---------------------------------------------------------------- rules

const editor = new RuleEditor({
  host: $("editor"),
  list: $("problems"),
  told: $("told"),
  check: (text) => (text.trim() ? patiently(() => ask("POST", "/api/check", { rules: text }), () => text !== editor.text) : { diagnostics: [], seats: [] }),
  changed: (text, answer) => follow(text, answer),
});

let edited = null; // {like, seats}: the ruleset whose picture the text has, and who can play it

// The board follows the text whenever the text can be played.
async function follow(text, { diagnostics, seats }) {
  const bad = !text.trim() || diagnostics.some((each) => each.severity === "error");
  $("playtext").disabled = bad;
  if (bad && edited?.title && edited.text === undefined) say(`${edited.title} cannot be played as it is; what is wrong stands below its text.`);
  if (bad) return;
  const isKnown = edited?.text === text;
  edited = { ...edited, seats };
  if (isKnown) return;
  const source = textSource(text);
  const moves = table ? table.tree.line() : [];
  const asked = patiently(() => ask("POST", "/api/positions", { ...source, moves, about: true }), () => text !== editor.text);
  const answer = await asked.catch((problem) => ({ problem }));
  if (answer.problem) return say(answer.problem.message.split("\n")[0]);
  const kept = answer.refused ? moves.slice(0, answer.refused.move) : moves;
  if (table.isMatch) history.pushState(null, "", "#"); // going back takes up the match again
  put(new Table({ source, card: cardOf(answer.ruleset) }));
  offerSeats(seats);
  edited = { ...edited, text };
  let node = table.tree.root;
  for (const move of kept) {
    const [[role, told]] = Object.entries(move);
    node = table.tree.branch(node, role, told);
  }
  table.tree.current = node;
  await show({ animate: false });
}

function textSource(rules) {
  return { rules, title: edited?.title ?? "my rules", ...(edited?.like ? { like: edited.like } : {}) };
}

$("edit").addEventListener("click", () => edit().catch(complain));
$("rules").addEventListener("toggle", () => {
  const isEmpty = () => !editor.text.trim();
  if (table?.isMatch && $("rules").open && isEmpty()) edit(isEmpty).catch(complain);
});

// The rules of what is on the table take the place of others that nobody has changed.
function showRules() {
  if (edited?.shown === undefined || editor.text !== edited.shown || table.source.rules === editor.text) return;
  const old = edited.shown;
  if ($("rules").open) edit(() => editor.text === old).catch(complain);
  else editor.text = ""; // they come when they are looked at
}

async function edit(isWanted = () => true) {
  const { ruleset, rules, like = ruleset, title } = table.source;
  const text = rules ?? (await rulesOf(ruleset)).rules;
  if (!isWanted()) return; // somebody has begun to write meanwhile
  edited = { like, title: rules ? title : `${ruleset}, edited` };
  editor.text = text;
  edited.text = edited.shown = editor.text;
}

$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (!file) return;
  edited = { title: file.name };
  say(`${file.name} is being read.`);
  editor.text = await file.text();
  $("file").value = "";
});
$("playtext").addEventListener("click", () => {
  const source = textSource(editor.text);
  newMatch(source, edited.seats).catch(complain);
});

// ---------------------------------------------------------------- controls

const complain = (problem) => say(problem.message.split("\n")[0]); // what programs are told more stands below
// What the server refuses and nobody waits for is said all the same; a fault of the page stays one.
window.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof Problem)) return;
  event.preventDefault();
  complain(event.reason);
});

$("new").addEventListener("click", async () => {
  try {
    const id = $("ruleset").value;
    if (id === TEXT) return $("playtext").disabled ? say("The text cannot be played as it is.") : $("playtext").click();
    await newMatch({ ruleset: id }, (await rulesOf(id)).seats);
  } catch (problem) {
    complain(problem);
  }
});
$("ruleset").addEventListener("change", () => {
  seatWanted = "";
  chosen().catch(complain);
});
let seatWanted = ""; // what somebody has chosen since the rules were, which may still be on their way
$("seat").addEventListener("change", () => (seatWanted = $("seat").value));
$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("move").value.trim();
  if (text) play(text);
});
$("move").addEventListener("focus", mayTry);
$("back").addEventListener("click", () => table.tree.current.parent && go(table.tree.current.parent, { animate: false }));
$("forth").addEventListener("click", () => table.tree.current.children[0] && go(table.tree.current.children[0]));
$("first").addEventListener("click", () => go(table.tree.root, { animate: false }));
$("last").addEventListener("click", () => {
  let node = table.isMatch ? table.tree.tip : table.tree.current;
  while (!table.isMatch && node.children.length) node = node.children[0];
  go(node, { animate: false });
});
$("drop").addEventListener("click", () => {
  table.tree.drop(table.tree.current);
  show({ animate: false });
});
$("advice").addEventListener("click", () => {
  table.values.delete(table.tree.current);
  advise();
});
$("adviser").addEventListener("change", () => {
  table.values.clear();
  if (table.shown?.toMove.length && !table.shown.hidden) $("advice").click();
});
$("always").addEventListener("change", () => $("always").checked && table && show({ animate: false }));
const saying = {
  resign: "RESIGN",
  draw: "REQUEST_DRAW",
  accept: "ACCEPT_DRAW",
  decline: "DECLINE_DRAW",
  takeback: "REQUEST_TAKEBACK",
  agree: "ACCEPT_TAKEBACK",
  stand: "DECLINE_TAKEBACK",
};
const answered = { accept: "drawOffer", decline: "drawOffer", agree: "takeback", stand: "takeback" };
for (const [id, type] of Object.entries(saying)) {
  $(id).addEventListener("click", () => {
    const { live, mine } = table;
    const isMoving = (each) => live.toMove.includes(each);
    const role = answered[id]
      ? mine.find((each) => each !== live[answered[id]]?.by)
      : (mine.find((each) => isMoving(each) === (id !== "takeback")) ?? mine[0]);
    if (id === "resign" && !isSure($("resign"), `Resign for ${titleOf(role)}: press again`)) return;
    if (role) send(role, { type });
  });
}
const SURE_MS = 4000;

// Whether a button is pressed for the second time within some seconds; it says so meanwhile.
function isSure(button, text) {
  if (button.dataset.plain) return true;
  button.dataset.plain = button.textContent;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = button.dataset.plain;
    delete button.dataset.plain;
  }, SURE_MS);
  return false;
}

$("rematch").addEventListener("click", () => playAgain().catch(complain));

async function playAgain() {
  const here = table;
  if (!here.live.rematch) say("The rematch is being set up.");
  const { match, seats } = here.live.rematch ?? (await ask("POST", `${matchPath(here.match)}/rematch`, {}, here.token || here.secrets[here.mine[0]]));
  const secrets = Object.fromEntries(Object.entries(seats).map(([after, before]) => [after, here.secrets[before] ?? null]));
  if (here.mine.length) keep(match, { secrets, source: here.source, owner: kept(here.match).owner });
  location.hash = `match=${match}`;
}

$("flip").addEventListener("click", () => {
  table.isTurned = !table.isTurned;
  setBoard();
  drawBoard();
  drawNames();
});
$("sound").addEventListener("click", () => {
  sound.turn(!sound.isOn());
  $("sound").setAttribute("aria-pressed", sound.isOn());
  sound.knock();
});
$("name").addEventListener("change", () => remember("name", ownName()));
$("share").addEventListener("click", async () => {
  const text = addressOf();
  if (text === null) return say("These rules are too long for an address; save them as a file.");
  const link = `${location.origin}${location.pathname}${text}`;
  const field = Object.assign(document.createElement("input"), { value: link });
  $("share").after(field); // where there is no clipboard it is taken from a field
  await copy(field, $("share"));
  field.remove();
  return null;
});
$("log").addEventListener("click", () => saveLog().catch(complain));

async function saveLog() {
  const { owner } = kept(table.match);
  const isHidden = table.live?.hidden && table.live.status === "finished";
  const token = (isHidden && owner) || table.token || table.secrets[table.mine[0]] || "";
  await download(`${matchPath(table.match)}/log`, `${table.match}.jsonl`, token);
}

$("games").addEventListener("toggle", () => $("games").open && lookForGames());
$("again").addEventListener("click", () => lookForGames());

function lookForGames() {
  const titles = new Map([...$("ruleset").options].map((option) => [option.value, option.textContent]));
  const shippedTitle = (id) => {
    const [plain, settings] = id.split("?"); // parameters, as in hex?size=4
    return titles.get(id) ?? `${titles.get(plain) ?? plain}${settings ? `, ${settings.replaceAll("&", ", ").replaceAll("=", " ")}` : ""}`;
  };
  return drawGames($("lists"), {
    titleOf: (id, isShipped) => (isShipped ? shippedTitle(id) : sentTitle(id)),
    open: (match, role = null) => (location.hash = new URLSearchParams({ match, ...(role ? { join: role } : {}) }).toString()),
  }).catch(complain);
}

$("import").addEventListener("click", () => $("logfile").click());
$("logfile").addEventListener("change", async () => {
  const [file] = $("logfile").files;
  if (!file) return;
  await openLog(await file.text());
  $("logfile").value = "";
});
$("pasted").addEventListener("input", () => ($("openpasted").disabled = !$("pasted").value.trim()));
$("openpasted").addEventListener("click", async () => {
  if (!(await openLog($("pasted").value))) return;
  $("pasted").value = "";
  $("openpasted").disabled = true;
});

// Open a saved log as a match of its own; returns whether it is one.
async function openLog(text) {
  say("The log is being read.");
  try {
    const { match } = await sendText("/api/imports", text);
    location.hash = `match=${match}`;
    return true;
  } catch (problem) {
    tell(`This log cannot be opened: ${problem.message.split("\n")[0]}.`);
    return false;
  }
}
$("theme").addEventListener("click", () => {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  remember("theme", document.documentElement.dataset.theme);
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, [data-cell], .cm-editor") || event.altKey || event.ctrlKey || event.metaKey) return;
  const button = { ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last" }[event.key];
  if (button && !$(button).disabled) {
    event.preventDefault();
    $(button).click();
  }
});

async function chosen() {
  const isMatch = Boolean(address.read(location.hash).match);
  if ($("ruleset").value === TEXT) {
    const { source, card } = table;
    if (!isMatch) put(new Table({ source, card }));
    return isMatch ? null : show({ animate: false });
  }
  const rules = await rulesOf($("ruleset").value);
  offerSeats(rules.seats, rules);
  return isMatch ? null : study({ ruleset: rules.id }, rules);
}

// What the next match may have: its seats, and the programs that play these rules.
function offerSeats(roles, { players = table?.card.players ?? [], trained = [] } = {}) {
  const title = (role) => players.find((player) => player.role === role)?.title ?? role;
  $("seat").replaceChildren(...roles.map((role) => new Option(title(role), role)));
  if (roles.includes(seatWanted)) $("seat").value = seatWanted;
  const [wanted, list] = [$("against").value, $("programs")];
  list.replaceChildren(...agentsFor(trained).map(({ name, summary }) => Object.assign(new Option(`${name} (${summary})`, name), { title: summary })));
  const values = [...$("against").options].map(({ value }) => value);
  $("against").value = [wanted, FIRST_CHOICE].find((value) => values.includes(value)) ?? "";
}

let agents = []; // the programs of this server
const agentsFor = (trained) => agents.filter((agent) => !agent.trained || trained.includes(agent.name));
const FIRST_CHOICE = "mcts";

const REFUSED = [403, 404];

async function route() {
  const wanted = address.read(location.hash);
  if (wanted.ruleset || wanted.rules) return openStudy(wanted);
  if (!wanted.match) return chosen();
  try {
    return await openMatch(wanted.match, wanted);
  } catch (problem) {
    if (!REFUSED.includes(problem.status)) throw problem;
    history.replaceState(null, "", "#"); // this match is not for us; the page is of use without it
    await chosen();
    return say(`${problem.message.split("\n")[0]}. Here is a board to try moves on; "Games" lists matches.`);
  }
}

async function openStudy({ ruleset, rules, title, like, line }) {
  const source = ruleset ? { ruleset } : { rules, ...(title ? { title } : {}), ...(like ? { like } : {}) };
  const known = ruleset ? await rulesOf(ruleset) : await rulesOfText(source);
  await study(source, known, line);
  if (rules) {
    edited = { like, title, text: rules, seats: known.seats };
    editor.text = rules;
  }
  offerSeats(known.seats, known);
}

async function begin() {
  const theme = recalled("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  $("sound").setAttribute("aria-pressed", sound.isOn());
  $("name").value = recalled("name");
  const [{ rulesets }, programs] = await Promise.all([ask("GET", "/api/rulesets"), ask("GET", "/api/agents")]);
  agents = programs.agents;
  $("ruleset").replaceChildren(...rulesets.map(({ id, title }) => new Option(title, id)));
  $("others").replaceChildren(...rulesets.map(({ id, title }) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = id;
    box.addEventListener("change", () => {
      if (box.checked) return addBeside(id).catch(complain);
      table.beside.get(id)?.figure.remove();
      table.beside.delete(id);
      return null;
    });
    label.append(box, ` ${title}`);
    return label;
  }));
  const wanted = rulesets.find(({ id }) => id === "pentago/classic") ?? rulesets[0];
  $("ruleset").value = wanted.id;
  offerSeats([]);
  $("against").value = agents.some(({ name }) => name === FIRST_CHOICE) ? FIRST_CHOICE : "";
  if (address.read(location.hash).match) {
    const rules = await rulesOf(wanted.id);
    offerSeats(rules.seats, rules);
  }
  window.addEventListener("hashchange", () => route().catch(complain));
  await route();
}

begin().catch(complain);
