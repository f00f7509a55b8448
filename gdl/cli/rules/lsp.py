"""``gdl lsp``: a language server for editors."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from gdl.language.packages import need_packages

PACKAGES: Final = ("lsprotocol", "pygls")


def lsp(
    stdio: Annotated[  # noqa: ARG001  # many editors pass it
        bool, typer.Option("--stdio", help="Speak over standard input and output; always so.")
    ] = True,
) -> None:
    """Answer an editor: problems as one types, completion, hover, rename, layout.

    An editor starts it and speaks the Language Server Protocol to it; docs/editors.md has the
    settings for Neovim, Emacs and Helix.

    Examples:
      gdl lsp
    """
    need_packages("a language server", PACKAGES, "lsp")
    from gdl import __version__
    from gdl.lsp.server import serve

    serve(__version__)
