// From touches of the board to a move: which legal moves go on at a site, which turn a block.
//
// In: the legal moves of a role with their places ({text, steps, touch, pick}); of each step any of
// its sites will do; pick says what is put there, if the move says so. Out: the move that a person
// means, or what is still to be chosen.

const putsDown = ({ steps, pick, touch }) => pick && steps?.length === 1 && !touch?.block;

export class Choice {
  // position: a name of where these moves are legal, which tells it from others.
  constructor(moves, position = "") {
    this.all = moves;
    this.position = position;
    this.picked = null; // what is put down next, where a person has said so first
    this.touched = []; // numbers of sites, one for each step so far
  }

  // The moves that are meant: all of them, or those that put down what was picked.
  get moves() {
    return this.picked === null ? this.all : this.all.filter((move) => putsDown(move) && move.pick === this.picked);
  }

  // What may be picked before a place is touched, where moves of one touch put down several things,
  // or stand beside moves of another kind: nobody is to drop a man by a slip.
  get picks() {
    const picks = [...new Set(this.all.filter(putsDown).map(({ pick }) => pick))];
    const isMixed = this.all.some((move) => move.steps?.length && !putsDown(move));
    return picks.length > 1 || isMixed ? picks : [];
  }

  // Pick something to put down, or put it back.
  pick(name) {
    this.touched = [];
    this.picked = this.picked === name ? null : name;
  }

  // Whether a touch of a site goes on with some move, or begins another one.
  isOpen(site) {
    return this.goesOn(site) || this.begins(site);
  }

  goesOn(site) {
    const step = this.touched.length;
    return this.begun.some(({ steps }) => steps?.[step]?.includes(site));
  }

  begins(site) {
    return this.moves.some(({ steps }) => steps?.[0]?.includes(site));
  }

  // The moves whose first steps are the touches so far.
  get begun() {
    return this.moves.filter(({ steps }) => this.touched.every((site, step) => steps?.[step]?.includes(site)));
  }

  // The moves of which nothing is left to be touched.
  get remaining() {
    return this.begun.filter(({ steps }) => (steps?.length ?? 0) === this.touched.length);
  }

  // Moves that can be made now by turning a block.
  get turns() {
    return this.remaining.filter(({ touch }) => touch?.block);
  }

  // Moves that can be made now, and not by turning a block: they get buttons.
  get plain() {
    return this.remaining.filter(({ touch }) => !touch?.block);
  }

  // Touch a site: the text of the move, if there is only one, else null.
  touch(site) {
    if (this.goesOn(site)) this.touched.push(site);
    else if (this.touched.at(-1) !== site && this.begins(site)) this.touched = [site];
    else {
      this.touched = [];
      return null;
    }
    const [only] = this.remaining;
    const isMeant = this.begun.length === 1 && only && (this.picked !== null || !this.picks.includes(only.pick) || !putsDown(only));
    if (!isMeant) return null;
    this.touched = []; // what is made of it others say; whoever has to do it again begins again
    return only.text;
  }
}
