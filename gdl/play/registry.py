"""The table of players: by name, with options, open to other packages.

In: a text such as ``mcts:rave=on,c=1.0``. Out: a player for one role of one match. Another
package adds players through the entry point group ``gdl.players``: each entry is a `Kind`, or a
function that is called as ``make(role=..., seed=...)`` with the options as keywords.

Source: entry points as in the PyPA specification of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Final, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.own_player import find_own, split_own
from gdl.play.player import Player, describe_error

GROUP: Final = "gdl.players"
"""Name of the entry point group."""
Value: TypeAlias = bool | int | float | str
SWITCH: Final[Mapping[str, bool]] = {"on": True, "off": False}


class UnknownPlayerError(GdlError):
    """There is no player of that name."""


class PlayerOptionError(GdlError):
    """A player has no such option, or not with that value."""


@dataclass(frozen=True, slots=True)
class Option:
    """One knob of a player.

    Attributes:
        name: As it is typed.
        default: Its value when it is not given; tells the type too.
        help: What it does, one phrase.
        words: For texts: what it may be.
        least: For numbers: the lowest that is taken; ``most`` the highest.
        of_machine: Whether it names a file, or takes more of the machine than the time of a move:
            not for guests.
    """

    name: str
    default: Value
    help: str
    words: tuple[str, ...] = ()
    least: float = 0
    most: float = 1_000
    of_machine: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it names a file, in whose name commas may stand."""
        return self.default == "" and self.of_machine

    @property
    def expected(self) -> str:
        """What may be given, in words."""
        match self.default:
            case bool():
                return "on or off"
            case int():
                return f"a whole number from {self.least:g} to {self.most:g}"
            case float():
                return f"a number from {self.least:g} to {self.most:g}"
            case _:
                return " or ".join(self.words) or self.help

    def read(self, text: str) -> Value | None:
        """Return the value that a text stands for, None when it stands for none."""
        try:
            match self.default:
                case bool():
                    return SWITCH.get(text)
                case int() | float():
                    value = type(self.default)(text)
                    return value if self.least <= value <= self.most else None
                case _:
                    return text if (text in self.words if self.words else text) else None
        except ValueError:
            return None

    def show(self) -> str:
        """Return the default as it is typed."""
        if isinstance(self.default, bool):
            return "on" if self.default else "off"
        return f"{self.default}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of player.

    Attributes:
        name: As it is typed.
        summary: What it does, one phrase.
        make: Called as ``make(role=..., seed=..., **options)``; role is None for a player that is
            to find out itself (the only one that can move).
        options: Its knobs; None for a function of another package, which checks them itself.
        needs_file: Whether it is none without the name of a file, and so nothing for guests.
    """

    name: str
    summary: str
    make: Callable[..., Player]
    options: tuple[Option, ...] | None = ()
    needs_file: bool = False

    def for_guests(self) -> Kind:
        """Return it with those knobs alone that anybody may turn."""
        options = tuple(option for option in self.options or () if not option.of_machine)
        return replace(self, options=options)


Home: TypeAlias = tuple[str, str]
BUILT_IN: Final[Mapping[str, Home]] = {
    "random": ("gdl.play.random_player", "RANDOM_PLAYER"),
    "greedy": ("gdl.play.greedy", "GREEDY_PLAYER"),
    "mcts": ("gdl.play.mcts", "MCTS_PLAYER"),
    "alphabeta": ("gdl.play.alphabeta", "ALPHABETA_PLAYER"),
    "solve": ("gdl.play.solve", "SOLVE_PLAYER"),
    "equilibrium": ("gdl.play.equilibrium_player", "EQUILIBRIUM_PLAYER"),
    "puzzle": ("gdl.play.puzzles.player", "PUZZLE_PLAYER"),
    "deep": ("gdl.play.deep.player", "DEEP_PLAYER"),
}
"""Module and name of each kind of our own; imported when it is first asked for."""
NETWORK: Final = ".gdlnet"
"""How the name of a file of ``gdl train`` ends, which stands for a player by itself."""
BY_NETWORK: Final = ("mcts", "value")
"""That player and its option, where the file does not say another."""


def kinds() -> Mapping[str, Kind]:
    """Return all kinds of players by name: our own first, then those of other packages.

    Left out is what is broken in another package, and what takes a package that is not installed;
    `make` says what is wrong with it.
    """
    players: dict[str, Kind] = {}
    for name in BUILT_IN:
        with suppress(UnknownPlayerError):
            players[name] = _built_in(name)
    for entry in entry_points(group=GROUP):
        if entry.name not in players:
            with suppress(UnknownPlayerError):
                players[entry.name] = _foreign(entry)
    return players


def make(
    spec: str,
    *,
    role: Term | None = None,
    seed: int = 0,
    own: bool = False,
    guest: bool = False,
) -> Player:
    """Return a player for one role of one match.

    Args:
        spec: Name, then options if any: ``mcts``, ``mcts:rave=on,c=1.0``. A file of ``gdl train``
            (``mine.gdlnet``) is ``mcts:value=mine.gdlnet``, or ``deep:network=mine.gdlnet``.
        role: The role that it plays; None for whichever is the only one to move.
        seed: Makes its draws repeatable.
        own: Whether it may also be a file or something in a module, ``./mine.py:rave=on`` or
            ``module:name``, which runs what is there: never for what others may have written.
        guest: Whether others have written it, whose players read no file and take no memory or
            threads beside those that a player has by itself.

    Raises:
        UnknownPlayerError: No such player; names the nearest.
        PlayerOptionError: An option that it does not have, or a value that it does not take; for
            a player of another package, whatever goes wrong while it is made.
    """
    own_kind = None
    if (bare := _bare_network(spec, guest=guest)) is not None:
        name, option, file = bare
        kind = _find(name).for_guests() if guest else _find(name)
        options = {option: _value(kind, kind.options or (), option, file)}
    else:
        name, _, text = spec.partition(":")
        own_kind = split_own(spec) if own and not _is_known(name.strip()) else None
        if own_kind is not None:
            name, text = own_kind
            kind = Kind(name, "", find_own(name), None)
        else:
            kind = _find(name.strip())
        kind = kind.for_guests() if guest else kind
        options = _options(kind, text)
    if kind.name in BUILT_IN:
        return kind.make(role=role, seed=seed, **options)
    whose = " of another package" if own_kind is None else ""
    try:
        player = kind.make(role=role, seed=seed, **options)
    except GdlError:
        raise
    except Exception as error:
        raise PlayerOptionError(
            f"the player {spec!r}{whose} cannot be made", notes=[describe_error(error)]
        ) from error
    if not callable(player):
        raise PlayerOptionError(
            f"the player {spec!r}{whose} is {type(player).__name__}",
            expected="a function of game, state and budget",
        )
    return player


def network_of(spec: str) -> str:
    """Return the file of ``gdl train`` by which a player of our own judges; empty for none."""
    if (bare := _bare_network(spec)) is not None:
        return bare[2]
    name, _, text = spec.partition(":")
    if name.strip() not in BUILT_IN:
        return ""
    kind = _built_in(name.strip())
    options = dict(part.partition("=")[::2] for part in _parts(kind, text))
    named = {option.strip(): value.strip() for option, value in options.items()}
    return named.get("value") or named.get("network", "")


def _bare_network(spec: str, *, guest: bool = False) -> tuple[str, str, str] | None:
    """Return the player that a file of ``gdl train`` is, its option, and the file; None for none.

    A text is the name of a file if it ends so, and names no player and option before.
    """
    before, equals, _ = spec.partition("=")
    if not spec.endswith(NETWORK) or (equals and ":" in before):
        return None
    if guest or find_spec("numpy") is None:
        return (*BY_NETWORK, spec)  # what is wrong with it is said where it is made
    from gdl.play.network_file import player_of

    return (*player_of(spec), spec)


def _is_known(name: str) -> bool:
    return name in BUILT_IN or bool(entry_points(group=GROUP, name=name))


def _find(name: str) -> Kind:
    if name in BUILT_IN:
        return _built_in(name)
    names = [*BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))]
    for entry in entry_points(group=GROUP, name=name):
        return _foreign(entry)
    near = get_close_matches(name, names, n=1)
    raise UnknownPlayerError(
        f"there is no player {name!r}",
        expected=" or ".join(names),
        help=f"did you mean {near[0]}?" if near else None,
    )


def _built_in(name: str) -> Kind:
    module, attribute = BUILT_IN[name]
    try:
        kind: Kind = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UnknownPlayerError(
            f"the player {name!r} needs {error.name}", help="pip install 'gdl-framework[play]'"
        ) from error
    return kind


def _foreign(entry: EntryPoint) -> Kind:
    name = entry.name
    try:
        target = entry.load()
    except Exception as error:
        raise UnknownPlayerError(
            f"the player {name!r} of another package cannot be loaded",
            notes=[describe_error(error)],
        ) from error
    if isinstance(target, Kind):
        return target
    if not callable(target):
        raise UnknownPlayerError(
            f"the player {name!r} of another package is {type(target).__name__}, which makes none",
            expected="a gdl.play.Kind, or a function of role and seed",
        )
    summary = (target.__doc__ or "").strip().partition("\n")[0]
    return Kind(name, summary, target, None)


def _options(kind: Kind, text: str) -> dict[str, Value]:
    options: dict[str, Value] = {}
    for part in _parts(kind, text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise PlayerOptionError(
                f"{part!r} is no option of {kind.name}", expected="NAME=VALUE, after a comma each"
            )
        if name in options:
            raise PlayerOptionError(f"the option {name} of {kind.name} is given twice")
        options[name] = value if kind.options is None else _value(kind, kind.options, name, value)
    return options


def _parts(kind: Kind, text: str) -> list[str]:
    """Return the options as they were typed; what follows a comma may go on the name of a file."""
    files = {option.name for option in kind.options or () if option.is_file}
    parts: list[str] = []
    for part in filter(str.strip, text.split(",")):
        if parts and "=" not in part and parts[-1].partition("=")[0].strip() in files:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return [part.strip() for part in parts]


def _value(kind: Kind, options: tuple[Option, ...], name: str, text: str) -> Value:
    option = next((option for option in options if option.name == name), None)
    if option is None:
        names = [option.name for option in options]
        near = get_close_matches(name, names, n=1)
        raise PlayerOptionError(
            f"{kind.name} has no option {name!r}",
            expected=" or ".join(names) or "none",
            help=f"did you mean {near[0]}?" if near else None,
        )
    value = option.read(text)
    if value is None:
        raise PlayerOptionError(
            f"{text!r} is no value of the option {name} of {kind.name}", expected=option.expected
        )
    return value
