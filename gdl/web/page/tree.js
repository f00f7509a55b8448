// Moves played and moves tried: a tree of positions, with one line that was really played.
//
// A node holds the joint move that led to it ({role: text}) and, once it is known, the state.
// The main line is what a match has; branches are an analysis and live in the page alone.

export class Tree {
  constructor(state = null) {
    this.root = { move: null, parent: null, children: [], main: true, state };
    this.current = this.root;
  }

  // The node after a move; made where it is not there yet.
  child(node, move, { main = false, state = null } = {}) {
    const key = keyOf(move);
    let found = node.children.find((each) => keyOf(each.move) === key);
    if (!found) {
      found = { move, parent: node, children: [], main: false, state: null };
      node.children.push(found);
    }
    if (main) {
      found.main = true;
      node.children.sort((a, b) => Number(b.main) - Number(a.main));
    }
    if (state) found.state = state;
    return found;
  }

  // The last node of the line that was played.
  get tip() {
    let node = this.root;
    for (;;) {
      const next = node.children.find((each) => each.main);
      if (!next) return node;
      node = next;
    }
  }

  // The moves from the start to a node.
  path(node = this.current) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  back() {
    if (this.current.parent) this.current = this.current.parent;
  }

  forth() {
    if (this.current.children.length) this.current = this.current.children[0];
  }

  drop(node) {
    if (node.main || !node.parent) return;
    let inside = this.current;
    while (inside && inside !== node) inside = inside.parent;
    if (inside) this.current = node.parent;
    node.parent.children = node.parent.children.filter((each) => each !== node);
  }
}

export function keyOf(move) {
  return Object.entries(move).sort().map(([role, text]) => `${role} ${text}`).join(" & ");
}

export function textOf(move) {
  const entries = Object.entries(move);
  return entries.length === 1 ? entries[0][1] : entries.map(([role, text]) => `${role}: ${text}`).join(", ");
}

// Draws a tree as a list; go(node) is called when one is chosen.
export function drawTree(host, tree, go) {
  host.replaceChildren();
  const start = button("Start", tree.root, tree, go);
  host.append(start);
  line(host, tree.root, 1, tree, go);
  host.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function line(host, node, number, tree, go) {
  while (node.children.length) {
    const [first, ...others] = node.children;
    host.append(button(`${number}. ${textOf(first.move)}`, first, tree, go));
    for (const other of others) {
      const branch = document.createElement("div");
      branch.className = "branch";
      branch.append(button(`${number}. ${textOf(other.move)}`, other, tree, go));
      line(branch, other, number + 1, tree, go);
      host.append(branch);
    }
    node = first;
    number += 1;
  }
}

function button(text, node, tree, go) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = node.main ? "ply" : "ply tried";
  made.textContent = text;
  if (node === tree.current) made.setAttribute("aria-current", "step");
  made.addEventListener("click", () => go(node));
  return made;
}
