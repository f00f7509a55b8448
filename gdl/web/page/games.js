// Lists of matches: one's own, those with a free seat, those to look at.
//
// In: the lists of the server, and what this browser keeps. Out: buttons that open a match.

import { ask, matchPath } from "./api.js";
import { keep, kept, mine } from "./kept.js";

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
  host.replaceChildren(
    section("Yours", own, (each) => `${titleOf(each.ruleset, each.shipped ?? true)}${each.against ? ` · against ${each.against}` : ""} · ${each.told}`, (each) => open(each.match)),
    section("Free seats", others(free), (each) => `${titleOf(each.ruleset, each.shipped)}${each.clock ? " · with clocks" : ""} · sit down`, (each) => sit(each.match, open)),
    section("Going on", running, (each) => `${titleOf(each.ruleset, each.shipped)} · ${each.length} moves · look on`, (each) => open(each.match)),
    section("Finished", others(finished).filter((each) => each.spectators), (each) => `${titleOf(each.ruleset, each.shipped)} · ${each.length} moves`, (each) => open(each.match)),
  );
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
        const told = isOver ? endOf(state.outcome, roles) : state.toMove.some((role) => roles.includes(role)) ? "your move" : "waiting";
        const now = { ruleset: state.ruleset, shipped: state.shipped, told, isOver, against: othersOf(state.seats, roles) };
        keep(each.match, { ...kept(each.match), ...now });
        return { ...each, ...now };
      } catch (problem) {
        return { ...each, ruleset: each.ruleset ?? "", told: problem.message.split("\n")[0] };
      }
    }),
  );
}

// Those who sit at the other roles, as they call themselves.
function othersOf(seats, roles) {
  const others = Object.entries(seats).filter(([role]) => !roles.includes(role) && role !== "random");
  return others.map(([, seat]) => (!seat || seat.reserved ? "nobody yet" : seat.name?.trim() || seat.agent || "a guest")).join(" and ");
}

function endOf({ winner }, roles) {
  if (!winner) return "over, no winner";
  return roles.length > 1 ? `over, ${winner} won` : roles.includes(winner) ? "you won" : "you lost";
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
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: tell(each) });
    button.dataset.match = each.match;
    button.addEventListener("click", () => choose(each));
    row.append(button);
    return row;
  }));
  if (!matches.length) list.append(Object.assign(document.createElement("li"), { textContent: "none", className: "hint" }));
  part.append(head, list);
  return part;
}
