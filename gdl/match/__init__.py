"""Matches: an append-only log of actions; the state is always a replay of it.

In: a ruleset, and actions. Out: a `Match` with the position, whose turn it is, clocks, draw
offers and the end; refusals with codes; the log as JSON lines.

- `match` reduces the log to a state, of `actions`; `moves` says what a text means, `ending` how it
  ends, `clock` what time is left, `refusal` why not
- `log` is the file; `pin` keeps the ruleset in it, with `pin_parts`, `pin_picture` and
  `pin_short_notation`
- `store` is the database: its tables in `schema`, and the `records` beside the log
- `view` is what somebody may see, `payload` a state as programs of one game want it

Example:
    >>> from gdl.match import Action, Header, Kind, start, submit
    >>> from gdl.ruleset import find
    >>> match = start(Header.of("example", find("gomoku/freestyle")))
    >>> action = Action("a1", 0, "black", Kind.MOVE, "PLACE_STONE {7,7}")
    >>> match = submit(match, action, at=0).match
    >>> match.seq, match.to_move
    (1, ('white',))
"""

from gdl.match.actions import Action, Entry, Kind, read_action
from gdl.match.clock import Clock, TimeControl
from gdl.match.ending import How, Outcome
from gdl.match.match import Accepted, Header, Match, Offer, reduce, start, submit
from gdl.match.refusal import Code, LogError, RefusedError

__all__ = [
    "Accepted",
    "Action",
    "Clock",
    "Code",
    "Entry",
    "Header",
    "How",
    "Kind",
    "LogError",
    "Match",
    "Offer",
    "Outcome",
    "RefusedError",
    "TimeControl",
    "read_action",
    "reduce",
    "start",
    "submit",
]
