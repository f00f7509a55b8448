// What is said of a position: exact values where they are known, else what programs think.
//
// In: the answers of /api/values and /api/evaluations. Out: one form for both, which the page
// draws: {role, share, text, isExact, moves: [{move, worth, tone, words, line}]}, the best first.
// share is what the first role has of the value, 0 to 100; null where nothing is known.

const LEAST_VISITS = 5; // of fewer games nothing is told
const PER_MOVE = { 0: "loses", 50: "draw", 100: "wins" };

// Values that are known, in the words of people: "White wins in 7 moves".
export function ofValues({ role, source, value, moves }, roles, nameOf) {
  const players = roles.filter((each) => each !== "random");
  const told = moves.map((each) => {
    const { tone, short, words } = worthOf(each, role, players);
    return { move: each.move, worth: short, tone, words, line: each.line.slice(1) };
  });
  return {
    role,
    share: shareOf(value.goals, players),
    isExact: true,
    text: `${sentence(value, players, nameOf)} · exact${source === "table" ? ", from a table" : ""}`,
    moves: told,
  };
}

function sentence({ goals, distance, endless, tied }, players, nameOf) {
  if (endless) return "Best play never ends";
  const length = distance === null ? "" : ` in ${moves(distance)}`;
  if (isDuel(goals, players)) {
    const [one, other] = players;
    if (goals[one] === goals[other]) return distance === null ? "A draw with best play" : `A draw with best play, in ${moves(distance)}`;
    const winner = goals[one] > goals[other] ? one : other;
    const isWhole = goals[winner] === 100;
    const points = `${number(goals[winner])} to ${number(goals[winner === one ? other : one])}`;
    return isWhole ? `${nameOf(winner)} wins${length}` : `${nameOf(winner)} comes out ahead, ${points}${length}`;
  }
  const points = players.map((each) => `${nameOf(each)} ${number(goals[each])}`).join(", ");
  return `${points}${length} with best play${tied ? " (others do as well)" : ""}`;
}

const moves = (count) => `${count} ${count === 1 ? "move" : "moves"}`;
const number = (goal) => (goal === null ? "nothing" : `${Math.round(goal * 10) / 10}`);

function isDuel(goals, players) {
  return players.length === 2 && players.every((each) => goals[each] !== null);
}

// A mark for the board and words for the list, as whoever moves sees them: +3 wins in three moves
// of both, -4 loses in four, = draws.
function worthOf({ goals, distance, endless }, role, players) {
  const count = distance === null ? null : distance + 1;
  if (isDuel(goals, players)) {
    const mine = goals[role];
    const theirs = goals[players.find((each) => each !== role)];
    if (mine === theirs) return { tone: "even", short: "=", words: endless ? "play never ends" : "draw" };
    const length = count === null ? "" : ` in ${count}`;
    if (mine === 100 || theirs === 100) {
      const sign = mine > theirs ? "+" : "−";
      return { tone: mine > theirs ? "good" : "poor", short: `${sign}${count ?? ""}`, words: `${mine > theirs ? "wins" : "loses"}${length}` };
    }
    return { tone: mine > theirs ? "good" : "poor", short: number(mine), words: `${number(mine)} to ${number(theirs)}${length}` };
  }
  const mine = goals[role];
  const words = `${number(mine)} points${count === null || endless ? "" : ` in ${moves(count)}`}`;
  return { tone: "even", short: mine === null ? "–" : number(mine), words };
}

function shareOf(goals, players) {
  const first = goals[players[0]];
  if (first === null) return null;
  if (!isDuel(goals, players)) return first;
  const total = first + goals[players[1]];
  return total ? (100 * first) / total : 50;
}

// What programs think: estimates of one, and before them the move that another one has proven.
// by: who was asked by name; one that tells nothing but its move is taken at its word.
export function ofThoughts(found, exact, roles, nameOf, by = "") {
  const proof = exact?.thoughts?.candidates[0];
  const rest = (found.thoughts?.candidates ?? []).filter(({ move }) => !proof?.proven || move !== proof.move);
  const all = proof?.proven ? [proof, ...rest] : rest;
  const line = found.thoughts?.line ?? [];
  const told = all
    .filter(({ proven, visits }) => proven || visits >= LEAST_VISITS)
    .map(({ move, value, proven, visits }) => ({
      move,
      worth: proven ? (PER_MOVE[value] ?? `${value}`) : `${Math.round(value)}`,
      tone: "guess",
      words: proven ? "proven" : `of 100, ${visits.toLocaleString("en")} games`,
      isProven: proven,
      line: line[0] === move ? line.slice(1) : [],
    }));
  if (!told.length) { // nothing but its move can be told
    const words = by ? `is what ${by} plays` : "looks best, of too few games to tell more";
    const only = { move: found.move, worth: "", tone: "guess", words, line: [] };
    return { role: found.role, share: null, isExact: false, text: by ? `${by} plays ${found.move}` : `best: ${found.move} · too few games to tell more`, moves: [only] };
  }
  const best = all[0];
  const isKnown = best && (best.proven || best.visits >= LEAST_VISITS);
  const players = roles.filter((each) => each !== "random");
  const first = players.length === 2 ? players[0] : found.role; // of more, nobody has what another has not
  const share = !isKnown ? null : found.role === first ? best.value : 100 - best.value;
  const move = proof?.proven ? proof.move : found.move;
  const text = isKnown
    ? `${nameOf(first)} ${Math.round(share)} of 100${best.proven ? ", proven" : ""} · best: ${move} · ${found.thoughts.simulations.toLocaleString("en")} games`
    : `best: ${move} · too few games to tell more`;
  return { role: found.role, share, isExact: false, text: by ? `${by}: ${text}` : text, moves: told };
}
