"""The one place where failures become words on standard error and an exit code.

Whatever a command raises on purpose arrives here; nothing else of the command line
catches it. A fault of this package, and only that, shows a traceback.

Source: exit codes as grep, diff and ruff have them, signals as in POSIX shells.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import Final, NoReturn, ParamSpec

import typer

from gdl.cli.terminal.console import paint, say
from gdl.language.diagnostics import GdlError

P = ParamSpec("P")

OK: Final = 0
FAILED: Final = 1
"""Something is wrong with the rules or the moves."""
USAGE: Final = 2
"""The command line cannot be understood, or a file or ruleset that it names is not there.

Also any error of a command whose 1 is an answer.
"""
INTERRUPTED: Final = 130
"""Ctrl-C."""
BROKEN_PIPE: Final = 141
"""Nobody reads the output any more."""


class UsageError(GdlError):
    """An option or argument of the command line that makes no sense."""


def guarded(command: Callable[P, None], *, error_code: int = FAILED) -> Callable[P, None]:
    """Return a command that reports its errors and leaves with the right exit code.

    Args:
        command: The command.
        error_code: Of an error that is none of the command line. Where 1 is an answer (two games
            differ), an error must not leave as if it were that one.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except GdlError as error:
            _leave(draw_error(error), USAGE if _is_usage(error) else error_code)
        except BrokenPipeError:
            leave_pipe()
        except OSError as error:
            _leave(_draw_os_error(error), USAGE)
        except KeyboardInterrupt:
            _leave("Interrupted.", INTERRUPTED)
        except (RecursionError, MemoryError) as error:
            short = f"error: this takes more than the machine has ({type(error).__name__})"
            _leave(short, error_code)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception:
            if error_code == FAILED:
                raise
            traceback.print_exc()  # a fault of this package, which Python would let leave with 1
            raise typer.Exit(error_code) from None

    return run


def draw_error(error: GdlError) -> str:
    """Return the text of an error: its diagnostics, after its message if it has one."""
    from gdl.cli.terminal.options import located

    is_told = error.diagnostics and not error.message
    return located(str(error) if is_told else f"error: {error}")


def report(error: GdlError) -> None:
    """Write an error to standard error."""
    say(paint(draw_error(error)), stderr=True)


def leave_pipe() -> NoReturn:
    """Leave without a word, as programs do when their output is no longer read."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    raise SystemExit(BROKEN_PIPE)


def _is_usage(error: GdlError) -> bool:
    from gdl.language.files import FileError
    from gdl.language.packages import MissingPackageError
    from gdl.ruleset import ParameterError, UnknownRulesetError
    from gdl.state import UnknownRoleError

    usage = UsageError | FileError | MissingPackageError | ParameterError
    return isinstance(error, usage | UnknownRoleError | UnknownRulesetError)


def _draw_os_error(error: OSError) -> str:
    from gdl.language.files import FileError

    if isinstance(error, FileNotFoundError | IsADirectoryError) and error.filename:
        return draw_error(FileError(error, error.filename))
    reason = error.strerror or str(error)
    return f"error: {reason}: {error.filename}" if error.filename else f"error: {reason}"


def _leave(text: str, code: int) -> NoReturn:
    say(paint(text), stderr=True)
    raise typer.Exit(code)
