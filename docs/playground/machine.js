// A game as WebAssembly (`gdl convert GAME --to wasm`): playouts in 128 lanes, one game by hand, and a
// tree search over both. It needs no page: node and workers run it as well.
//
// A state is a Uint8Array, a bit a fact, the highest bit of a byte first. Moves are numbers, one for
// each role: places in `moves[role]`.

const FORM = 1;
const LANES = 128;
const SLOT = LANES / 8; // bytes
const CYCLES = 2000; // between two looks at the clock
const STUCK = 0, CUT = 1; // counters of the lanes
const ROUNDS = 16, MOST_GROUPS = 64; // as playouts are dealt to groups of 64 lanes
const EXPLORATION = 0.3; // of upper confidence bounds, for a mean of 128 playouts

export class Machine {
  /** Begin a module, given as bytes. */
  static async begin(bytes) {
    const module = await WebAssembly.compile(bytes);
    const [section] = WebAssembly.Module.customSections(module, "gdl");
    const notes = section && JSON.parse(new TextDecoder().decode(section));
    if (notes?.form !== FORM) throw new Error("no module that gdl convert --to wasm of this release wrote");
    return new Machine(await WebAssembly.instantiate(module), notes);
  }

  constructor({ exports }, notes) {
    Object.assign(this, notes); // roles, moves, facts, goals (the values of each role), hides
    this.exports = exports;
    this.bytes = new Uint8Array(exports.memory.buffer);
    this.words = new BigUint64Array(exports.memory.buffer);
    this.ply = this.lanes.phases.map((_, number) => exports[`ply_${number}`]);
  }

  // One game ---------------------------------------------------------------------------------------

  /** The first state. */
  first() {
    const state = new Uint8Array(Math.ceil(this.facts.length / 8));
    for (const fact of this.initial) state[fact >> 3] |= 128 >> (fact & 7);
    return state;
  }

  holds(state, fact) {
    return (state[fact >> 3] >> (7 - (fact & 7))) & 1;
  }

  /** What can be done in a state: {legal: [numbers of each role], over, goals}; goals null where none is single. */
  look(state) {
    const { memory, desk, seen } = this;
    this.bytes.set(state, memory.state);
    this.exports.look(memory.kernel, memory.desk, memory.state);
    const at = memory.desk + desk.seen;
    const legal = this.moves.map((moves, role) =>
      moves.map((_, move) => move).filter((move) => this.bytes[at + seen.legal[role] + move]),
    );
    let place = at + seen.goals;
    const goals = this.goals.map((values) => {
      const held = values.filter((_, i) => this.bytes[place + i]);
      place += values.length;
      return held.length === 1 ? held[0] : null;
    });
    return { legal, over: this.bytes[at + seen.terminal] === 1, goals };
  }

  /** The state after a move of each role, which must be legal. */
  next(state, joint) {
    const { memory, desk } = this;
    this.bytes.set(state, memory.state);
    joint.forEach((move, role) => (this.words[memory.desk / 8 + role] = BigInt(move)));
    this.exports.ply(memory.kernel, memory.desk, memory.state);
    const at = memory.desk + desk.state;
    return this.bytes.slice(at, at + state.length);
  }

  /** The numbers of moves given as the rules write them, {role: move}; throws where one is not legal. */
  joint(state, names) {
    const { legal } = this.look(state);
    return this.roles.map((role, r) => {
      const move = this.moves[r].indexOf(names[role]);
      if (!legal[r].includes(move)) throw new Error(`${names[role]} is no legal move of ${role}`);
      return move;
    });
  }

  // Lanes ------------------------------------------------------------------------------------------

  /**
   * Random games from the first state: {lengths: Map, goals: Map, stuck, cut}, as `gdl bench` and
   * Game.playouts() count them; keys of goals are JSON. `words(i)` gives two random words of 64 bits for
   * the i-th group of 64 lanes. `go` is asked now and then whether to begin more.
   */
  playouts(n, words = random, go = () => true) {
    const result = { lengths: new Map(), goals: new Map(), stuck: 0, cut: 0 };
    if (this.lanes.ended) {
      add(result.lengths, 0, n);
      add(result.goals, JSON.stringify(this.lanes.ended), n);
      return result;
    }
    const groups = Math.max(1, Math.min(MOST_GROUPS, Math.floor(n / (64 * ROUNDS))));
    const quotas = Array.from({ length: groups }, (_, i) => Math.floor(n / groups) + (i < n % groups ? 1 : 0));
    for (let start = 0; start < groups; start += LANES / 64) {
      this.#clear();
      quotas.slice(start, start + LANES / 64).forEach((quota, i) => {
        this.#seed(i, words(start + i));
        this.#slot(this.lanes.quota)[i] = BigInt(quota);
      });
      let done = false;
      while (!done) {
        // What was begun is played to its end: to drop long games would make the counts lean to short ones.
        if (!go()) this.#slot(this.lanes.quota).fill(0n);
        done = this.exports.run(this.memory.lanes, BigInt(CYCLES)) === 1n;
        this.#listed(result.goals);
      }
      this.#read(result);
    }
    return result;
  }

  /** The goals of 128 random games from a state that is not over: {goals: sum of each role, games}. */
  rollout(state, words = random) {
    const { lanes } = this;
    this.#clear();
    for (let i = 0; i < LANES / 64; i++) this.#seed(i, words(i));
    lanes.stored.forEach((fact, i) => this.#slot(lanes.facts + i).fill(this.holds(state, fact) ? ALL : 0n));
    this.#slot(lanes.live).fill(ALL);
    // A lane counts its cycles from 0 on, when it begins one: in the middle of a cycle the first is to be there.
    const phase = this.#phase(state);
    if (phase) this.#slot(lanes.turns).fill(ALL);
    for (let number = phase; phase && number < this.ply.length; number++) this.ply[number](this.memory.lanes);
    const result = { lengths: new Map(), goals: new Map(), stuck: 0, cut: 0 };
    while (this.exports.run(this.memory.lanes, BigInt(CYCLES)) !== 1n) this.#listed(result.goals);
    this.#listed(result.goals);
    this.#read(result);
    const sums = this.roles.map(() => 0);
    let games = 0;
    for (const [key, count] of result.goals) {
      JSON.parse(key).forEach((goal, role) => (sums[role] += (goal ?? 0) * count));
      games += count;
    }
    return { goals: sums, games };
  }

  #phase(state) {
    const held = this.lanes.clock.filter((fact) => this.holds(state, fact)).join();
    return Math.max(0, this.lanes.phases.findIndex((phase) => phase.join() === held));
  }

  #clear() {
    this.bytes.fill(0, this.memory.lanes, this.memory.lanes + this.lanes.size);
  }

  /** The words of a slot of the lanes; a view. */
  #slot(number) {
    const at = (this.memory.lanes + number * SLOT) / 8;
    return this.words.subarray(at, at + SLOT / 8);
  }

  #seed(group, pair) {
    pair.forEach((word, i) => (this.#slot(this.lanes.seed + i)[group] = word));
  }

  #read(result) {
    const { lanes, memory } = this;
    const counters = (memory.lanes + lanes.counters) / 8;
    result.stuck += Number(this.words[counters + STUCK]);
    result.cut += Number(this.words[counters + CUT]);
    const lengths = (memory.lanes + lanes.lengths) / 8;
    const goals = (memory.lanes + lanes.goals) / 8;
    for (let key = 0; key < goals - lengths; key++) {
      const count = Number(this.words[lengths + key]);
      const turns = key & ((1 << lanes.turn_bits) - 1);
      if (count) add(result.lengths, (turns - 1) * this.ply.length + (key >> lanes.turn_bits) + 1, count);
    }
    if (lanes.is_listed) return;
    for (let key = 0; key < 1 << lanes.goal_bits; key++) {
      const count = Number(this.words[goals + key]);
      if (count) add(result.goals, this.#goals(BigInt(key)), count);
    }
  }

  /** Take out ends that are listed, where there are too many kinds of them for a table. */
  #listed(goals) {
    if (!this.lanes.is_listed) return;
    const at = (this.memory.lanes + this.lanes.goals) / 8;
    for (let i = 0; i < Number(this.words[at]); i++) {
      add(goals, this.#goals(this.words[at + 2 + 2 * i]), Number(this.words[at + 3 + 2 * i]));
    }
    this.words[at] = 0n;
  }

  #goals(key) {
    const found = this.lanes.widths.map((width, role) => {
      const index = Number(key & ((1n << BigInt(width)) - 1n));
      key >>= BigInt(width);
      return index ? this.lanes.values[role][index - 1] : null;
    });
    return JSON.stringify(found);
  }

  // Search -----------------------------------------------------------------------------------------

  /**
   * Look for good moves in a state for so many milliseconds: for each role its moves, the best first,
   * {move, visits, value}, and how many games were played. Roles choose apart from each other, each by
   * upper confidence bounds, and learn from what all got: so simultaneous moves are no special case.
   *
   * Source: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", ECML 2006; decoupled choices
   * after Finnsson and Bjornsson, "Simulation-Based Approach to General Game Playing", AAAI 2008.
   */
  search(state, milliseconds) {
    if (this.hides) throw new Error("a player of this game does not see everything, and this search would");
    const root = this.#node(state);
    const until = performance.now() + milliseconds;
    let games = 0;
    const range = this.goals.map((values) => [Math.min(...values), Math.max(...values)]);
    do {
      const path = [];
      let node = root;
      while (!node.over) {
        const joint = node.choices.map((choices, role) => choose(choices, node.visits, role, range[role]));
        path.push([node, joint]);
        const key = joint.join();
        const child = node.children.get(key);
        node = child ?? this.#node(this.next(node.state, joint.map((i, role) => node.choices[role][i].move)));
        if (!child) {
          path.at(-1)[0].children.set(key, node);
          break;
        }
      }
      let means = node.goals;
      if (!node.over) {
        const found = this.rollout(node.state);
        games += found.games;
        means = found.goals.map((sum) => sum / Math.max(1, found.games));
      }
      for (const [above, joint] of path) {
        above.visits++;
        joint.forEach((i, role) => {
          const choice = above.choices[role][i];
          choice.value += (means[role] - choice.value) / ++choice.visits;
        });
      }
    } while (performance.now() < until && !root.over);
    const best = root.choices.map((choices) => [...choices].sort((a, b) => b.visits - a.visits || b.value - a.value));
    return { best, games, visits: root.visits };
  }

  #node(state) {
    const { legal, over, goals } = this.look(state);
    // A role without a legal move has nothing to choose: such a state is an end without goals.
    const isStuck = legal.some((moves) => moves.length === 0);
    const choices = over || isStuck ? [] : legal.map((moves) => moves.map((move) => ({ move, visits: 0, value: 0 })));
    return {
      state,
      over: over || isStuck,
      goals: goals.map((goal) => (over ? goal ?? 0 : 0)),
      visits: 0,
      choices,
      children: new Map(),
    };
  }
}

const ALL = (1n << 64n) - 1n;

function add(counts, key, count) {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function random() {
  return crypto.getRandomValues(new BigUint64Array(2));
}

/** The place of the choice with the highest bound; those never tried first, in a random order. */
function choose(choices, visits, role, [low, high]) {
  const untried = choices.map((_, i) => i).filter((i) => choices[i].visits === 0);
  if (untried.length) return untried[Math.floor(Math.random() * untried.length)];
  const scale = Math.max(1, high - low);
  let best = 0, bound = -Infinity;
  choices.forEach((choice, i) => {
    const mine = (choice.value - low) / scale + EXPLORATION * Math.sqrt(Math.log(visits + 1) / choice.visits);
    if (mine > bound) [best, bound] = [i, mine];
  });
  return best;
}
