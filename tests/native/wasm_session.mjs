// Asks of a module what the tests want to know: JSON on standard input, JSON on standard output.

import fs from "node:fs";
import { Machine } from "../../docs/playground/machine.js";

const asked = JSON.parse(fs.readFileSync(0, "utf-8"));
const machine = await Machine.begin(fs.readFileSync(asked.module));
const rows = (counts) => [...counts].map(([key, count]) => [key, count]);

function playouts({ n, seeds }) {
  const words = seeds && ((group) => seeds[group].map(BigInt));
  const { lengths, goals, stuck, cut } = machine.playouts(n, words);
  return { lengths: rows(lengths), goals: rows(goals), stuck, cut };
}

/** What is seen along a play, from the first state on; the moves as the rules write them. */
function seen(play) {
  let state = machine.first();
  const result = [];
  for (const joint of [...play, null]) {
    const { legal, over, goals } = machine.look(state);
    const facts = machine.facts.filter((_, fact) => machine.holds(state, fact));
    result.push({ legal: legal.map((moves, role) => moves.map((move) => machine.moves[role][move])), over, goals, facts });
    if (joint) state = machine.next(state, machine.joint(state, joint));
  }
  return result;
}

const after = (play) => play.reduce((state, joint) => machine.next(state, machine.joint(state, joint)), machine.first());

function rollouts({ play, times }) {
  const state = after(play);
  let games = 0;
  const sums = machine.roles.map(() => 0);
  for (let i = 0; i < times; i++) {
    const found = machine.rollout(state);
    games += found.games;
    found.goals.forEach((goal, role) => (sums[role] += goal));
  }
  return { games, means: sums.map((sum) => sum / games) };
}

function search({ play, milliseconds }) {
  const { best, games } = machine.search(after(play), milliseconds);
  const named = best.map((moves, role) => moves.map((each) => ({ ...each, move: machine.moves[role][each.move] })));
  return { best: named, games };
}

function rate({ n }) {
  machine.playouts(n); // until then the engine may still be making code
  const begin = process.cpuUsage();
  machine.playouts(n);
  const { user, system } = process.cpuUsage(begin);
  return (n * 1e6) / (user + system);
}

function answer(ask, question) {
  try {
    return ask(question);
  } catch (error) {
    return { refused: error.message };
  }
}

const kinds = { playouts, seen, rollouts, search, rate };
const answers = asked.questions.map(([kind, question]) => answer(kinds[kind], question));
process.stdout.write(JSON.stringify(answers));
