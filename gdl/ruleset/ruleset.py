"""A ruleset as a value: its rules, and how people write and draw them.

``game_id`` and ``ruleset_version`` are the names under which other
programs know it, after section 1 of "Gomoku Implementation Spec (Freestyle Baseline)".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.language.files import read_source
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import Source
from gdl.language.terms import Term, kif_text

if TYPE_CHECKING:  # a game that has been compiled before is ready without any of these
    from gdl.language.checked import CheckedDescription
    from gdl.language.syntax import Description
    from gdl.ruleset.fact_patterns import FactPattern
    from gdl.ruleset.notation import Notation
    from gdl.ruleset.parameters import Parameter
    from gdl.ruleset.presentation import Player, Presentation
    from gdl.ruleset.short_notation import ShortNotation
    from gdl.ruleset.variant import Part, Selection
    from gdl.view.move_location import MoveLocation
    from gdl.view.picture import Picture
    from gdl.view.scene import Board, Scene


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """Rules with all that belongs to them.

    Attributes:
        id: For instance ``pentago/strict``; the path for a rule file without a manifest.
        title: For people.
        version: Moves only when the rules mean something else than before.
        source: The text that the rules follow.
        summary: One or two sentences.
        paths: The rule files, in order.
        manifest: Where all this is written, None for a rule file alone.
        game_id: Name of the game for other programs.
        ruleset_version: Name of these rules for other programs.
        text: The rules themselves, where they come from no file: then there are no paths.
        selections: What of the rules does not count: a variant replaces or leaves out.
        parameters: With their values; those that are not as usual stand in the id.
        facts: Patterns of facts that the manifest writes out; they come before all files.
        limits: What reading the rules may take.
        presentation_source: What people see of it, or a function that finds it when it is first
            asked for; None for rules without a manifest. `presentation` is the thing itself.
    """

    id: str
    paths: tuple[Path, ...]
    title: str = ""
    version: str = ""
    source: str = ""
    summary: str = ""
    manifest: Path | None = None
    game_id: str = ""
    ruleset_version: str = ""
    text: str = field(default="", repr=False)
    selections: tuple[Selection, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    facts: tuple[FactPattern, ...] = ()
    limits: Limits = field(default=DEFAULT_LIMITS, compare=False, repr=False)
    presentation_source: Presentation | Callable[[], Presentation] | None = field(
        default=None, compare=False, repr=False
    )
    _read: list[Description] = field(default_factory=list, init=False, compare=False, repr=False)
    _facts: list[Description] = field(default_factory=list, init=False, compare=False, repr=False)
    _checked: dict[Limits, CheckedDescription] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _presented: list[Presentation] = field(
        default_factory=list, init=False, compare=False, repr=False
    )

    def __eq__(self, other: object) -> bool:
        """Return whether it says and is shown the same; what reading may take does not matter."""
        if not isinstance(other, Ruleset):
            return NotImplemented
        if self is other:
            return True  # without looking
        if self._said() != other._said():
            return False
        # Sources that are equal find the same, and need not look for it.
        if self.presentation_source == other.presentation_source:
            return True
        return self.presentation == other.presentation

    def __hash__(self) -> int:
        """Return the same number for equal rulesets."""
        return hash(self._said())

    def _said(self) -> tuple[object, ...]:
        return tuple(getattr(self, field.name) for field in fields(self) if field.compare)

    @property
    def presentation(self) -> Presentation:
        """What people see of it, found when first asked for and kept.

        Raises:
            FileError: The manifest cannot be read any more.
            ManifestError: The manifest cannot be used any more.
        """
        if not self._presented:
            from gdl.ruleset.presentation import Presentation

            source = self.presentation_source or Presentation()
            self._presented.append(source if isinstance(source, Presentation) else source())
        return self._presented[0]

    def shown_by(self, source: Presentation | Callable[[], Presentation]) -> Ruleset:
        """Return it with another presentation; what was read of the rules is shared."""
        shown = replace(self, presentation_source=source)
        object.__setattr__(shown, "_read", self._read)
        object.__setattr__(shown, "_checked", self._checked)
        return shown

    @property
    def players(self) -> tuple[Player, ...]:
        """Roles as people know them; empty without a manifest."""
        return self.presentation.players

    @property
    def notation(self) -> Notation:
        """How moves are written; KIF text without a manifest."""
        return self.presentation.notation

    @property
    def short_notation(self) -> ShortNotation | None:
        """How legal moves are written where the position is known; None for no other way."""
        return self.presentation.short_notation

    @property
    def picture(self) -> Picture | None:
        """Which facts are marks on which grid; None where facts are shown instead."""
        return self.presentation.picture

    @property
    def description(self) -> Description:
        """The rules of all files, read when first asked for and kept.

        Raises:
            FileError: A file cannot be read.
            GdlSyntaxError: With the syntax errors of all files.
            LimitError: A file is larger than a limit.
            ManifestError: The manifest replaces or leaves out what is not there, or has facts
                that cannot be written out.
        """
        if not self._read:
            from gdl.ruleset.reading import description_of

            self._read.append(description_of(self))
        return self._read[0]

    def fact_rules(self) -> Description:
        """Return the facts that the manifest writes out as rules, made once.

        Raises:
            ManifestError: They cannot be written out.
        """
        if not self._facts:
            from gdl.ruleset.fact_patterns import fact_rules

            self._facts.append(fact_rules(self.facts))
        return self._facts[0]

    def parts(self) -> tuple[Part, ...]:
        """Return the rules of each file that count, and those that do not; see `description`.

        Where the manifest writes out facts, these are the first part.
        """
        from gdl.ruleset.reading import read_parts

        return read_parts(self)

    def checked(self, limits: Limits = DEFAULT_LIMITS) -> CheckedDescription:
        """Return the rules with what is computed of them once for all who ask.

        Raises:
            FileError: A file cannot be read.
            GdlSyntaxError: With the syntax errors of all files.
            LimitError: A file is larger than a limit.
        """
        if limits not in self._checked:
            from gdl.language.checked import CheckedDescription

            self._checked[limits] = CheckedDescription(self.description, limits)
        return self._checked[limits]

    def texts(self) -> tuple[Source, ...]:
        """Return the rule files as they are on disk now, or the text that stands for them.

        Raises:
            FileError: A file cannot be read.
        """
        if not self.paths:
            return (Source(self.id, self.text),)
        return tuple(read_source(path) for path in self.paths)

    def digest(self) -> str:
        """Return a SHA-256 of the rules: of their texts, and of what does not count of them.

        Returns:
            Hexadecimal digits, 64 of them. No rule is parsed for it.

        Raises:
            FileError: A file cannot be read.
        """
        digest = hashlib.sha256()
        texts = [text.text for text in self.texts()]
        texts += [f"{selection.way} {selection.pattern}" for selection in self.selections]
        texts += map(str, self.facts)
        for text in texts:
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.hexdigest()

    def player(self, role: Term) -> Player | None:
        """Return what the manifest says of a role, None if it says nothing."""
        return next((player for player in self.players if player.role is role), None)

    def title_of(self, role: str) -> str:
        """Return what people call a role: its title in the manifest, its name where it has none."""
        return next((player.title for player in self.players if str(player.role) == role), role)

    def scene(
        self, facts: Collection[Term], *, before: Collection[Term] | None = None
    ) -> Scene | None:
        """Return a state as a picture, None where the ruleset has none; see `gdl.view.scene`."""
        if self.picture is None:
            return None
        from gdl.view.scene import scene

        return scene(self.picture, facts, before=before)

    def scene_of_known(self, known: Collection[Term], unsure: Collection[Term]) -> Scene | None:
        """Return what is known of a state as a picture; see `gdl.view.scene.scene_of_known`."""
        if self.picture is None:
            return None
        from gdl.view.scene import scene_of_known

        return scene_of_known(self.picture, known, unsure)

    def board(
        self, facts: Collection[Term], *, before: Collection[Term] | None = None
    ) -> Board | None:
        """Return a state as rows of cells, None where the ruleset has no picture with rows."""
        drawn = self.scene(facts, before=before)
        if drawn is None:
            return None
        from gdl.view.scene import board_of

        return board_of(drawn)

    def location(self, move: Term, role: str = "") -> MoveLocation | None:
        """Return where on the board a role makes a move, None where the picture does not say."""
        if self.picture is None:
            return None
        from gdl.view.move_location import location_of

        return location_of(self.picture, move, role)

    def moves_on(self, *sites: int, role: str = "") -> tuple[Term, ...]:
        """Return a move of each kind that is made by touching sites of the picture, legal or not.

        Args:
            sites: Their numbers in the plan of the picture, in order.
            role: Who makes it; by default anybody.
        """
        if self.picture is None:
            return ()
        from gdl.view.move_location import moves_on

        forms = self.notation.forms
        return tuple(
            move
            for move in moves_on(self.picture, sites, role)
            if not forms or any(form.format(move) is not None for form in forms)
        )

    def draw(
        self,
        facts: Collection[Term],
        *,
        before: Collection[Term] | None = None,
        ascii_only: bool = False,
    ) -> str:
        """Return a state as text: the picture, or its facts one a line where there is none.

        Args:
            facts: What is true in the state.
            before: What was true in the state before; what changed is marked.
            ascii_only: Use ASCII characters alone.
        """
        drawn = self.scene(facts, before=before)
        if drawn is None:
            return "\n".join(map(kif_text, sorted(facts)))
        from gdl.view.text import draw_text

        return draw_text(drawn, ascii_only=ascii_only)

    def draw_svg(
        self,
        facts: Collection[Term],
        *,
        before: Collection[Term] | None = None,
        width: int | None = None,
    ) -> str | None:
        """Return a state as SVG, None where the ruleset has no picture; see `gdl.view.svg`.

        Args:
            facts: What is true in the state.
            before: What was true in the state before; what changed is marked.
            width: How wide it is at most, in pixels.
        """
        drawn = self.scene(facts, before=before)
        if drawn is None:
            return None
        from gdl.view.svg import draw_svg

        return draw_svg(drawn, title=self.title, width=width)
