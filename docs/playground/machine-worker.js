// Machine code of a game, beside the page: a second of random games, or of search, never stops typing.

import { Machine } from "./machine.js";

const CAREFUL = 1 << 10; // random games of the first try
const machines = new Map(); // by ruleset: modules are begun once

function machine(ruleset) {
  if (!machines.has(ruleset)) {
    const file = `./machines/${ruleset.replace(/\W/g, "-")}.wasm`;
    machines.set(ruleset, fetch(file).then(async (found) => {
      if (!found.ok) throw new Error(`there is no machine code of ${ruleset}`);
      return Machine.begin(await found.arrayBuffer());
    }));
  }
  return machines.get(ruleset);
}

/** Means of all roles over random games: twice as many each time, until the time is over. */
function estimate(game, state, isFirst, milliseconds) {
  const sums = game.roles.map(() => 0);
  const begin = performance.now();
  let games = 0;
  let n = CAREFUL;
  while (performance.now() - begin < milliseconds) {
    if (isFirst) {
      const found = game.playouts(n);
      for (const [key, count] of found.goals) {
        JSON.parse(key).forEach((goal, role) => (sums[role] += (goal ?? 0) * count));
        games += count;
      }
      if ((performance.now() - begin) * 3 < milliseconds) n *= 2;
    } else {
      const found = game.rollout(state);
      found.goals.forEach((goal, role) => (sums[role] += goal));
      games += found.games;
    }
  }
  const seconds = (performance.now() - begin) / 1000;
  return { means: sums.map((sum) => sum / Math.max(1, games)), games, seconds };
}

onmessage = async ({ data: { id, ruleset, play, kind, milliseconds } }) => {
  try {
    const game = await machine(ruleset);
    const state = play.reduce((before, names) => game.next(before, game.joint(before, names)), game.first());
    if (kind === "estimate") {
      postMessage({ id, roles: game.roles, ...estimate(game, state, play.length === 0, milliseconds) });
    } else {
      const { best, games } = game.search(state, milliseconds);
      const named = best.map((choices, role) => choices.map((each) => ({ ...each, move: game.moves[role][each.move] })));
      postMessage({ id, roles: game.roles, games, best: named });
    }
  } catch (error) {
    postMessage({ id, refused: error.message });
  }
};
