// Who plays: names at the board, whose turn it is, clocks beside them.
//
// In: a table with the state of its match. Out: a sentence that says who one is, and a strip for
// each player, above the board or below it.

// The sentence is a list of texts and elements: what people call themselves stands in <bdi>, as a
// name that is written from right to left would turn around what stands beside it.
export function whoAmI(table, titleOf) {
  if (!table.isMatch) return ["Analysis: ", apart(table.card.title)];
  if (!table.live) return [apart(table.card.title)];
  const played = playedRoles(table.live);
  const mine = played.filter((role) => table.mine.includes(role));
  const others = played.filter((role) => !mine.includes(role));
  const clock = clockWords(table.live.clock);
  const titles = (roles) => listed(roles, (role) => [apart(titleOf(role))]);
  const names = (roles) => listed(roles, (role) => [apart(nameOf(table, role)), " (", apart(titleOf(role)), ")"]);
  if (!mine.length) return ["You look on: ", ...names(played), clock];
  if (!others.length) return [played.length === 1 ? "You play alone" : "You play all sides at this board", clock];
  const against = others.length === 1 ? [apart(nameOf(table, others[0]))] : names(others);
  return ["You are ", ...titles(mine), ", against ", ...against, clock];
}

const apart = (text) => Object.assign(document.createElement("bdi"), { textContent: text });

// One after the other, with "and" between.
const listed = (roles, tell) => roles.flatMap((role, place) => (place ? [" and ", ...tell(role)] : tell(role)));

export function playedRoles(live) {
  return live.roles.filter((role) => role !== "random");
}

function nameOf(table, role) {
  const seat = table.live.seats?.[role];
  if (table.mine.includes(role)) return "you";
  return sitter(seat);
}

export const isFree = (seat) => !seat || (seat.name === null && !seat.reserved);

// Who sits somewhere, as he calls himself.
export function sitter(seat) {
  if (isFree(seat)) return "a free seat";
  return seat.reserved ? "somebody invited" : seat.name?.trim() || seat.agent || "a guest";
}

// "5+3": minutes, and seconds for each move.
function clockWords(clock) {
  return clock ? ` (${clock.initialMs / 60000 >= 1 ? clock.initialMs / 60000 : `${clock.initialMs / 1000}s`}+${clock.incrementMs / 1000})` : "";
}

// The player whose strip stands below the board: whose men lie there, as it is turned; where nobody
// has a side, whoever sits at this page.
function nearOf(table, roles) {
  const own = roles.filter((role) => table.mine.includes(role));
  const near = table.card.near ?? (own.length === 1 ? own[0] : roles.length === 2 ? roles[1] : null);
  return table.isTurned && roles.length === 2 ? roles.find((role) => role !== near) : near;
}

// Draws the strips of all who play, above the board and below it.
export function drawPlayers(above, below, table, titleOf) {
  const live = table.live;
  const shown = live ?? table.shown;
  const roles = shown ? playedRoles(shown) : [];
  const near = nearOf(table, roles);
  const strips = roles.map((role) => ({ role, strip: strip(table, role, titleOf) }));
  above.replaceChildren(...strips.filter(({ role }) => role !== near).map((each) => each.strip));
  below.replaceChildren(...strips.filter(({ role }) => role === near).map((each) => each.strip));
}

function strip(table, role, titleOf) {
  const { live } = table;
  const now = table.isMatch ? live : table.shown;
  const isToMove = (now?.toMove ?? []).includes(role);
  const made = document.createElement("div");
  made.className = `player${isToMove ? " to-move" : ""}`;
  made.dataset.role = role;
  const dot = document.createElement("span");
  dot.className = "dot";
  const colour = table.card.players.find((player) => player.role === role)?.colour || (CSS.supports("color", role) ? role : "");
  dot.style.background = colour;
  dot.hidden = !colour;
  const title = Object.assign(document.createElement("strong"), { textContent: titleOf(role) });
  const name = Object.assign(document.createElement("span"), { className: "name", textContent: live ? nameOf(table, role) : "" });
  const turn = Object.assign(document.createElement("span"), { className: "turn", textContent: isToMove ? "to move" : now?.outcome?.winner === role ? "wins" : "" });
  made.append(dot, title, name, turn);
  if (live?.clock?.remainingMs[role] !== undefined) made.append(clockOf(table, role));
  return made;
}

function clockOf({ live, liveAt }, role) {
  const runs = live.clock.running.includes(role) && live.status === "active";
  const ms = Math.max(0, live.clock.remainingMs[role] - (runs ? Date.now() - liveAt : 0));
  const shown = document.createElement("span");
  shown.className = `clock ${runs ? "running" : ""} ${ms < 10000 ? "low" : ""}`;
  const tenths = ms < 10000 ? `.${Math.floor(ms / 100) % 10}` : "";
  shown.textContent = `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}${tenths}`;
  return shown;
}
