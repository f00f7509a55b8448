"""What a variant does not take over from its base: rules that it replaces or leaves out.

In: the rules of each file, and the selections of a manifest. Out: the rules of each file
that count, and those that do not. A selection is the name of a relation (``goal``) or a
term in which a variable stands for anything (``(legal ?player (castle ?side))``); it means
every rule whose head has that name, or that form.

    replace = ["goal", "terminal"]     # the rules of the last file that has any count alone
    leave-out = ["castles"]            # no rule counts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.template import match
from gdl.language.terms import Compound, Term, kif_text
from gdl.ruleset.errors import ManifestError, did_you_mean, one_of
from gdl.ruleset.toml_table import Origin

if TYPE_CHECKING:  # the manifest of a game that was compiled before needs no syntax tree
    from gdl.language.syntax import Description, Rule

Way: TypeAlias = Literal["replace", "leave-out"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Rules of the base that a variant does not take over.

    Attributes:
        way: ``replace``: those of earlier files; ``leave-out``: all.
        pattern: Name of their relation, or a term that their heads are instances of.
        origin: Where the manifest says so.
    """

    way: Way
    pattern: Term
    origin: Origin = field(compare=False, repr=False)

    def selects(self, rule: Rule) -> bool:
        """Return whether a rule is meant. Cost linear in the pattern."""
        if isinstance(self.pattern, Compound):
            return match(self.pattern, rule.head.sentence) is not None
        return str(self.pattern) == rule.head.sentence.name


class Part(NamedTuple):
    """One rule file, or the facts that a manifest writes out, as a ruleset takes it.

    Attributes:
        rules: What counts; its comments are all there.
        dropped: Rules that do not count.
    """

    rules: Description
    dropped: tuple[Rule, ...] = ()


def vary(
    files: Sequence[Description], selections: Sequence[Selection], *, is_whole: bool = True
) -> tuple[Part, ...]:
    """Return what counts of each file.

    Args:
        files: The rules of each file, in order.
        selections: What is replaced or left out.
        is_whole: Whether all rules could be read; else a selection may be of none of them.

    Raises:
        ManifestError: A selection has no rules, or one that replaces has them in one file
            alone; with every such problem.
    """
    if not selections:
        return tuple(map(Part, files))
    if is_whole:
        problems = [problem for selection in selections for problem in _problems(files, selection)]
        if problems:
            raise ManifestError(diagnostics=problems)
    drops = [_drops(files, selection) for selection in selections]
    parts = []
    for number, rules in enumerate(files):
        gone = {id(rule) for rule in rules.rules if any(drop(number, rule) for drop in drops)}
        kept = tuple(rule for rule in rules.rules if id(rule) not in gone)
        dropped = tuple(rule for rule in rules.rules if id(rule) in gone)
        parts.append(Part(replace(rules, rules=kept), dropped))
    return tuple(parts)


def _drops(files: Sequence[Description], selection: Selection) -> Callable[[int, Rule], bool]:
    """Return what tells whether a selection takes a rule of a file (by number) away."""
    holders = _holders(files, selection)
    last = holders[-1] if selection.way == "replace" and holders else len(files)
    return lambda number, rule: number < last and selection.selects(rule)


def _holders(files: Sequence[Description], selection: Selection) -> list[int]:
    """Return the numbers of the files that have rules which a selection means."""
    return [
        number for number, rules in enumerate(files) if any(map(selection.selects, rules.rules))
    ]


def _problems(files: Sequence[Description], selection: Selection) -> Iterator[Diagnostic]:
    holders = _holders(files, selection)
    said = selection.origin.text
    if not holders:
        heads = [rule.head.sentence for rules in files for rule in rules.rules]
        names = list(dict.fromkeys(head.name for head in heads))
        name = getattr(selection.pattern, "name", said)
        forms = list(dict.fromkeys(kif_text(head) for head in heads if head.name == name))
        yield Diagnostic(
            f"nothing-to-{selection.way}",
            Severity.ERROR,
            f"no rule of this game is for {said}",
            selection.origin.span(),
            expected=f"a relation of its rules: {one_of(forms or names, most=60)}",
            help=None if forms else did_you_mean(name, names),
        )
    elif selection.way == "replace" and len(holders) == 1:
        yield Diagnostic(
            "nothing-to-replace",
            Severity.ERROR,
            f"all rules for {said} are in one file, so that none replaces another",
            selection.origin.span(),
            expected=f"rules for {said} in an earlier file and in a later one",
            help=f"to have no rules for it, write leave-out = [{said!r}]".replace("'", '"'),
        )
