// From touches of the board to a move: which legal moves go on at a site, which turn a block.
//
// In: the legal moves of a role with their places ({text, steps, touch}); of each step any of its
// sites will do. Out: the move that a person means, or what is still to be chosen.

export class Choice {
  constructor(moves) {
    this.moves = moves;
    this.touched = []; // numbers of sites, one for each step so far
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
    return this.begun.length === 1 && this.remaining.length === 1 ? this.remaining[0].text : null;
  }
}
