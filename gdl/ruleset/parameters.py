"""Parameters of a ruleset: ``hex?size=7`` is Hex with another size than the usual one.

In: the name that a person types, and what a manifest allows. Out: a `Parameter` with its
value for each. The name of a ruleset tells the values that are not the usual ones, in the
order of the manifest, so that equal rules have equal names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from gdl.ruleset.errors import ParameterError, did_you_mean, one_of

if TYPE_CHECKING:  # a game that was compiled before is found without reading expressions
    from gdl.ruleset.arithmetic import Size

_NUMBER: Final = r"-?[0-9]{1,6}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The values that a parameter may have.

    Attributes:
        numbers: The numbers, ascending or as the manifest lists them.
        lengths: How many numbers a list may have; None for a parameter that is one number.
    """

    numbers: Sequence[int]
    lengths: range | None = None

    def __contains__(self, value: Size) -> bool:
        """Return whether a value is allowed."""
        if self.lengths is None:
            return isinstance(value, int) and value in self.numbers
        return (
            isinstance(value, tuple)
            and len(value) in self.lengths
            and all(number in self.numbers for number in value)
        )

    def __str__(self) -> str:
        """Return it in words: ``a whole number from 2 to 19``."""
        if isinstance(self.numbers, range):
            numbers = f"from {self.numbers.start} to {self.numbers.stop - 1}"
            if self.lengths is None:
                return f"a whole number {numbers}"
        else:
            numbers = one_of(map(str, self.numbers), most=20)
            if self.lengths is None:
                return numbers
        least, most = self.lengths.start, self.lengths.stop - 1
        count = str(least) if least == most else f"{least} to {most}"
        return f"{count} whole numbers {numbers}, with commas between"

    @property
    def short(self) -> str:
        """Return it as few characters: ``2..19``."""
        if isinstance(self.numbers, range):
            return f"{self.numbers.start}..{self.numbers.stop - 1}"
        return ",".join(map(str, self.numbers))


class Parameter(NamedTuple):
    """One parameter of a ruleset.

    Attributes:
        name: For instance ``size``.
        value: What it is in this ruleset.
        default: What it is where nobody says.
        allowed: What it may be.
        help: What it means, a few words.
    """

    name: str
    value: Size
    default: Size
    allowed: Allowed
    help: str

    def __str__(self) -> str:
        """Return it as names of rulesets write it: ``size=7``."""
        return f"{self.name}={size_text(self.value)}"

    def to_json(self) -> dict[str, object]:
        """Return what lists of rulesets say of it, for programs."""
        return {
            "name": self.name,
            "default": self.default,
            "values": list(self.allowed.numbers),
            "help": self.help,
        }


def size_text(size: Size) -> str:
    """Return a value as names of rulesets write it: ``7``, or ``1,3,5``."""
    return str(size) if isinstance(size, int) else ",".join(map(str, size))


def named(id_: str, parameters: Iterable[Parameter]) -> str:
    """Return the name of a ruleset with those parameters that are not as usual."""
    unusual = [str(parameter) for parameter in parameters if parameter.value != parameter.default]
    return f"{id_}?{'&'.join(unusual)}" if unusual else id_


def titled(title: str, parameters: Iterable[Parameter]) -> str:
    """Return a title that tells the parameters that are not as usual: ``Hex, size 7``."""
    unusual = [parameter for parameter in parameters if parameter.value != parameter.default]
    return ", ".join(
        [title, *(f"{parameter.name} {size_text(parameter.value)}" for parameter in unusual)]
    )


def read_settings(id_: str, text: str, parameters: Sequence[str]) -> dict[str, str]:
    """Return what a name gives for each parameter, not yet looked at.

    Args:
        id_: The id before the question mark.
        text: What stands after it: ``size=7&line=4``.
        parameters: The parameters that there are.

    Raises:
        ParameterError: It names no parameter, or one that there is not, or one twice.
    """
    settings: dict[str, str] = {}
    example = "&".join(f"{name}=..." for name in parameters)
    for part in text.split("&"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not parameters:
            raise ParameterError(
                id_, name, f"{id_} has no parameters", expected=f"{id_} without {'?' + text!r}"
            )
        if not equals or not value:
            said = f"{part!r} after {id_}? gives no parameter a value"
            raise ParameterError(id_, name, said, expected=f"{id_}?{example}")
        if name not in parameters:
            raise ParameterError(
                id_,
                name,
                f"{id_} has no parameter {name!r}",
                expected=one_of(parameters, most=20),
                help=did_you_mean(name, parameters),
            )
        if name in settings:
            said = f"{id_} is given its parameter {name} twice"
            raise ParameterError(id_, name, said, expected=f"{name}=... once")
        settings[name] = value
    return settings


def read_size(text: str) -> Size | None:
    """Return the number, or the numbers with commas between, that a text is; None if it is none."""
    pieces = [piece.strip() for piece in text.split(",")]
    if not all(re.fullmatch(_NUMBER, piece) for piece in pieces):
        return None
    return int(pieces[0]) if len(pieces) == 1 else tuple(map(int, pieces))


def sizes_of(parameters: Iterable[Parameter]) -> Mapping[str, Size]:
    """Return the value of each parameter by its name."""
    return {parameter.name: parameter.value for parameter in parameters}
