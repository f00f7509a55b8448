// Moves made and moves tried: a tree of positions, with one line that was really played.
//
// A node is one step: a move of one role ({role, move}), or another action of the log. A node of
// the main line has the number of its entry; branches are an analysis and live in the page.

export class Tree {
  // titleOf(role): what people call a role.
  constructor(titleOf) {
    this.titleOf = titleOf;
    this.root = { role: null, move: null, text: "Start", parent: null, children: [], seq: 0, state: null };
    this.current = this.root;
    this.tip = this.root; // the last node of the line that was played
  }

  // Put an entry of the log behind the line that was played.
  extend(entry) {
    const text = entry.type === "MOVE" ? (entry.hidden ? "…" : entry.move) : `${this.titleOf(entry.role)} ${wordsOf(entry)}`;
    let node = this.tip.children.find(
      (each) => each.seq === null && each.role === entry.role && each.move === entry.move,
    );
    if (node) this.tip.children.splice(this.tip.children.indexOf(node), 1);
    else node = { role: entry.role, move: entry.move ?? null, parent: this.tip, children: [], state: null };
    Object.assign(node, { text, seq: entry.seq + 1, back: entry.back, note: entry.note ?? "", isMove: entry.type === "MOVE" });
    this.tip.children.unshift(node);
    this.tip = node;
    return node;
  }

  // Try a move behind a node.
  branch(node, role, move) {
    let found = node.children.find((each) => each.role === role && each.move === move);
    if (!found) {
      found = { role, move, text: move, parent: node, children: [], seq: null, state: null, isMove: true };
      node.children.push(found);
    }
    return found;
  }

  // Where a node stands: so many entries of the log, then moves that are tried.
  place(node = this.current) {
    const moves = [];
    let at = node;
    for (; at.seq === null; at = at.parent) moves.unshift({ [at.role]: at.move });
    return { seq: at.seq, moves };
  }

  // All moves from the start, of the log or not.
  line(node = this.current) {
    const moves = [];
    for (let at = node; at.parent; at = at.back === undefined ? at.parent : this.from(at, at.back)) {
      if (at.move !== null && at.back === undefined) moves.unshift({ [at.role]: at.move });
    }
    return moves;
  }

  // The node before another one after so many entries: where moves were taken back to.
  from(node, seq) {
    let at = node.parent;
    while (at.seq > seq) at = at.parent;
    return at;
  }

  // What people are to know of the last moves, one of each role, up to a node; empty for nothing.
  note(roles, node = this.current) {
    let left = roles;
    for (let at = node; at.parent && left > 0; at = at.parent) {
      if (at.note) return at.note;
      if (at.isMove) left -= 1;
    }
    return "";
  }

  // The node of the line that was played after so many entries, or the last one before.
  before(seq) {
    let node = this.tip;
    while (node.seq > seq) node = node.parent;
    return node;
  }

  // Go along a line of [role, move] behind a node, as a branch where it was not played.
  follow(node, line) {
    return line.reduce((at, [role, move]) => at.children.find((each) => each.role === role && each.move === move) ?? this.branch(at, role, move), node);
  }

  drop(node) {
    if (node.seq !== null) return;
    this.current = node.parent;
    node.parent.children = node.parent.children.filter((each) => each !== node);
  }
}

function wordsOf({ type }) {
  const said = {
    RESIGN: "resigns",
    REQUEST_DRAW: "offers a draw",
    ACCEPT_DRAW: "accepts the draw",
    DECLINE_DRAW: "declines the draw",
    REQUEST_TAKEBACK: "asks to take a move back",
    ACCEPT_TAKEBACK: "agrees: the move is taken back",
    DECLINE_TAKEBACK: "lets the move stand",
    TIMEOUT: "is out of time",
  };
  return said[type] ?? type;
}

// Draws a tree as a list; go(node) is called when one is chosen.
export function drawTree(host, tree, go) {
  host.replaceChildren(button(tree.root, "Start", tree, go));
  line(host, tree.root, new Map([[tree.root, 0]]), tree, go);
  const current = host.querySelector("[aria-current]");
  if (current) showWithin(host, current);
}

// Scrolls the list and nothing else: on a small screen the board must stay where it is.
function showWithin(host, node) {
  const frame = host.getBoundingClientRect();
  const box = node.getBoundingClientRect();
  if (box.top < frame.top) host.scrollTop -= frame.top - box.top;
  else if (box.bottom > frame.bottom) host.scrollTop += box.bottom - frame.bottom;
}

// numbers: how many moves stand after each node; offers and answers count for none, and moves that
// were taken back no more.
function line(host, node, numbers, tree, go) {
  while (node.children.length) {
    const [first, ...others] = node.children;
    host.append(button(first, numbered(first, numbers, tree), tree, go));
    for (const other of others) {
      const branch = document.createElement("div");
      branch.className = "branch";
      branch.append(button(other, numbered(other, numbers, tree), tree, go));
      line(branch, other, numbers, tree, go);
      host.append(branch);
    }
    node = first;
  }
}

function numbered(node, numbers, tree) {
  const number = node.back === undefined ? numbers.get(node.parent) + (node.isMove ? 1 : 0) : numbers.get(tree.from(node, node.back));
  numbers.set(node, number);
  return node.isMove ? `${number}. ${node.text}` : node.text;
}

function button(node, text, tree, go) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = node.seq === null ? "ply tried" : "ply";
  made.textContent = text;
  if (node.role) made.title = tree.titleOf(node.role);
  if (node.note) {
    made.textContent += " ⚠";
    made.title += `: ${node.note}`;
  }
  if (node === tree.current) made.setAttribute("aria-current", "step");
  made.addEventListener("click", () => go(node));
  return made;
}
