"""A tournament from beginning to end, or from where it was left.

In: a plan and a folder. Out: the folder, with every game of the plan in it.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

from gdl.backend import Wanted
from gdl.game import load
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.play.player import Checking
from gdl.play.registry import make
from gdl.play.tournament.cluster import play_on_cluster
from gdl.play.tournament.game import Outcome
from gdl.play.tournament.local import Task, play_locally
from gdl.play.tournament.plan import Plan, bouts
from gdl.play.tournament.store import Kept, Store
from gdl.ruleset import Ruleset, find
from gdl.ruleset.flatten import flatten


def run(  # noqa: PLR0913  # each keyword is one knob of one loop
    plan: Plan,
    folder: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    backend: Wanted = "auto",
    limits: Limits = DEFAULT_LIMITS,
    on_begin: Callable[[Store, int], None] | None = None,
    on_outcome: Callable[[Store, Outcome], None] | None = None,
) -> Store:
    """Play all games of a plan that the folder does not hold yet.

    Args:
        plan: What is to be played.
        folder: Where it is kept; a new one, or one in which the same plan was begun.
        workers: Processes at the same time, by default one a core.
        cluster: Address of a Ray cluster to play on, instead of here.
        backend: Who runs the rules.
        limits: What the rules may take.
        on_begin: Is told of the store and of how many games there are in all.
        on_outcome: Is told of each game when it is kept.

    Returns:
        The store, with every game.

    Raises:
        StoreError: The folder holds something else.
        UnknownRulesetError: There is no such ruleset or file.
        UnknownPlayerError: There is no such player.
        NetworkError: A player's network was trained on other rules.
        ClusterError: There is no such cluster.
    """
    players = [make(player, own=True) for player in plan.players]
    rulesets = [pinned(find(name, limits=limits)) for name in plan.rulesets]
    loaded = [load(ruleset, backend=backend, limits=limits) for ruleset in rulesets]
    for player in players:
        if isinstance(player, Checking):
            for game in loaded:
                player.check(game)
    roles = tuple(game.roles for game in loaded)
    kept = Kept(tuple(ruleset.digest() for ruleset in rulesets), roles)
    # Which games there are, and with which seeds, the plan alone settles: what a folder lacks can
    # be played by anybody, at any time, in any order, and comes out as if nothing had been cut off.
    with Store(folder, plan, kept) as store:
        games = list(bouts(plan, roles))
        if on_begin is not None:
            on_begin(store, len(games))

        def keep(outcome: Outcome) -> None:
            if store.add(outcome) and on_outcome is not None:
                on_outcome(store, outcome)

        tasks = [
            Task(plan, rulesets[bout.ruleset], bout, backend)
            for bout in games
            if bout.number not in store.outcomes
        ]
        if cluster is not None:
            play_on_cluster(tasks, address=cluster, on_outcome=keep)
        elif tasks:
            play_locally(tasks, workers=workers or os.cpu_count() or 1, on_outcome=keep)
    return store


def pinned(ruleset: Ruleset) -> Ruleset:
    """Return a ruleset as a value that needs no file: it can be sent, and does not change."""
    text = flatten(ruleset)
    name = ruleset.id.removesuffix(".hrf")  # the text is KIF now, and names tell the notation
    return dataclasses.replace(
        ruleset, id=name, paths=(), manifest=None, text=text, selections=(), facts=()
    )
