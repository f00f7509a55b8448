// A board in a notebook: shows what Python tells, and sends the move that was clicked.
//
// In: the traits `frame` (what holds of every position) and `position` (scene, moves, words).
// Out: messages {move: text} and {back: true}. Python alone knows the rules. This text is run
// behind those of the page's board.js and choose.js, whose `BoardView`, `Choice` are used.

const MOST_BUTTONS = 200;

export default {
  render({ model, el: host }) {
    host.classList.add("gdl", "gdl-board");
    const place = document.createElement("div");
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    const buttons = document.createElement("div");
    const facts = document.createElement("pre");
    host.replaceChildren(said, place, facts, buttons);
    const frame = model.get("frame");
    let choice = new Choice([]);

    const send = (message) => {
      try {
        model.send(message);
      } catch {
        said.textContent = "No kernel answers: run this notebook to play.";
      }
    };
    const move = (text) => send({ move: text });
    const touch = (site) => {
      const text = choice.touch(site);
      draw();
      if (text !== null) move(text);
    };
    const view = frame.sites ? new BoardView(place, { frame }, { onTouch: touch, onTurn: move }) : null;

    function button(text, click) {
      const node = document.createElement("button");
      node.textContent = text;
      node.addEventListener("click", click);
      return node;
    }

    function draw() {
      const { scene, text, words, back, hides } = model.get("position");
      said.textContent = words;
      view?.svg.toggleAttribute("hidden", !scene);
      if (scene && view) {
        view.show(scene, { open: (site) => choice.isOpen(site), chosen: choice.touched });
        view.offerTurns(choice.turns.map((each) => ({ move: each.text, touch: each.touch })));
      } else {
        view?.offerTurns([]);
      }
      facts.textContent = scene && view && !hides ? "" : text; // of what is hidden: what was seen
      const plain = (scene && view ? choice.plain : choice.moves).slice(0, MOST_BUTTONS);
      buttons.replaceChildren(
        ...plain.map((each) => button(each.text, () => move(each.text))),
        ...(back ? [button("take back", () => send({ back: true }))] : []),
      );
    }

    function changed() {
      choice = new Choice(model.get("position").moves);
      draw();
    }
    model.on("change:position", changed);
    changed();
    return () => model.off("change:position", changed);
  },
};
