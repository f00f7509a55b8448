"""The entrance: is every certificate of a folder right?

In: a folder with an index, ``certificates.json``, and files for each claim. Out: for each claim
whether it holds. The claim is the ``bad`` of its own AIGER file: the file is read, formulas are
made from it and compared with those that lie there, and each must have a proof that checks.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError, aiger_bytes, read_aiger
from gdl.certify.balances import BALANCES, balance_questions, read_balances
from gdl.certify.closure import (
    MARKED,
    check_closure,
    check_levels,
    closure_questions,
    first_state,
    longest_play,
    marked_question,
    read_levels,
    read_states,
)
from gdl.certify.formulas import Formula, invariant_questions, questions
from gdl.certify.lengths import (
    ENDS,
    LENGTHS,
    LOOP,
    NO_LONGER,
    check_clock,
    check_loop,
    check_play,
    check_plays,
    ends_question,
    lengths_question,
    whole_length,
)
from gdl.certify.lrat import check_lrat
from gdl.certify.names import NO_SHORTER, OF_EACH, UP_TO, as_read, check_name, check_renamed
from gdl.certify.outside import CHECKER, ask_checker, has_checker
from gdl.certify.paths import K_INDUCTION, PATH, k_questions, read_steps
from gdl.certify.plies import BY_PLIES, PLIES, ply_questions, read_plies
from gdl.certify.ranking import RANKING, falls_at_most, ranking_question, read_weights
from gdl.certify.renaming import OTHER_RULES, RENAMING, RULES, check_renaming
from gdl.certify.used_up import USED_UP, read_groups, steps_at_most, used_up_questions
from gdl.certify.witness import witness_of

INDEX: Final = "certificates.json"
FORMAT: Final = 2
MODEL: Final = "model.aig"
INVARIANT: Final = "invariant.aig"
WITNESS: Final = "witness.aig"
STATES: Final = "states.txt"
PLAY: Final = "play.cex"
BESIDE: Final = "beside.txt"
"""A second play, a row of inputs for each step: rules have to say what the two show together."""
REACHED: Final = "plays"
INDUCTION: Final = "induction"
ALL_STATES: Final = "all states"
LEVELS: Final = "levels"
SHOWN: Final = "play"
CLOCK: Final = "clock"
PLAIN: Final = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")
"""A name of a folder that leads nowhere else."""
PRINTED: Final = re.compile(r"[ -~\n]*")
"""Text that all programs cut into the same lines."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one claim.

    Attributes:
        name: The claim.
        kind: How it is certified: ``induction``, ``k-induction``, ``all states``, ``levels``,
            ``lengths``, ``no longer``, ``plies``, ``balances``, ``play``, ``plays``, ``loop``,
            ``ends``, ``clock``, ``used-up``, ``ranking``, ``renaming``, or empty where it is not.
        holds: Whether its certificate is right; None where there is none.
        text: What was checked, or why it does not hold.
    """

    name: str
    kind: str
    holds: bool | None
    text: str


Origin: TypeAlias = Callable[[Mapping[str, Any], Callable[[str], bytes]], str]
"""Takes a row of an index, and what gives its files by name; returns what these are about, or
raises `CertificateError`. This package knows no rules: see `gdl.verify.provenance`."""


def check_folder(
    folder: Path,
    on_claim: Callable[[str], None] = lambda _: None,
    origin: Origin | None = None,
) -> Iterator[Checked]:
    """Yield what comes of each claim of a folder, in the order of its index.

    Args:
        folder: Where ``certificates.json`` is.
        on_claim: Told of each claim before it is checked.
        origin: Checks besides what the system of a claim was made of.

    Raises:
        CertificateError: There is no index, or it cannot be read.
    """
    claims = _claims(read_index(folder))
    for claim in claims:
        name, kind = claim["name"], claim.get("kind", "")
        on_claim(name)
        if not kind:
            yield Checked(name, "", None, str(claim.get("why", "no certificate")))
            continue
        try:
            files = _Files(folder, claim, claims)
            text = _check(files, kind, claim)
            if origin is not None:
                text += f"; {origin(claim, files.data)}"
        except (CertificateError, OSError) as error:
            yield Checked(name, kind, holds=False, text=str(error))
        except RecursionError:
            yield Checked(name, kind, holds=False, text="what it is about is nested too deeply")
        else:
            verified = f" ({CHECKER} verifies {files.verified})" if files.verified else ""
            yield Checked(name, kind, holds=True, text=text + verified)


def digest_of(data: bytes) -> str:
    """Return a SHA-256 in hexadecimal digits: it finds accidents, not malice."""
    return hashlib.sha256(data).hexdigest()


def read_index(folder: Path) -> dict[str, Any]:
    """Return what the index of a folder says, as it was when it was written.

    Raises:
        CertificateError: There is none, or it cannot be read.
    """
    try:
        text = _plain_bytes(folder / INDEX).decode()
        index = json.loads(text, object_pairs_hook=_without_repeats)
    except FileNotFoundError as error:
        lacking = f"{INDEX} in it" if folder.is_dir() else "such folder"
        raise CertificateError(f"there is no {lacking}") from error
    except NotADirectoryError as error:
        raise CertificateError("it is a file") from error
    except OSError as error:
        raise CertificateError(f"{INDEX} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"there is no {INDEX} that can be read: {error}") from error
    if not isinstance(index, dict):
        raise CertificateError(f"{INDEX} is no index of claims")
    digest = index.pop("digest", None)
    if digest != digest_of(json.dumps(index, sort_keys=True).encode()):
        raise CertificateError(f"{INDEX} was changed after it was written")
    return index


def _plain_bytes(path: Path) -> bytes:
    """Return what a file holds that lies where it seems to lie, and comes to an end.

    Raises:
        CertificateError: It is a link, or no file.
        OSError: It cannot be read.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise CertificateError(f"{path.name} is no plain file of the folder")
    return path.read_bytes()


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a table; other programs would read the first of two values of one key.

    Raises:
        ValueError: There are two.
    """
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key that is there twice")
    return table


def _claims(index: Mapping[str, Any]) -> list[dict[str, Any]]:
    claims = index.get("claims")
    if index.get("format") != FORMAT or not isinstance(claims, list):
        raise CertificateError(f"{INDEX} has another form than this program reads")
    for number, claim in enumerate(claims, start=1):
        if not (
            isinstance(claim, dict)
            and isinstance(claim.get("name"), str)
            and isinstance(claim.get("kind", ""), str)
        ):
            raise CertificateError(f"claim {number} of {INDEX} has no name, or no kind")
    return claims


class _Files:
    """The files of one claim: those that it lists, and as they were when it was written."""

    def __init__(
        self, folder: Path, claim: dict[str, Any], claims: Sequence[dict[str, Any]] = ()
    ) -> None:
        place, digests = claim.get("folder"), claim.get("files")
        if not isinstance(place, str) or not PLAIN.fullmatch(place):
            raise CertificateError(f"{place!r} is no folder of a claim")
        if not isinstance(digests, dict):
            raise CertificateError("the claim lists no files")
        if (folder / place).is_symlink():
            raise CertificateError(f"{place} is a link, not a folder of a claim")
        self._folder, self._digests, self._claims = folder / place, digests, claims
        self.verified = 0  # proofs that a program of others held for right

    def data(self, name: str) -> bytes:
        """Return what a file holds.

        Raises:
            CertificateError: The claim has no such file, or it is another.
            OSError: It cannot be read.
        """
        if name not in self._digests:
            raise CertificateError(f"the claim has no {name}")
        data = _plain_bytes(self._folder / name)
        if digest_of(data) != self._digests[name]:
            raise CertificateError(f"{name} is not the file that the claim is about")
        return data

    def plays(self, name: str) -> Iterator[_Files]:
        """Yield the files of each play that is shown under a name in the same index."""
        for claim in self._claims:
            if claim["name"] == name and claim.get("kind") == SHOWN:
                yield _Files(self._folder.parent, claim)

    def path(self, name: str) -> Path:
        """Return where a file is that was read before."""
        return self._folder / name

    def text(self, name: str) -> str:
        """Return likewise a file of ASCII text, with no other ends of lines than one."""
        text = self._decoded(name, "ascii", "ASCII")
        if not PRINTED.fullmatch(text):
            raise CertificateError(f"{name} has a character that is neither printed nor a line end")
        return text

    def words(self, name: str) -> str:
        """Return likewise a file of text in any script, as rules are."""
        return self._decoded(name, "utf-8", "UTF-8")

    def _decoded(self, name: str, code: str, called: str) -> str:
        try:
            return self.data(name).decode(code)
        except UnicodeDecodeError as error:
            raise CertificateError(f"{name} is no {called} text") from error


def _check(files: _Files, kind: str, claim: dict[str, Any]) -> str:
    if kind == RENAMING:
        check_renamed(claim["name"])
        texts = (files.words(name) for name in (RULES, OTHER_RULES, f"{RENAMING}.json"))
        return f"{check_renaming(*texts)} rules, each renamed and found in the other game"
    model = read_aiger(files.data(MODEL))
    if [model.names.get(f"b{bad}") for bad in range(len(model.bads))] != claim.get("bads"):
        raise CertificateError("the system asks something else than the claim")
    is_loop = kind == LOOP
    check_name(
        claim["name"], claim["bads"], is_shown=kind in (SHOWN, REACHED, LOOP), is_loop=is_loop
    )
    if model.bads and (kind in ENDINGS or kind == LOOP):
        raise CertificateError("the system has a bad, of which nothing is shown")
    if kind in ENDINGS or (kind == ALL_STATES and claim.get("length") is not None):
        return _check_end(files, model, kind, claim)
    if kind == LOOP:
        moves, back = check_loop(model, files.text(PLAY), claim.get("back")), claim["back"]
        return f"after a play of {moves} moves the state is that of {back} moves again"
    if not model.bads and kind != BY_PLIES:
        raise CertificateError("the system has no bad, so it says nothing")
    checks = {
        ALL_STATES: _check_states,
        INDUCTION: _check_induction,
        K_INDUCTION: _check_k_induction,
        LENGTHS: _check_lengths,
        LEVELS: _check_levels,
        NO_LONGER: _check_no_longer,
        BALANCES: _check_balances,
        BY_PLIES: _check_plies,
        SHOWN: _check_shown,
        REACHED: _check_reached,
    }
    if kind not in checks:
        raise CertificateError(f"a certificate of a kind that is not known: {kind}")
    return checks[kind](files, model, claim)


def _check_induction(files: _Files, model: AigerFile, _: dict[str, Any]) -> str:
    invariant = read_aiger(files.data(INVARIANT))
    steps = sum(_denied(files, *asked) for asked in questions(model, invariant).items())
    if files.data(WITNESS) != aiger_bytes(witness_of(model, invariant)):
        raise CertificateError(f"{WITNESS} is not the system with that invariant")
    return f"initial, inductive and safe: three formulas, {steps} steps of proof"


def _check_k_induction(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    invariant, k = read_aiger(files.data(INVARIANT)), claim.get("k")
    _check_room(files, model, PATH, k)
    asked = k_questions(model, invariant, k, is_simple=claim.get("simple"))
    steps = sum(_denied(files, *formula) for formula in asked.items())
    return f"lengths below {k}, and paths of {k} moves: four formulas, {steps} steps of proof"


def _check_balances(files: _Files, model: AigerFile, _: dict[str, Any]) -> str:
    invariant = read_aiger(files.data(INVARIANT))
    balances = read_balances(files.text(f"{BALANCES}.json"), len(model.nexts))
    asked = list(balance_questions(model, invariant, balances))
    steps = sum(_denied(files, *formula) for formula in asked)
    return (
        f"counts that never change ({len(balances)}): {len(asked)} formulas, {steps} steps of proof"
    )


def _check_lengths(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    length = claim.get("length")
    _check_room(files, model, LENGTHS, length)
    steps = _denied(files, LENGTHS, lengths_question(model, length))
    _check_bound(files, model, claim, whole_length(length))
    return f"lengths 0 to {length}: one formula, {steps} steps of proof"


def _check_bound(files: _Files, model: AigerFile, claim: dict[str, Any], length: int) -> None:
    """Check that a claim says no more than that nothing is bad up to a length.

    Its name says the length, or that no play is shorter than one that is shown beside it.

    Raises:
        CertificateError: It says more.
    """
    name: str = claim["name"]
    if not name.startswith(NO_SHORTER):
        if not name.endswith(UP_TO.format(length)):
            raise CertificateError(f"the claim does not say that it ends after {length} moves")
        return
    for shown in files.plays(name.removeprefix(NO_SHORTER)):
        is_same = shown.data(MODEL) == files.data(MODEL)
        if is_same and check_play(model, shown.text(PLAY)) == length + 1:
            return
    raise CertificateError(f"no play of {length + 1} moves is shown beside it, of the same system")


def _check_shown(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    if as_read(claim["name"]) in OF_EACH:
        raise CertificateError("the claim is of each of several things, and one play is shown")
    return f"after a play of {check_play(model, files.text(PLAY))} moves it is so"


def _check_reached(files: _Files, model: AigerFile, _: dict[str, Any]) -> str:
    plays = check_plays(model, files.text(f"{REACHED}.txt"))
    return f"each of {len(model.bads)} things is so in a state of {plays} plays"


def _check_no_longer(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    """Return why nothing is bad, as no play is longer than the lengths that are looked at."""
    length = claim.get("length")
    _check_room(files, model, LENGTHS, length)
    # After more steps what was done was no play; that it then cannot be bad is asked, too.
    asked = {
        MARKED: marked_question(model),
        LENGTHS: lengths_question(model, length),
        ENDS: ends_question(model, length),
    }
    steps = sum(_denied(files, *formula) for formula in asked.items())
    return f"lengths 0 to {length}, and no play is longer: three formulas, {steps} steps of proof"


def _check_plies(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    """Return why nothing is bad up to a length, or ever where no play is longer."""
    plies = read_plies(files.text(f"{PLIES}.json"), len(model.nexts))
    length = len(plies.steps)
    if claim.get("length") != length:
        raise CertificateError(f"the claim is about another length than {length}")
    if not model.bads and not plies.is_end:
        raise CertificateError("the system has no bad, so it says nothing")
    count, steps = 0, 0
    for name, formula in ply_questions(model, read_aiger(files.data(INVARIANT)), plies):
        count, steps = count + 1, steps + _denied(files, name, formula)
    if not plies.is_end:
        _check_bound(files, model, claim, length)
    end = ", and no play is longer" if plies.is_end else ""
    what = f"plies 0 to {length}{end}, by {len(plies.counts)} counts"
    return f"{what}: {count} formulas, {steps} steps of proof"


def _check_end(files: _Files, model: AigerFile, kind: str, claim: dict[str, Any]) -> str:
    """Return why no play is longer than the claim says."""
    length = whole_length(claim.get("length"))
    if kind == ALL_STATES:
        how = _check_states(files, model, claim)
    else:
        what, asked = ENDINGS[kind](files, model, claim)
        # What was no play must not go on as one: what is longer than any play could be one again.
        asked = {MARKED: marked_question(model), **asked}
        steps = sum(_denied(files, *formula) for formula in asked.items())
        how = f"{what}{FORMULAS[len(asked)]}, {steps} steps of proof"
    return f"no play has more than {length} moves: {how}"


Ending: TypeAlias = tuple[str, dict[str, Formula]]
"""What ends play, in words, and what must not be satisfied for it."""


def _by_one_formula(files: _Files, model: AigerFile, claim: dict[str, Any]) -> Ending:
    _check_room(files, model, ENDS, claim["length"])
    return "", {ENDS: ends_question(model, claim["length"])}


def _by_clock(_: _Files, model: AigerFile, claim: dict[str, Any]) -> Ending:
    check_clock(model, claim["length"])
    return "what runs by itself ends it; ", {}


def _by_groups(files: _Files, model: AigerFile, claim: dict[str, Any]) -> Ending:
    groups = read_groups(claim.get("groups"), len(model.nexts))
    invariant = read_aiger(files.data(INVARIANT))
    asked = invariant_questions(model, invariant)
    steps = read_steps(claim.get("steps", 1))
    asked |= used_up_questions(model, invariant, groups, steps)
    _check_most(steps_at_most(model, groups, steps), claim)
    use = "each uses" if steps == 1 else f"any {steps} in a row use"
    return f"{use} up one of {len(groups)} groups of facts; ", asked


def _by_ranking(files: _Files, model: AigerFile, claim: dict[str, Any]) -> Ending:
    weights = read_weights(claim.get("weights"), len(model.nexts))
    drop, steps = claim.get("drop"), read_steps(claim.get("steps", 1))
    _check_most(falls_at_most(model, weights, drop, steps), claim)
    invariant = read_aiger(files.data(INVARIANT))
    asked = invariant_questions(model, invariant)
    asked[RANKING] = ranking_question(model, invariant, weights, claim["drop"], steps)
    lower = "each lowers" if steps == 1 else f"any {steps} in a row lower"
    return f"{lower} a weighted sum of {len(weights)} facts by {drop}; ", asked


def _check_most(most: int, claim: dict[str, Any]) -> None:
    if most > claim["length"]:
        raise CertificateError(f"a play may have {most} moves, not {claim['length']} at most")


ENDINGS: Final = {
    ENDS: _by_one_formula,
    CLOCK: _by_clock,
    USED_UP: _by_groups,
    RANKING: _by_ranking,
}
FORMULAS: Final = {1: "one formula", 2: "two formulas", 4: "four formulas", 5: "five formulas"}


def _check_levels(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    groups, steps = _groups(files, model, claim)
    length = whole_length(claim.get("length"))
    levels = read_levels(files.text(STATES).splitlines(), len(model.nexts))
    moves = check_levels(model, groups, levels, length)
    _check_bound(files, model, claim, length)
    text = f"{len(levels)} states that up to {length} moves lead to, by {moves} moves"
    return f"{text}; two formulas, {steps} steps of proof"


def _groups(files: _Files, model: AigerFile, claim: dict[str, Any]) -> tuple[list[list[int]], int]:
    """Return groups of inputs of which a play sets one each, and the steps that prove that."""
    groups = claim.get("groups")
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise CertificateError("the claim has no groups of inputs")
    if not all(type(number) is int for group in groups for number in group):
        raise CertificateError("an input of a group is no number")
    asked = closure_questions(model, groups).items()
    return groups, sum(_denied(files, *formula) for formula in asked)


def _check_states(files: _Files, model: AigerFile, claim: dict[str, Any]) -> str:
    groups, steps = _groups(files, model, claim)
    states = read_states(files.text(STATES).splitlines(), len(model.nexts))
    length, follows = claim.get("length"), dict[int, list[int]]()
    moves = check_closure(model, groups, states, None if length is None else follows)
    text = f"{len(states)} states closed under {moves} moves; two formulas, {steps} steps of proof"
    if length is None:
        return text
    longest = longest_play(follows, first_state(model))
    if longest > length:
        raise CertificateError(f"a play has {longest} moves, not {length} at most")
    return text


def _check_room(files: _Files, model: AigerFile, name: str, copies: object) -> None:
    """Check that a file has room for so many copies of a system, before they are made.

    Raises:
        CertificateError: It has not, so that it cannot be the formula; or that is no number.
    """
    clauses = 3 * len(model.gates) * whole_length(copies)
    if len(files.data(f"{name}.cnf")) < clauses * len("1 0\n"):
        raise CertificateError(_other_formula(name))


def _other_formula(name: str) -> str:
    return f"{name}.cnf is not the formula that the system and claim give"


def _denied(files: _Files, name: str, formula: Formula) -> int:
    """Return the steps of the proof that a formula cannot be satisfied.

    Raises:
        CertificateError: The formula in the folder is another, or its proof does not hold.
    """
    if files.text(f"{name}.cnf") != formula.dimacs():
        raise CertificateError(_other_formula(name))
    proof = files.text(f"{name}.lrat")
    try:
        steps = check_lrat(formula.clauses, proof)
        if has_checker():
            ask_checker(files.path(f"{name}.cnf"), files.path(f"{name}.lrat"))
            files.verified += 1
    except CertificateError as error:
        raise CertificateError(f"{name}.lrat: {error}") from error
    return steps
