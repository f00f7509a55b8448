"""Environments of PettingZoo and Gymnasium: ``pettingzoo:tictactoe_v3``, ``gymnasium:NAME``.

Arguments of an environment stand behind its name: ``pettingzoo:go_v5(board_size=5)``.

A position is the moves that lead there, with what the environment said then: environments cannot
be copied, as a rule, so one that stands elsewhere is reset and steps there again. Chance inside an
environment cannot be seen from outside, so one that is reset in more than one way, or whose table
of steps has several outcomes, is refused.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", 2021; Towers et
al., "Gymnasium: A Standard Interface for Reinforcement Learning Environments", 2024.
"""

from __future__ import annotations

import ast
import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from gdl.adapters.packages import require
from gdl.conform.source import EngineMove, Plain, SourceError
from gdl.conform.sources.bounds import usual_bounds

SEEDS: Final = 6
"""Resets that must be alike."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where an episode stands.

    Attributes:
        moves: The actions from the start.
        mover: Who is asked, None at the end.
        legal: The actions of who is asked.
        paid: The rewards of each agent so far, added up.
    """

    moves: tuple[int, ...]
    mover: int | None
    legal: tuple[int, ...]
    paid: tuple[float, ...]


class _Environment(Plain):
    """An environment that stands somewhere, and goes where it is asked to."""

    def __init__(self, env: Any, name: str, package: str) -> None:  # noqa: ANN401  # of no one type
        self.name = name
        self.version = _version(package)
        self._env = env
        self._stands: Moment | None = None

    def _reset(self) -> Moment:
        raise NotImplementedError

    def _step(self, before: Moment, move: int) -> Moment:
        raise NotImplementedError

    def _go(self, moves: tuple[int, ...]) -> Moment:
        """Bring the environment to where moves lead; O(moves) if it does not stand on the way."""
        here = self._stands
        if here is None or moves[: len(here.moves)] != here.moves:
            here = self._stands = self._reset()
        for move in moves[len(here.moves) :]:
            here = self._stands = self._step(here, move)
        return here

    def initial(self) -> Moment:
        """Return where play begins."""
        return self._go(())

    def movers(self, position: Moment) -> tuple[int, ...]:
        """Return who is asked."""
        return () if position.mover is None else (position.mover,)

    def legal(self, position: Moment, role: int) -> Sequence[EngineMove]:
        """Return the actions that the mask allows, all where there is none."""
        del role
        return position.legal

    def play(self, position: Moment, moves: Mapping[int, EngineMove]) -> Moment:
        """Return what follows."""
        (move,) = moves.values()
        assert isinstance(move, int)
        return self._go((*position.moves, move))

    def is_terminal(self, position: Moment) -> bool:
        """Return whether the episode is over."""
        return position.mover is None

    def returns(self, position: Moment) -> tuple[float, ...]:
        """Return what was paid in all."""
        return position.paid


class PettingZooSource(_Environment):
    """A turn-based environment of PettingZoo; moves are its action numbers."""

    def __init__(self, env: Any, name: str) -> None:  # noqa: ANN401
        """Ask an environment.

        Raises:
            SourceError: It deals by chance.
        """
        super().__init__(env, name, "pettingzoo")
        env.reset(seed=0)
        self._agents = tuple(env.agents)
        self.roles = self._agents
        firsts = set()
        for seed in range(SEEDS):
            env.reset(seed=seed)
            firsts.add(repr([env.observe(agent) for agent in self._agents]))
        _refuse_chance(name, has_chance=len(firsts) > 1)
        self.bounds = usual_bounds(self)

    def _reset(self) -> Moment:
        self._env.reset(seed=0)
        return self._seen((), (0.0,) * len(self._agents))

    def _step(self, before: Moment, move: int) -> Moment:
        env = self._env
        env.step(move)
        paid = tuple(
            got + float(env.rewards.get(agent, 0.0))
            for got, agent in zip(before.paid, self._agents, strict=True)
        )
        return self._seen((*before.moves, move), paid)

    def _seen(self, moves: tuple[int, ...], paid: tuple[float, ...]) -> Moment:
        env = self._env
        if all(env.terminations.get(a, True) or env.truncations.get(a, True) for a in self._agents):
            return Moment(moves, None, (), paid)
        agent = env.agent_selection
        seen = env.observe(agent)
        mask = seen.get("action_mask") if isinstance(seen, dict) else None
        if mask is None:
            mask = env.infos.get(agent, {}).get("action_mask")
        count = int(env.action_space(agent).n)
        legal = tuple(n for n in range(count) if mask is None or mask[n])
        return Moment(moves, self._agents.index(agent), legal, paid)

    def draw(self, position: Moment) -> str:
        """Return what the mover observes."""
        if position.mover is None:
            return f"after {list(position.moves)}"
        self._go(position.moves)
        seen = self._env.observe(self._agents[position.mover])
        return str(seen.get("observation", seen) if isinstance(seen, dict) else seen)

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of PettingZoo alone."""
        module, bracket, arguments = self.name.partition(":")[2].partition("(")
        lines = [
            f"from pettingzoo.classic import {module}",
            "",
            f"state = {module}.env{bracket or '('}{arguments or ')'}",
            "state.reset(seed=0)",
        ]
        lines += [f"state.step({next(iter(moves.values()))})" for moves in plays]
        return "\n".join(lines)


class GymnasiumSource(_Environment):
    """An environment of Gymnasium for one player; moves are its action numbers."""

    roles = ("player",)

    def __init__(self, env: Any, name: str) -> None:  # noqa: ANN401
        """Ask an environment.

        Raises:
            SourceError: It deals by chance, or its actions cannot be listed.
        """
        super().__init__(env, name, "gymnasium")
        if not hasattr(env.action_space, "n"):
            raise SourceError(f"{name}: the actions are {env.action_space}", expected="a list")
        firsts = {repr(env.reset(seed=seed)[0]) for seed in range(SEEDS)}
        table = getattr(env.unwrapped, "P", None)
        ways = table.values() if isinstance(table, dict) else ()
        slips = any(len(outcomes) > 1 for row in ways for outcomes in row.values())
        _refuse_chance(name, has_chance=len(firsts) > 1 or slips)
        self.bounds = usual_bounds(self)

    def _reset(self) -> Moment:
        seen, info = self._env.reset(seed=0)
        return Moment((), 0, self._legal_of(seen, info), (0.0,))

    def _step(self, before: Moment, move: int) -> Moment:
        seen, reward, ended, cut, info = self._env.step(move)
        moves, paid = (*before.moves, move), (before.paid[0] + float(reward),)
        if ended or cut:
            return Moment(moves, None, (), paid)
        return Moment(moves, 0, self._legal_of(seen, info), paid)

    def _legal_of(self, *places: object) -> tuple[int, ...]:
        """Return the actions that a mask allows, in what is observed or said beside it."""
        masks = [place["action_mask"] for place in places if _has_mask(place)]
        space = self._env.action_space
        first, count = int(getattr(space, "start", 0)), int(space.n)
        return tuple(first + n for n in range(count) if not masks or masks[0][n])

    def draw(self, position: Moment) -> str:
        """Return the actions that lead there."""
        return f"after {list(position.moves)}"


def _has_mask(place: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(place, dict) and "action_mask" in place


def _refuse_chance(name: str, *, has_chance: bool) -> None:
    if has_chance:
        raise SourceError(
            f"{name} deals by chance inside, where nobody can see or choose the outcome",
            help="wrap it as module:Class with the outcomes as moves of 'random'",
        )


def _version(package: str) -> str:
    from importlib.metadata import version

    return f"{package} {version(package)}"


def _quiet(make: Callable[..., Any], *args: str, **named: object) -> Any:  # noqa: ANN401
    """Return what is made; that newer versions make it otherwise is no news to a user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return make(*args, **named)


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """Return a name and the arguments in brackets behind it, which are Python's plain values.

    Raises:
        SourceError: What stands in the brackets is no such thing.
    """
    name, bracket, _ = text.partition("(")
    if not bracket:
        return text, {}
    try:
        call = ast.parse(f"f({text[len(name) + 1 :]}", mode="eval").body
        given = call.keywords if isinstance(call, ast.Call) and not call.args else None
        named = {argument.arg: ast.literal_eval(argument.value) for argument in given or ()}
    except (SyntaxError, ValueError):
        given, named = None, {}
    plain = {key: value for key, value in named.items() if key is not None}
    if given is None or len(plain) < len(given):
        raise SourceError(
            f"{text}: what stands behind the name is not understood",
            expected="NAME(key=value, key=value) with numbers, True, False or quoted words",
        )
    return name, plain


def _made(make: Callable[..., Any], text: str, *args: str, **named: object) -> Any:  # noqa: ANN401
    """Return the environment.

    Raises:
        SourceError: It takes no such argument.
    """
    try:
        return _quiet(make, *args, **named)
    except (TypeError, ValueError, AssertionError) as error:
        if not named:
            raise
        raise SourceError(f"{text} cannot be made: {error}") from None


def pettingzoo_game(name: str) -> PettingZooSource:
    """Return an environment of ``pettingzoo.classic``, or of any module with ``env``.

    Raises:
        MissingPackageError: PettingZoo is not installed.
        SourceError: There is no such module.
    """
    require("environments of PettingZoo", "pettingzoo", extra="adapters")
    problems = []
    text = name
    name, named = _read(text)
    for path in (f"pettingzoo.classic.{name}", name):
        try:
            module = _quiet(importlib.import_module, path)
        except ImportError as error:
            missing = error.name or ""
            if missing and not f"{path}.".startswith(f"{missing}."):
                raise SourceError(
                    f"{path} needs the package {missing}, which is not installed",
                    help="pip install 'pettingzoo[classic]'",
                ) from None
            problems.append(str(error))
            continue
        return PettingZooSource(_made(module.env, text, **named), f"pettingzoo:{text}")
    raise SourceError(f"there is no environment {name} in pettingzoo.classic: {problems[0]}")


def gymnasium_game(name: str) -> GymnasiumSource:
    """Return an environment of Gymnasium.

    Raises:
        MissingPackageError: Gymnasium is not installed.
        SourceError: There is no such environment.
    """
    require("environments of Gymnasium", "gymnasium", extra="adapters")
    import gymnasium

    plain, named = _read(name)
    try:
        env = _made(gymnasium.make, name, plain, **named)
    except gymnasium.error.Error as error:
        raise SourceError(f"Gymnasium cannot make {name}: {error}") from None
    return GymnasiumSource(env, f"gymnasium:{name}")
