// Lists of matches: one's own, those with a free seat, those to look at.
//
// In: the lists of the server, and what this browser keeps. Out: buttons that open a match.

import { ask, matchPath } from "./api.js";
import { keep, kept, mine } from "./kept.js";
import { isFree, sitter } from "./players.js";

const SHOWN = 12;

// titleOf(id, isShipped) names a ruleset; open(match, role) is called when one is chosen, with the seat to take.
export async function drawGames(host, { titleOf, open }) {
  const [own, free, active, finished] = await Promise.all([
    ownGames(),
    ...["open", "active", "finished"].map((status) => ask("GET", `/api/matches?limit=${SHOWN}&status=${status}`).then(({ matches }) => matches)),
  ]);
  const ids = new Set(mine().map(({ match }) => match));
  const others = (list) => list.filter(({ match }) => !ids.has(match));
  const running = others(active).filter((each) => each.spectators && !each.open);
  const named = (each) => titleOf(each.ruleset, each.shipped ?? true);
  const count = ({ length }) => `${length} ${length === 1 ? "move" : "moves"}`;
  host.replaceChildren(
    section("Yours", own, (each) => [[named(each)], ...against(each), [each.told]], (each) => open(each.match)),
    section("Free seats", others(free), (each) => [[named(each)], who(each), each.clock ? ["with clocks"] : [], ["sit down", ...freeSeat(each)]], (each) => sit(each.match, open)),
    section("Going on", running, (each) => [[named(each)], who(each), turn(each), [count(each)], ["look on"]], (each) => open(each.match)),
    section("Finished", others(finished).filter((each) => each.spectators), (each) => [[named(each)], who(each), [count(each)]], (each) => open(each.match)),
  );
}

// What a row says is a list of parts, each of texts and of names; what people call themselves
// stands in <bdi>.
const apart = (text) => Object.assign(document.createElement("bdi"), { textContent: text });
const and = (parts) => parts.flatMap((part, place) => (place ? [" and ", ...part] : part));

// Everybody at his role: "Ann (X) and Bob (O)".
const who = ({ players }) => and((players ?? []).map((each) => [apart(sitter(each)), " (", apart(each.title), ")"]));

// Of one's own matches it was kept whom one plays against; by older versions as one text.
const against = ({ against: others = [] }) => (others.length ? [["against ", ...(typeof others === "string" ? [apart(others)] : and(others.map(([name, title]) => [apart(name), " (", apart(title), ")"])))]] : []);

function freeSeat({ players }) {
  const free = players?.find((each) => isFree(each));
  return free ? [" as ", apart(free.title)] : [];
}

function turn({ players, toMove }) {
  const titles = (toMove ?? []).map((role) => players?.find((each) => each.role === role)?.title).filter(Boolean);
  return titles.length ? [...and(titles.map((title) => [apart(title)])), " to move"] : [];
}

// How one's own matches stand; those that are over are not asked about again.
async function ownGames() {
  return Promise.all(
    mine().slice(0, SHOWN).map(async (each) => {
      if (each.told && each.isOver) return each;
      const token = Object.values(each.secrets).find(Boolean);
      try {
        const state = await ask("GET", matchPath(each.match), undefined, token);
        const roles = Object.keys(each.secrets).filter((role) => each.secrets[role]);
        const isOver = state.status === "finished";
        const title = (role) => state.titles[role] ?? role;
        const told = isOver ? endOf(state.outcome, roles, title) : toDo(state, roles, title);
        const now = { ruleset: state.ruleset, shipped: state.shipped, told, isOver, against: othersOf(state.seats, roles, title) };
        keep(each.match, { ...kept(each.match), ...now });
        return { ...each, ...now };
      } catch (problem) {
        return { ...each, ruleset: each.ruleset ?? "", told: problem.message.split("\n")[0] };
      }
    }),
  );
}

// Those who sit at the other roles, as they call themselves: names and titles by turns.
function othersOf(seats, roles, title) {
  return Object.entries(seats).filter(([role]) => !roles.includes(role) && role !== "random").map(([role, seat]) => [sitter(seat), title(role)]);
}

function toDo({ toMove }, roles, title) {
  if (toMove.some((role) => roles.includes(role))) return roles.length > 1 ? `${toMove.map(title).join(" and ")} to move` : "your move";
  return `${toMove.map(title).join(" and ")} to move`;
}

function endOf({ winner }, roles, title) {
  if (!winner) return "over, no winner";
  return roles.length > 1 ? `over, ${title(winner)} won` : roles.includes(winner) ? "you won" : "you lost";
}

async function sit(match, open) {
  const { seats } = await ask("GET", matchPath(match));
  return open(match, Object.keys(seats).find((each) => seats[each] === null) ?? null);
}

function section(title, matches, tell, choose) {
  const part = document.createElement("section");
  const head = Object.assign(document.createElement("h2"), { textContent: title });
  const list = document.createElement("ul");
  list.replaceChildren(...matches.map((each) => {
    const row = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const parts = tell(each).filter((part) => part.length);
    button.append(...parts.flatMap((part, place) => (place ? [" · ", ...part] : part)));
    button.dataset.match = each.match;
    button.addEventListener("click", () => choose(each));
    row.append(button);
    return row;
  }));
  if (!matches.length) list.append(Object.assign(document.createElement("li"), { textContent: "none", className: "hint" }));
  part.append(head, list);
  return part;
}
