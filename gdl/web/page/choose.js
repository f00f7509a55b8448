// From a touch of the board to a move: which legal moves begin on a cell, which turn a block.
//
// In: the legal moves of a role with their places ({text, touch}). Out: the one that a person
// means, or what is still to be chosen.

export class Choice {
  constructor(moves) {
    this.moves = moves;
    this.cell = null;
  }

  isOpen(row, column) {
    return this.moves.some(({ touch }) => hits(touch, row, column));
  }

  // The moves that remain after the touches so far; only moves without a cell before the first.
  get remaining() {
    return this.cell
      ? this.moves.filter(({ touch }) => hits(touch, this.cell.row, this.cell.column))
      : this.moves.filter(({ touch }) => !touch || (touch.row === null && touch.column === null));
  }

  // Moves that can be made now by turning a block.
  get turns() {
    return this.remaining.filter(({ touch }) => touch?.block);
  }

  // Moves that can be made now, and neither by a cell nor by a block: they get buttons.
  get plain() {
    return this.remaining.filter(({ touch }) => !touch?.block);
  }

  // Touch a cell: the text of the move, if there is only one, else null.
  touch(row, column) {
    if (!this.isOpen(row, column)) {
      this.cell = null;
      return null;
    }
    this.cell = { row, column };
    return this.remaining.length === 1 ? this.remaining[0].text : null;
  }
}

function hits(touch, row, column) {
  if (!touch || (touch.row === null && touch.column === null)) return false;
  return (touch.row === null || touch.row === row) && (touch.column === null || touch.column === column);
}
