"""A match: the pure reducer from a ruleset and a log of actions to a state.

In: a `Header` (the pinned ruleset and the time control) and entries. Out: a `Match`, an
immutable value; `submit` returns the match after one more action, or raises a `RefusedError` and
nothing has changed. The clock's time is an argument: nothing here looks at a clock, draws a
number or remembers anything.

Where several roles move at once, each sends its own move; the joint move is played when the
last of them is there. A role that has only one legal move there need not send it, but in
games that hide something (GDL-II) everybody sends a move in every turn, as the rules have
it: a role that need not would tell the others so by its silence.

Source: "Gomoku Implementation Spec (Freestyle Baseline)", sections 4 to 6, 8 and 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from gdl.game import Game, load
from gdl.language.diagnostics import GdlError, LimitError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse_term
from gdl.language.syntax import Compound, Term, kif_text
from gdl.match import ending
from gdl.match.actions import Action, Entry, Kind
from gdl.match.clock import Clock, TimeControl
from gdl.match.ending import How, Outcome
from gdl.match.moves import read_move, require_legal
from gdl.match.pin import pin, unpin
from gdl.match.refusal import Code, LogError, RefusedError
from gdl.ruleset import Ruleset
from gdl.state import State

FORCED_PLIES: Final = 1_000
"""So many turns in which nobody has anything to do are played by themselves in a row."""
MOST_TURNS: Final = 5_000
"""Turns after which a match is over that the rules have not ended: they may never do so."""
SHALLOW: Final = 4
"""Levels of a term that is not too large to be told, whatever it is."""
MOST_SYMBOLS: Final = 20_000
"""Symbols of the largest fact that a match goes on with; to tell of more takes seconds."""
MOST_TALK: Final = 1_000
"""Entries of a log beside the moves that stand: offers, answers, and moves that were taken back.
Of those there is no end by itself, and a full log must take no move from anybody."""
_ALWAYS: Final = frozenset(
    {Kind.MOVE, Kind.RESIGN, Kind.TIMEOUT, Kind.REQUEST_DRAW, Kind.ACCEPT_DRAW}
)
"""What is taken though there has been `MOST_TALK`: moves, and what ends a match or may do so. An
offer stands until a move declines it then, so that the log grows with the moves only."""
_NO_OFFER: Final = {
    Code.NO_DRAW_OFFER: "no draw has been offered",
    Code.NO_TAKEBACK_REQUEST: "nobody wants to take a move back",
}
_DECLINES: Final = frozenset({Kind.DECLINE_DRAW, Kind.DECLINE_TAKEBACK})


@dataclass(frozen=True, slots=True)
class Header:
    """What a match is about; written once, never changed.

    Attributes:
        id: Name of the match.
        ruleset: The pinned ruleset; see `gdl.match.pin`.
        control: How much time each role gets; None for a match without clocks.
        created: When it began, in milliseconds since 1970 (UTC).
    """

    id: str
    ruleset: Mapping[str, Any]
    control: TimeControl | None = None
    created: int = 0

    def title_of(self, role: str) -> str:
        """Return what people call a role: its title in the ruleset, its name where it has none."""
        players = self.ruleset.get("players") or ()
        return next((each["title"] for each in players if each["role"] == role), role)

    @classmethod
    def of(
        cls, id_: str, ruleset: Ruleset, *, control: TimeControl | None = None, created: int = 0
    ) -> Header:
        """Return the header of a new match of a ruleset as it is now."""
        return cls(id_, pin(ruleset), control, created)


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer of a draw, or a request to take a move back.

    Attributes:
        by: Who made it.
        accepted: Who has accepted it so far; it takes all other players.
    """

    by: str
    accepted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was played and not taken back.

    Attributes:
        state: The position in which it began.
        began: Length of the log then.
        stood: So many of its entries were moves that stood.
    """

    state: State
    began: int
    stood: int


@dataclass(frozen=True, slots=True)
class Match:
    """A match after some actions; immutable.

    Attributes:
        header: What it is about.
        state: The position.
        entries: The log.
        pending: Moves of this turn that wait for those of other roles.
        offer: A draw that is offered; None if there is none.
        takeback: A move that somebody wants to take back; None if there is none.
        turns: The turns behind this one, of which the last may be taken back.
        returned: By the number of each entry with which moves were taken back, the length of the
            log in whose position the match has been since.
        clock: What is left of each role's time; None without clocks.
        outcome: How it ended; None while it goes on.
        turn: Length of the log when this turn began.
        talk: So many entries are no moves that stand.
        hidden: Whether the game hides something from its roles.
    """

    header: Header
    state: State
    entries: tuple[Entry, ...] = ()
    pending: Mapping[str, Term] = field(default_factory=dict)
    offer: Offer | None = None
    takeback: Offer | None = None
    turns: tuple[Turn, ...] = ()
    returned: Mapping[int, int] = field(default_factory=dict)
    clock: Clock | None = None
    outcome: Outcome | None = None
    turn: int = 0
    talk: int = 0
    hidden: bool = False

    @property
    def game(self) -> Game:
        """The game as it is pinned."""
        return self.state.game

    @property
    def seq(self) -> int:
        """The next sequence number: the length of the log."""
        return len(self.entries)

    @property
    def to_move(self) -> tuple[str, ...]:
        """The roles whose move is waited for; none at the end."""
        if self.outcome is not None:
            return ()
        movers = self.game.roles if self.hidden else self.state.movers
        return tuple(role for role in movers if role not in self.pending)

    @property
    def last_at(self) -> int:
        """When the last action was accepted, in milliseconds since 1970."""
        return self.entries[-1].at if self.entries else self.header.created

    @property
    def movers(self) -> str:
        """Whose move is waited for, as people call them."""
        return " and ".join(map(self.title_of, self.to_move))

    def title_of(self, role: str) -> str:
        """Return what people call a role."""
        return self.header.title_of(role)

    def timeout_due(self) -> tuple[int, str] | None:
        """Return when the next clock is over, and whose; None when none runs."""
        if self.clock is None or self.outcome is not None or self.clock.since is None:
            return None
        ends = [
            (self.clock.since + self.clock.left[role], role)
            for role in self.to_move
            if role in self.clock.left
        ]
        return min(ends, key=lambda end: end[0], default=None)


def start(header: Header, *, game: Game | None = None, limits: Limits = DEFAULT_LIMITS) -> Match:
    """Return a match before its first action.

    Args:
        header: What it is about.
        game: The pinned ruleset, loaded, where that is at hand; or another one, to see what
            the log means under it (see `gdl.match.log.replay`).
        limits: What the rules may take.

    Raises:
        LogError: The header is not whole.
        GdlError: The rules cannot be played.
    """
    if game is None:
        game = load(unpin(header.ruleset, limits=limits), backend="reason", limits=limits)
    clock = None
    if header.control is not None:
        clock = Clock.start(header.control, ending.players(game.roles))
    match = Match(header, game.initial(), clock=clock, hidden=game.hides_facts)
    return _settled(match, match.state, header.created)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to an action.

    Attributes:
        match: The match after it.
        entry: The action's place in the log.
        is_new: False when the action had been accepted before, and is answered again.
    """

    match: Match
    entry: Entry
    is_new: bool = True


def submit(match: Match, action: Action, *, at: int) -> Accepted:
    """Return a match after one more action.

    Args:
        match: The match; it does not change.
        action: What somebody wants to do.
        at: When it arrived, in milliseconds since 1970; never before the last action.

    Raises:
        RefusedError: It is not accepted; its code says why. Looked for in this order: duplicate
            id, end of the match, sequence, role, turn, and then what the action does.
    """
    before = next((entry for entry in match.entries if entry.id == action.id), None)
    if before is not None:
        return Accepted(match, _same(match, before, action), is_new=False)
    entry = admit(match, action, at=max(at, match.last_at))
    _require_time(match, entry)
    _require_room(match, entry)
    return Accepted(applied(match, entry), entry)


def _require_time(match: Match, entry: Entry) -> None:
    """Refuse to end or turn back a match that a clock has ended, though nobody logged that yet.

    Else its result would depend on how soon whoever keeps the clock wakes. Not asked of logs that
    are followed: older ones may have such entries. Moves are looked at by `_check_move`.

    Raises:
        RefusedError: A clock is over, and this is neither a move nor the timeout.
    """
    due = match.timeout_due()
    if due is not None and due[0] <= entry.at and entry.kind not in {Kind.MOVE, Kind.TIMEOUT}:
        raise RefusedError(
            Code.TIME_OVER,
            f"the time of {match.title_of(due[1])} is over",
            expected="TIMEOUT, to end the match",
        )


def _require_room(match: Match, entry: Entry) -> None:
    """Refuse another entry that is no move when there were very many; also not asked of old logs.

    Raises:
        RefusedError: There were.
    """
    if match.talk >= MOST_TALK and entry.kind not in _ALWAYS:
        raise RefusedError(
            Code.LOG_FULL,
            f"{match.talk} entries of this match are no moves that stand, and no more are taken",
            expected="MOVE, RESIGN, REQUEST_DRAW or ACCEPT_DRAW",
        )


def _same(match: Match, before: Entry, action: Action) -> Entry:
    """Return the entry of an action that was accepted before, if this is the same one."""
    is_same = (before.role, before.kind, before.asked) == (action.role, action.kind, action.seq)
    if is_same and action.kind is Kind.MOVE:
        try:
            is_same = _plain(match, action.move) == _plain(match, before.move)
            is_same = is_same or kif_text(match.game.move(action.move)) == before.term
        except GdlError:
            is_same = False
    if is_same:
        return before
    raise RefusedError(
        Code.DUPLICATE_ID,
        f"action {action.id} is another one: it stands in the log with number {before.seq}",
        expected="a new id, or exactly the same action",
    )


def _plain(match: Match, text: str) -> str:
    """Return a move's text without what a short notation lets one leave out."""
    short = match.game.ruleset.short_notation
    return text if short is None else short.plain(text)


def admit(match: Match, action: Action, *, at: int, term: Term | None = None) -> Entry:
    """Return the entry that an action becomes, when all checks are passed.

    Args:
        match: The match.
        action: The action.
        at: When it was accepted.
        term: The move, where it is known as a term; its text is not read then.

    Raises:
        RefusedError: See `submit`.
    """
    if match.outcome is not None:
        raise RefusedError(
            Code.GAME_OVER, f"the match is over ({match.outcome.how})", expected="nothing"
        )
    _check_sequence(match, action)
    if action.role not in match.game.roles:
        roles = " or ".join(match.game.roles)
        raise RefusedError(Code.UNKNOWN_ROLE, f"there is no role {action.role}", expected=roles)
    if action.kind is not Kind.MOVE and action.role not in ending.players(match.game.roles):
        raise RefusedError(
            Code.UNKNOWN_ROLE,
            f"{match.title_of(action.role)} is no player: it makes its moves and nothing else",
            expected=" or ".join(ending.players(match.game.roles)),
        )
    move = _CHECKS[action.kind](match, action, at, term)
    if move is None:
        written = text = ""
    else:  # the text of a log that is followed stands there as it was written
        written = match.state.notation(move, short=True) if term is None else action.move
        text = kif_text(move)
    seq, id_, role, kind = match.seq, action.id, action.role, action.kind
    return Entry(seq, id_, role, kind, at, action.seq, written, text, action.note)


def _check_sequence(match: Match, action: Action) -> None:
    """Refuse a number that is not due; others' moves of the same turn could not be seen."""
    unseen = match.entries[action.seq :]
    if match.turn <= action.seq <= match.seq and all(
        entry.kind is Kind.MOVE and entry.role != action.role for entry in unseen
    ):
        return
    raise RefusedError(
        Code.WRONG_SEQUENCE,
        f"action {action.seq} is not due",
        expected=f"seq {match.seq}, after all of the log",
    )


def _check_move(match: Match, action: Action, at: int, term: Term | None) -> Term:
    if action.role in match.pending:
        raise RefusedError(
            Code.ALREADY_MOVED,
            f"{match.title_of(action.role)} has moved in this turn",
            expected=f"the move of {match.movers}",
        )
    if action.role not in match.to_move:
        raise RefusedError(
            Code.OUT_OF_TURN,
            f"{match.title_of(action.role)} is not to move",
            expected=f"a move of {match.movers}",
        )
    if match.clock is not None and match.clock.is_over(action.role, at):
        raise RefusedError(Code.TIME_OVER, f"the time of {match.title_of(action.role)} is over")
    who = match.title_of(action.role)
    if term is not None:
        return require_legal(match.state, action.role, term, is_hidden=match.hidden, who=who)
    return read_move(match.state, action.role, action.move, is_hidden=match.hidden, who=who)


def _check_timeout(match: Match, action: Action, at: int, _term: Term | None) -> None:
    is_over = (
        match.clock is not None
        and action.role in match.to_move
        and match.clock.is_over(action.role, at)
    )
    if not is_over:
        raise RefusedError(Code.TIME_LEFT, f"the time of {match.title_of(action.role)} is not over")


def _check_offer(match: Match, action: Action, _at: int, _term: Term | None) -> None:
    others = set(ending.players(match.game.roles)) - {action.role}
    if not others:
        raise RefusedError(
            Code.NO_OPPONENT,
            f"{match.title_of(action.role)} plays alone: nobody can agree to a draw",
        )
    if match.offer is not None:
        raise RefusedError(
            Code.DRAW_OFFERED,
            f"{match.title_of(match.offer.by)} has offered a draw already",
            expected="ACCEPT_DRAW or DECLINE_DRAW of the others, or a move",
        )


def _check_answer(match: Match, action: Action, _at: int, _term: Term | None) -> None:
    _may_answer(match, match.offer, action, Code.NO_DRAW_OFFER)


def _may_answer(match: Match, offer: Offer | None, action: Action, code: Code) -> None:
    """Refuse an answer where there is no offer, or who answers has agreed to it.

    Whoever made an offer may decline it: that withdraws it.
    """
    is_withdrawal = action.kind in _DECLINES
    if offer is None:
        raise RefusedError(code, _NO_OFFER[code])
    if (offer.by == action.role and not is_withdrawal) or action.role in offer.accepted:
        raise RefusedError(
            code,
            f"{match.title_of(action.role)} has agreed already: it is for the others to answer",
        )


def _check_request(match: Match, action: Action, _at: int, _term: Term | None) -> None:
    if not set(ending.players(match.game.roles)) - {action.role}:
        raise RefusedError(
            Code.NO_OPPONENT,
            f"{match.title_of(action.role)} plays alone: nobody can agree to take a move back",
        )
    if match.takeback is not None:
        raise RefusedError(
            Code.TAKEBACK_REQUESTED,
            f"{match.title_of(match.takeback.by)} wants to take a move back already",
            expected="ACCEPT_TAKEBACK or DECLINE_TAKEBACK of the others, or a move",
        )
    if match.hidden:
        raise RefusedError(
            Code.NO_TAKEBACK, "this game hides something: what a move has shown cannot be unseen"
        )
    if match.pending:  # going back would show them, and a move of this turn ends the request
        raise RefusedError(
            Code.NO_TAKEBACK,
            "moves of this turn are there that others must not see yet",
            expected=f"the move of {match.movers}",
        )
    if _turn_of(match, action.role) is None:
        raise RefusedError(
            Code.NO_TAKEBACK, f"{match.title_of(action.role)} has made no move to take back"
        )


def _check_consent(match: Match, action: Action, _at: int, _term: Term | None) -> None:
    _may_answer(match, match.takeback, action, Code.NO_TAKEBACK_REQUEST)


def _turn_of(match: Match, role: str) -> int | None:
    """Return the number of the last turn in which a role moved, None where there is none."""
    behind = range(len(match.turns) - 1, -1, -1)
    return next((number for number in behind if role in match.turns[number].state.movers), None)


def _check_nothing(_match: Match, _action: Action, _at: int, _term: Term | None) -> None:
    """Allow it at any time: one may give up while others are to move."""


_CHECKS: Final = {
    Kind.MOVE: _check_move,
    Kind.RESIGN: _check_nothing,
    Kind.REQUEST_DRAW: _check_offer,
    Kind.ACCEPT_DRAW: _check_answer,
    Kind.DECLINE_DRAW: _check_answer,
    Kind.REQUEST_TAKEBACK: _check_request,
    Kind.ACCEPT_TAKEBACK: _check_consent,
    Kind.DECLINE_TAKEBACK: _check_consent,
    Kind.TIMEOUT: _check_timeout,
}


def applied(match: Match, entry: Entry) -> Match:
    """Return a match after an entry that `admit` has allowed."""
    roles = match.game.roles
    if entry.kind is Kind.MOVE:
        return _moved(match, entry)
    after = replace(match, entries=(*match.entries, entry), talk=match.talk + 1)
    match entry.kind:
        case Kind.RESIGN:
            return _ended(after, ending.forfeit(How.RESIGNATION, entry.role, roles), entry.at)
        case Kind.TIMEOUT:
            return _ended(after, ending.forfeit(How.TIMEOUT, entry.role, roles), entry.at)
        case Kind.REQUEST_DRAW | Kind.ACCEPT_DRAW | Kind.DECLINE_DRAW:
            agreed = _answered(match.offer, entry)
            if agreed is not None and _have_all_agreed(agreed, roles):
                return _ended(after, ending.agreed_draw(roles), entry.at)
            return replace(after, offer=agreed)
        case Kind.REQUEST_TAKEBACK | Kind.ACCEPT_TAKEBACK | Kind.DECLINE_TAKEBACK:
            agreed = _answered(match.takeback, entry)
            if agreed is not None and _have_all_agreed(agreed, roles):
                return _taken_back(after, agreed.by, entry)
            return replace(after, takeback=agreed)


def _answered(offer: Offer | None, entry: Entry) -> Offer | None:
    """Return an offer or request after it was made, agreed to, or declined."""
    if entry.kind in {Kind.REQUEST_DRAW, Kind.REQUEST_TAKEBACK}:
        return Offer(entry.role)
    if offer is None or entry.kind in _DECLINES:
        return None
    return replace(offer, accepted=offer.accepted | {entry.role})


def _have_all_agreed(offer: Offer, roles: Sequence[str]) -> bool:
    return offer.accepted | {offer.by} >= set(ending.players(roles))


def _taken_back(match: Match, role: str, entry: Entry) -> Match:
    """Return to the position in which a role made its last move; all have agreed.

    The log stays as it is, with the moves that no longer count. Nobody gets time back: whoever is
    to move again goes on with what he has left, and what he has used since the last move is gone.
    """
    number = _turn_of(match, role)
    assert number is not None
    turn = match.turns[number]
    clock = match.clock
    if clock is not None and clock.since is not None:
        clock = replace(clock.stopped(match.to_move, entry.at), since=entry.at)
    return replace(
        match,
        state=turn.state,
        turns=match.turns[:number],
        talk=match.seq - turn.stood,
        returned={**match.returned, entry.seq: turn.began},
        offer=None,
        takeback=None,
        clock=clock,
        turn=len(match.entries),
    )


@lru_cache(maxsize=10_000)
def _term(text: str) -> Term:
    """Return the move that a log says as KIF; the same moves come in many matches of a game."""
    return parse_term(text)


def _moved(match: Match, entry: Entry) -> Match:
    """Note a move; play the joint move when it was the last one waited for."""
    offer = match.offer
    if offer is not None and entry.role != offer.by and entry.role not in offer.accepted:
        offer = None  # a move in place of an answer declines
    clock = None if match.clock is None else match.clock.pressed(entry.role, entry.at)
    entries = (*match.entries, entry)
    pending = {**match.pending, entry.role: _term(entry.term)}
    if any(role != entry.role for role in match.to_move):
        return replace(
            match, entries=entries, pending=pending, offer=offer, takeback=None, clock=clock
        )
    stood = len(entries) - match.talk - len(pending)
    turned = replace(
        match,
        entries=entries,
        pending={},
        offer=offer,
        takeback=None,
        turns=(*match.turns, Turn(match.state, match.turn, stood)),
        clock=None if clock is None else clock.turned(entry.at),
        turn=len(entries),
    )
    try:
        following = match.state.play(match.state.joint_move(pending))
        return _settled(turned, following, entry.at)
    except LimitError as error:
        if not _is_always(error):
            raise
    # What follows can never be derived: the state before is what the match ends with.
    stuck = Outcome(How.STUCK, dict.fromkeys(match.game.roles))
    return _ended(turned, stuck, entry.at)


def _is_always(error: LimitError) -> bool:
    """Return whether it is what the rules derive that is too much, and not the time that it took.

    What is too deep or too many facts will be so again whenever somebody makes that move, and a
    match in which nobody can go on would stay open for ever.
    """
    return any(found.slug in {"limit-facts", "limit-term-depth"} for found in error.diagnostics)


def _is_too_large(state: State) -> bool:
    """Return whether a fact is too large to be told: rules may double a term with each turn.

    Depths are known of each term, and few games nest terms at all.
    """
    facts = state.machine.facts(state.inner)
    deep = (fact for fact in facts if isinstance(fact, Compound) and fact.depth > SHALLOW)
    return any(_symbols(fact, MOST_SYMBOLS) > MOST_SYMBOLS for fact in deep)


def _symbols(term: Term, most: int) -> int:
    """Return how many symbols a term has, written out; some number above `most` if it is more."""
    count, waiting = 0, [term]
    while waiting and count <= most:
        inner = waiting.pop()
        count += 1
        if isinstance(inner, Compound):
            waiting.extend(inner.args)
    return count


def _settled(match: Match, state: State, at: int) -> Match:
    """Go on to a state, and through turns in which nobody has anything to do.

    The match ends where the rules end it, before a state that nobody could be told of, or never.
    """
    nothing = dict.fromkeys(state.game.roles)
    for left in reversed(range(FORCED_PLIES + 1)):
        if state is not match.state:
            if _is_too_large(state):
                return _ended(match, Outcome(How.STUCK, nothing), at)
            match = replace(match, state=state)
        if not left:
            break
        machine = state.machine
        if state.is_terminal:
            values = {role: machine.goals(state.inner, state.game.role(role)) for role in nothing}
            goals = {
                role: of_role[0] if len(of_role) == 1 else None for role, of_role in values.items()
            }
            return _ended(match, Outcome(How.RULES, goals), at)
        stuck = next((r for r in machine.roles if not state.legal(r)), None)
        if stuck is not None:
            return _ended(match, Outcome(How.STUCK, nothing, kif_text(stuck)), at)
        if len(match.turns) >= MOST_TURNS:
            return _ended(match, Outcome(How.ENDLESS, nothing), at)
        if state.movers or match.hidden:
            return match
        state = state.play({})
    return _ended(match, Outcome(How.IDLE, nothing), at)


def _ended(match: Match, outcome: Outcome, at: int) -> Match:
    clock = None if match.clock is None else match.clock.stopped(match.to_move, at)
    return replace(match, outcome=outcome, clock=clock, offer=None, takeback=None)


def reduce(match: Match, entries: Iterable[Entry]) -> Match:
    """Return a match after entries of its log, each checked as it was when it was accepted.

    Raises:
        LogError: An entry does not follow from those before it; names it and says why.
    """
    for entry in entries:
        match = follow(match, entry)
    return match


def follow(match: Match, entry: Entry) -> Match:
    """Return a match after one entry of its log; see `reduce`."""
    if entry.seq != match.seq or entry.at < match.last_at:
        raise LogError(
            f"entry {entry.seq} of match {match.header.id} does not follow",
            expected=f"entry {match.seq}, not before {match.last_at}",
        )
    if any(earlier.id == entry.id for earlier in match.entries):
        raise LogError(f"entry {entry.seq} of match {match.header.id} has an id that was used")
    action = Action(entry.id, entry.asked, entry.role, entry.kind, entry.move)
    try:
        term = _term(entry.term) if entry.kind is Kind.MOVE else None
        admitted = admit(match, action, at=entry.at, term=term)
    except GdlError as error:
        raise LogError(
            f"entry {entry.seq} of match {match.header.id} is refused: {error}"
        ) from error
    if admitted.term != entry.term:
        raise LogError(f"entry {entry.seq} of match {match.header.id} has no canonical move")
    return applied(match, entry)
