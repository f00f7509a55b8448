// A picture as SVG, drawn from the shapes that the server sends: sites, what stands on them,
// blocks that turn.
//
// In: a frame (what holds of every position), the scene of a position, and the moves that can be
// made by touching the board. Out: clicks and keys, as numbers of sites. It knows no rules, and
// nothing of the form of a board.

const NS = "http://www.w3.org/2000/svg";
const CELL = 60;
const TURN_MS = 450;

export function el(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The same frame seen from the other side of the table: on each of its boards every place goes to
// the other end, and what stands there stays upright. Boards stay where they are, with their titles.
export function turnedAround(frame) {
  const about = ([x, y]) => {
    const [left, top, width, height] = frame.panels.find(([a, b, w, h]) => x >= a && x <= a + w && y >= b && y <= b + h) ?? [0, 0, ...frame.size];
    return [2 * left + width, 2 * top + height];
  };
  const turned = (shape) => (shape[1] === "title" ? shape : opposite(shape, ...about(shape[2])));
  return {
    ...frame,
    isTurned: true,
    ground: frame.ground.map(turned),
    sites: frame.sites.map((site) => ({
      ...site,
      at: about(site.at).map((sum, index) => sum - site.at[index]),
      base: site.base.map((shape) => opposite(shape)),
      outline: opposite(site.outline),
    })),
    blocks: frame.blocks.map((each) => ({ ...each, plate: turned(each.plate) })),
  };
}

function opposite([tag, kind, at, ...more], across = 0, down = 0) {
  const points = at.map((value, index) => (index % 2 ? down : across) - value);
  return [tag, kind, tag === "rect" ? [points[2], points[3], points[0], points[1]] : points, ...more];
}

export class BoardView {
  // host: an element; onTouch(site) and onTurn(move) are called on a person's touch.
  constructor(host, card, { onTouch = () => {}, onTurn = () => {}, label = "Board" } = {}) {
    this.frame = card.frame;
    this.onTouch = onTouch;
    this.onTurn = onTurn;
    this.focus = 0;
    this.turning = Promise.resolve();
    const [width, height] = this.frame.size;
    this.svg = el("svg", { viewBox: `0 0 ${width} ${height}`, class: "board", role: "group", "aria-label": label });
    this.drawFrame();
    host.replaceChildren(this.svg);
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  drawFrame() {
    this.svg.append(...this.frame.ground.map(drawn));
    this.nodes = this.frame.sites.map((site, number) => this.site(site, number));
    this.blocks = new Map();
    const rest = new Set(this.nodes.keys());
    for (const { block, plate, sites } of this.frame.blocks) {
      for (const number of sites) rest.delete(number);
      const group = el("g", { class: "block" }, drawn(plate), ...sites.map((number) => this.nodes[number]));
      this.blocks.set(`${block[0]},${block[1]}`, group);
      this.svg.append(group);
    }
    this.svg.append(...[...rest].map((number) => this.nodes[number]));
    this.arrows = el("g", { class: "arrows" });
    this.marks = el("g", { class: "marks", "aria-hidden": "true" });
    this.svg.append(this.marks, this.arrows);
  }

  site({ at, cell, base, outline }, number) {
    const isHoled = base.some(([, kind]) => kind === "hole");
    const node = el("g", {
      class: isHoled ? "cell holed" : base.length ? "cell" : "cell bare",
      role: "button",
      tabindex: number === 0 ? 0 : -1,
      "data-site": number,
      ...(cell ? { "data-cell": cell.join() } : {}),
      transform: `translate(${at[0]} ${at[1]})`,
    });
    const bases = base.map(drawn);
    node.append(...(isHoled ? [drawn(outline), ...bases] : [...bases, drawn(outline)]));
    node.addEventListener("click", () => {
      this.moveFocus(number);
      this.onTouch(number);
    });
    return node;
  }

  // Show a position. open(site) tells whether the next touch of a legal move can be there, next(site)
  // whether it goes on with one that is begun: these alone are marked then, where there are any. touch
  // is where the last move was made, last, the sites that were touched for it; line, the sites that decided the game; hints, what a program
  // would do: [{sites, text}], the best first.
  show(scene, { open = () => false, next = () => false, chosen = [], ghost = "", touch = null, last = [], line = [], hints = [], animate = false } = {}) {
    this.svg.style.setProperty("--ghost", ghost || "var(--chosen)");
    const changed = new Set(touch?.block ? this.stoneOf(touch) : [...scene.changed, ...last]);
    for (const [name, group] of this.blocks) group.classList.toggle("turned", name === touch?.block?.slice(0, 2).join());
    const ahead = this.nodes.map((_, number) => next(number));
    this.svg.classList.toggle("begun", ahead.includes(true));
    for (const [number, node] of this.nodes.entries()) {
      const [piece, name, words] = scene.sites[number] ?? [null, "", scene.isUnseen ? "not shown" : "empty"];
      const isOpen = open(number);
      const isChosen = chosen.includes(number);
      const key = piece === null ? "" : JSON.stringify(scene.pieces[piece]);
      if (node.dataset.piece !== key) {
        node.dataset.piece = key;
        node.querySelector(".mark")?.remove();
        if (piece !== null) node.append(el("g", { class: "mark" }, ...scene.pieces[piece].map((shape) => drawn(this.frame.isTurned ? opposite(shape) : shape))));
      }
      node.dataset.mark = name;
      node.classList.toggle("open", isOpen);
      node.classList.toggle("next", ahead[number]);
      node.classList.toggle("chosen", isChosen);
      node.classList.toggle("new", changed.has(number));
      node.classList.toggle("won", line.includes(number));
      node.classList.toggle("spent", piece !== null && isSpent(scene.pieces[piece]));
      const more = (line.includes(number) ? ", part of the winning line" : "") + (isChosen ? ", chosen" : isOpen ? ", can be played" : "");
      node.setAttribute("aria-label", `${this.frame.sites[number].title}: ${words}${more}`);
    }
    this.marks.replaceChildren(...hints.flatMap((hint, rank) => this.hint(hint, rank)));
    if (animate && touch?.block && touch.degrees) this.turn(touch.block, touch.degrees);
  }

  // Where the stone of a move lies after the block that it was laid into has been turned.
  stoneOf({ row, column, block: [top, left, bottom, right], degrees }) {
    if (row === null || column === null || row === undefined) return [];
    let [down, across] = [row - top, column - left];
    if (row >= top && row < bottom && column >= left && column < right) {
      for (let turn = (((degrees ?? 0) % 360) + 360) % 360; turn > 0; turn -= 90) {
        [down, across] = [across, bottom - top - 1 - down];
      }
    }
    const cell = [top + down, left + across].join();
    const number = this.frame.sites.findIndex((site) => site.cell?.join() === cell);
    return number < 0 ? [] : [number];
  }

  // A ring where a move ends, with what it is worth (none where that is said elsewhere), and an
  // arrow from where it begins. Where something stands the ring is small, and in the corner.
  hint({ sites, text, tone }, rank) {
    const places = sites.map((site) => this.frame.sites[site]?.at).filter(Boolean);
    if (!places.length) return [];
    const isTaken = Boolean(this.nodes[sites.at(-1)].dataset.piece);
    const aside = isTaken ? CELL * 0.28 : 0;
    const [x, y] = [places.at(-1)[0] + aside, places.at(-1)[1] - aside];
    const way = places.length > 1 ? arrow(places, text && !isTaken ? CELL * 0.3 : 4, rank) : [];
    if (!text) return way;
    const label = el("text", { class: text.length > 2 ? "hint-text long" : "hint-text", x, y: y + 1 });
    label.textContent = text;
    return [...way, el("circle", { class: `hint rank-${Math.min(rank, 2)} ${tone}`, cx: x, cy: y, r: CELL * (isTaken ? 0.21 : 0.3) }), label];
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

  // Arrows on blocks, each for a move that turns one; a click on it makes the move. Turns of one
  // block in one direction, but by other degrees, stand below each other.
  offerTurns(turns) {
    this.arrows.replaceChildren();
    const taken = new Map();
    for (const { move, touch } of turns) {
      const [x0, x1, y] = this.edge(touch.block);
      const degrees = ((touch.degrees % 360) + 540) % 360 - 180; // from -180 to 179
      const isHalf = degrees === -180;
      const x = isHalf ? (x0 + x1) / 2 : degrees > 0 ? x1 : x0;
      const count = taken.get(`${x},${y}`) ?? 0;
      taken.set(`${x},${y}`, count + 1);
      const way = isHalf ? "by half" : degrees > 0 ? "clockwise" : "counterclockwise";
      const far = Math.abs(degrees) === 90 || isHalf ? "" : ` by ${Math.abs(degrees)} degrees`;
      const arrow = el("g", {
        class: "arrow",
        role: "button",
        tabindex: 0,
        transform: `translate(${x} ${y + count * CELL * 0.7})`,
        "data-move": move,
        "aria-label": `${move}: turn ${way}${far}`,
      });
      const text = el("text", { class: "arrow-text", y: 9 });
      text.textContent = isHalf ? "⟳" : degrees > 0 ? "↻" : "↺";
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

  // Left and right end, and height, of the upper edge of a block: between its columns, where an
  // arrow hides no stone.
  edge([top, left, bottom, right]) {
    const at = (row, column) => this.frame.sites.find(({ cell }) => cell && cell[0] === row && cell[1] === column)?.at;
    const corners = [at(top, left), at(bottom - 1, right - 1)].map((place) => place ?? [CELL / 2, CELL / 2]);
    const [x0, x1] = [Math.min(corners[0][0], corners[1][0]), Math.max(corners[0][0], corners[1][0])];
    const y = Math.min(corners[0][1], corners[1][1]);
    const inset = right - left > 2 ? CELL : 0;
    return [x0 - CELL / 2 + inset, x1 + CELL / 2 - inset, y - CELL / 2 - 4];
  }

  key(event) {
    const at = event.target.closest?.("[data-site]");
    if (!at) return;
    const number = Number(at.dataset.site);
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (step) {
      event.preventDefault();
      const next = this.neighbour(number, step);
      if (next !== null) this.moveFocus(next, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onTouch(number);
    }
  }

  // The nearest site in a direction; one that lies aside counts as farther away.
  neighbour(number, [right, down]) {
    const [x, y] = this.frame.sites[number].at;
    let best = null;
    let least = Infinity;
    for (const [other, { at }] of this.frame.sites.entries()) {
      const ahead = (at[0] - x) * right + (at[1] - y) * down;
      const aside = Math.abs((at[0] - x) * down) + Math.abs((at[1] - y) * right);
      if (ahead > 1 && aside <= 2 * ahead && ahead + 2 * aside < least) {
        least = ahead + 2 * aside;
        best = other;
      }
    }
    return best;
  }

  moveFocus(number, take = false) {
    const next = this.nodes[number];
    if (!next) return;
    this.nodes[this.focus].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    this.focus = number;
    if (take) next.focus();
  }
}

// A way through places as a line with a head, which ends so far before the last place.
function arrow(places, before, rank) {
  const [x, y] = places.at(-1);
  const [px, py] = places.at(-2);
  const length = Math.hypot(x - px, y - py) || 1;
  const [ux, uy] = [(x - px) / length, (y - py) / length];
  const at = (back, aside) => [x - ux * (before + back) - uy * aside, y - uy * (before + back) + ux * aside];
  const kind = Math.min(rank, 2);
  const line = [...places.slice(0, -1), at(12, 0)].flat().join(" ");
  return [
    el("polyline", { class: `hint-way rank-${kind}`, points: line }),
    el("polygon", { class: `hint-head rank-${kind}`, points: [...at(0, 0), ...at(16, 11), ...at(16, -11)].join(" ") }),
  ];
}

// Whether shapes are a man and a 0: none of it is there.
const isSpent = (shapes) => shapes.length > 1 && shapes.some(([, kind, , , says]) => kind === "count" && says === "0");

// A shape as the server sends it: element, kind, coordinates, size, text, colour, turn.
export function drawn([tag, kind, at, size = 0, says = "", fill = "", turn = 0]) {
  const node = el(tag, { class: kind, ...placed(tag, at, size, turn) });
  if (says) node.textContent = says;
  if (fill) node.style.fill = fill;
  if (fill) node.classList.add(isPale(fill) ? "pale" : "deep"); // what is drawn around it is the other
  if (kind === "label" || kind === "title") node.setAttribute("aria-hidden", "true");
  return node;
}

// Whether a colour (#rrggbb) is nearer to white than to black, as eyes have it.
function isPale(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

function placed(tag, at, size, turn) {
  switch (tag) {
    case "circle":
      return { cx: at[0], cy: at[1], r: size };
    case "rect":
      return { x: at[0], y: at[1], width: at[2] - at[0], height: at[3] - at[1], rx: size };
    case "text": {
      const where = { x: at[0], y: at[1], "font-size": size };
      return turn ? { ...where, transform: `rotate(${turn} ${at[0]} ${at[1]})` } : where;
    }
    default:
      return { points: at.join(" ") };
  }
}
