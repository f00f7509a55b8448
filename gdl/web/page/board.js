// A board as SVG, drawn from a ruleset's picture: cells, marks, blocks that turn.
//
// In: a picture (what holds of every position), a position, and the moves that can be made
// by touching the board. Out: clicks and keys, as cells and blocks. It knows no rules.

const NS = "http://www.w3.org/2000/svg";
const CELL = 60;
const GAP = 24;
const EDGE = 8;
const TURN_MS = 450;

export function el(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class BoardView {
  // host: an element; onTouch({row, column}) and onTurn(move) are called on a person's touch.
  constructor(host, card, { onTouch = () => {}, onTurn = () => {}, label = "Board" } = {}) {
    this.card = card;
    this.picture = card.picture;
    this.onTouch = onTouch;
    this.onTurn = onTurn;
    this.marks = new Map(this.picture.marks.map((mark) => [mark.name, mark]));
    this.focus = [0, 0];
    this.turning = Promise.resolve();
    // Wide boards are shrunk more on small screens: their labels are drawn larger.
    this.labelSize = Math.min(30, Math.max(18, 1.8 * this.picture.columns.length));
    this.margin = 2 * this.labelSize;
    this.xs = edges(this.picture.columns.length, this.picture.columnBreaks, this.margin);
    this.ys = edges(this.picture.rows.length, this.picture.rowBreaks, this.margin);
    const width = this.xs.at(-1) + CELL + EDGE;
    const height = this.ys.at(-1) + CELL + EDGE;
    this.svg = el("svg", {
      viewBox: `0 0 ${width} ${height}`,
      class: "board",
      role: "group",
      "aria-label": label,
    });
    this.drawFrame();
    host.replaceChildren(this.svg);
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  drawFrame() {
    const { columns, rows } = this.picture;
    for (const [index, text] of columns.entries()) this.label(text, this.xs[index] + CELL / 2, this.margin / 2 - 2);
    for (const [index, text] of rows.entries()) this.label(text, this.margin / 2 - 2, this.ys[index] + CELL / 2);
    this.blocks = new Map();
    this.cells = rows.map(() => []);
    for (const [top, bottom] of spans(rows.length, this.picture.rowBreaks)) {
      for (const [left, right] of spans(columns.length, this.picture.columnBreaks)) {
        const block = el("g", { class: "block" });
        block.append(
          el("rect", {
            class: "plate",
            x: this.xs[left] - 4,
            y: this.ys[top] - 4,
            width: this.xs[right - 1] + CELL - this.xs[left] + 8,
            height: this.ys[bottom - 1] + CELL - this.ys[top] + 8,
            rx: 10,
          }),
        );
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            block.append(this.cell(row, column));
          }
        }
        this.blocks.set(`${top},${left}`, block);
        this.svg.append(block);
      }
    }
    this.arrows = el("g", { class: "arrows" });
    this.svg.append(this.arrows);
  }

  label(text, x, y) {
    const node = el("text", { x, y, class: "label", "font-size": this.labelSize, "aria-hidden": "true" });
    node.textContent = text;
    this.svg.append(node);
  }

  cell(row, column) {
    const x = this.xs[column] + CELL / 2;
    const y = this.ys[row] + CELL / 2;
    const node = el("g", {
      class: "cell",
      role: "button",
      tabindex: row === 0 && column === 0 ? 0 : -1,
      "data-cell": `${row},${column}`,
      transform: `translate(${x} ${y})`,
    });
    node.append(
      el("rect", { class: "spot", x: -CELL / 2 + 2, y: -CELL / 2 + 2, width: CELL - 4, height: CELL - 4, rx: 8 }),
      el("circle", { class: "hole", r: 7 }),
    );
    node.addEventListener("click", () => {
      this.moveFocus(row, column);
      this.onTouch({ row, column });
    });
    this.cells[row][column] = node;
    return node;
  }

  // Show a position. open(row, column) tells whether a legal move begins there; turns are the
  // moves that can be made by turning a block now; touch is where the last move was made.
  show(board, { open = () => false, chosen = null, ghost = "", touch = null, animate = false } = {}) {
    this.svg.style.setProperty("--ghost", ghost || "var(--chosen)");
    for (const mark of board.otherMarks ?? []) this.marks.set(mark.name, mark);
    const changed = new Set((board.changed ?? []).map(String));
    for (const [row, cells] of board.cells.entries()) {
      for (const [column, name] of cells.entries()) {
        this.fill(row, column, name, {
          isOpen: open(row, column),
          isChosen: chosen !== null && chosen.row === row && chosen.column === column,
          isNew: changed.has(`${row},${column}`) && !touch?.block,
        });
      }
    }
    if (animate && touch?.block && touch.degrees) this.turn(touch.block, touch.degrees);
  }

  fill(row, column, name, { isOpen, isChosen, isNew }) {
    const node = this.cells[row][column];
    const place = this.nameOf(row, column);
    const mark = name === null ? null : (this.marks.get(name) ?? { name, title: name, symbol: name });
    if (node.dataset.mark !== (name ?? "")) {
      node.dataset.mark = name ?? "";
      node.querySelector(".mark")?.remove();
      if (mark) node.append(drawn(mark));
    }
    node.classList.toggle("open", isOpen);
    node.classList.toggle("chosen", isChosen);
    node.classList.toggle("new", isNew);
    const state = mark ? mark.title : "empty";
    const more = isChosen ? ", chosen" : isOpen ? ", can be played" : "";
    node.setAttribute("aria-label", `${place}: ${state}${more}`);
  }

  nameOf(row, column) {
    return `${this.picture.columns[column]} ${this.picture.rows[row]}`;
  }

  // The content already stands as it is after the turn: it is shown coming from before.
  turn([top, left], degrees) {
    const block = this.blocks.get(`${top},${left}`);
    if (!block || calm() || !block.animate) return;
    block.classList.add("turning");
    const animation = block.animate(
      [{ transform: `rotate(${-degrees}deg)` }, { transform: "rotate(0deg)" }],
      { duration: TURN_MS, easing: "ease-in-out" },
    );
    this.turning = animation.finished
      .catch(() => {})
      .then(() => block.classList.remove("turning"));
  }

  // Arrows on blocks: each is [move, touch]; a click on one makes the move.
  offerTurns(turns) {
    this.arrows.replaceChildren();
    for (const { move, touch } of turns) {
      const [top, left, , right] = touch.block;
      // On the edge of the block and between its columns, where an arrow hides no stone.
      const inset = right - left > 2 ? CELL : 0;
      const x0 = this.xs[left] + inset;
      const x1 = this.xs[right - 1] + CELL - inset;
      const y = this.ys[top] - 4;
      const clockwise = (touch.degrees + 360) % 360 === 90;
      const half = (touch.degrees + 360) % 360 === 180;
      const x = half ? (x0 + x1) / 2 : clockwise ? x1 : x0;
      const arrow = el("g", {
        class: "arrow",
        role: "button",
        tabindex: 0,
        transform: `translate(${x} ${y})`,
        "data-move": move,
        "aria-label": `${move}: turn ${half ? "by half" : clockwise ? "clockwise" : "counterclockwise"}`,
      });
      const text = el("text", { class: "arrow-text", y: 9 });
      text.textContent = half ? "⟳" : clockwise ? "↻" : "↺";
      const title = el("title");
      title.textContent = move;
      arrow.append(title, el("circle", { r: CELL * 0.31 }), text);
      arrow.addEventListener("click", () => this.onTurn(move));
      arrow.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          event.stopPropagation();
          this.onTurn(move);
        }
      });
      this.arrows.append(arrow);
    }
  }

  key(event) {
    const at = event.target.closest?.("[data-cell]");
    if (!at) return;
    const [row, column] = at.dataset.cell.split(",").map(Number);
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      event.preventDefault();
      this.moveFocus(row + step[0], column + step[1], true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onTouch({ row, column });
    }
  }

  moveFocus(row, column, take = false) {
    const next = this.cells[row]?.[column];
    if (!next) return;
    this.cells[this.focus[0]][this.focus[1]].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    this.focus = [row, column];
    if (take) next.focus();
  }
}

function drawn(mark) {
  const group = el("g", { class: "mark" });
  if (mark.colour) {
    group.append(el("circle", { r: CELL * 0.38, fill: mark.colour, class: "stone" }));
    return group;
  }
  const text = el("text", { class: "symbol", y: 14 });
  text.textContent = mark.symbol || mark.title;
  group.append(text);
  return group;
}

// Left (or top) edge of each cell, with a gap after each break.
function edges(count, breaks, margin) {
  const found = [];
  let at = margin;
  for (let index = 0; index < count; index++) {
    if (breaks.includes(index)) at += GAP;
    found.push(at);
    at += CELL;
  }
  return found;
}

function spans(count, breaks) {
  const stops = [0, ...[...breaks].sort((a, b) => a - b), count];
  return stops.slice(1).map((stop, index) => [stops[index], stop]);
}
