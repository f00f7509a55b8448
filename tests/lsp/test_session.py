"""A real client writes a game, from an empty file until nothing is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.language.render.format import format_text
from tests.shared import missing

if missing("lsp") or missing("editor-test"):
    pytest.skip(missing("lsp") or missing("editor-test"), allow_module_level=True)

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.client import Editor, editor, session
from tests.lsp.pile import PILE

pytestmark = pytest.mark.slow


def codes(found: list[types.Diagnostic]) -> set[str]:
    return {str(each.code) for each in found}


def test_from_an_empty_file_to_a_game(tmp_path: Path) -> None:
    path = tmp_path / "pile.kif"

    async def run() -> None:
        async with editor(path, has_terminal=True) as typed:
            assert codes(await typed.problems()) == {"no-rules"}
            assert typed.watched == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
            for line in PILE.splitlines(keepends=True):
                half = len(line) // 2
                typed.write(line[:half])
                if "(" in line[:half]:
                    assert "unclosed-bracket" in codes(await typed.problems())
                typed.write(line[half:])
            assert await typed.problems() == []
            path.write_text(typed.text, "utf-8")
            assert gdl.check(path) == []
            await _misspelling_is_mended(typed)
            await _answers(typed)
            await _renaming(typed)

    session(run)


async def _misspelling_is_mended(typed: Editor) -> None:
    """A letter is lost; the fix that is offered brings the text back."""
    right = typed.text
    where = right.rindex("succ ?less")
    typed.replace(where + 2, where + 3, "")
    found = await typed.problems()
    assert "undefined-relation" in codes(found)
    asked = types.CodeActionParams(
        typed.document, found[0].range, types.CodeActionContext(diagnostics=found)
    )
    actions = await typed.client.text_document_code_action_async(asked)
    assert actions is not None
    action = next(each for each in actions if each.title == "Change suc to succ")
    assert isinstance(action, types.CodeAction)
    assert action.edit is not None
    assert action.edit.changes is not None
    assert typed.edited(list(action.edit.changes[typed.uri])) == right
    typed.replace(0, len(typed.text), right)
    assert await typed.problems() == []


async def _answers(typed: Editor) -> None:
    client, document = typed.client, typed.document
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert [each.command.title for each in lenses or () if each.command] == [
        "legal in the first position: left 1, right 1",
        "play",
        "verify",
    ]
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [each.name for each in symbols or ()] == [
        *("role/1", "init/1", "legal/2", "next/1", "terminal", "goal/2", "succ/2"),
    ]
    asked = types.DefinitionParams(document, typed.at("succ ?less"))
    defined = await client.text_document_definition_async(asked)
    assert isinstance(defined, list)
    assert [each.range.start.line for each in defined if isinstance(each, types.Location)] == [
        *(12, 13, 14)
    ]
    hovered = await client.text_document_hover_async(
        types.HoverParams(document, typed.at("goal ?player 100"))
    )
    assert hovered is not None
    assert isinstance(hovered.contents, types.MarkupContent)
    assert hovered.contents.value.startswith("(goal R N): the present state is worth N to R")
    formatted = await client.text_document_formatting_async(
        types.DocumentFormattingParams(document, types.FormattingOptions(2, insert_spaces=True))
    )
    assert typed.edited(list(formatted or ())) == format_text(typed.text)


async def _renaming(typed: Editor) -> None:
    asked = types.RenameParams(typed.document, typed.at("succ ?less"), "before")
    edit = await typed.client.text_document_rename_async(asked)
    assert edit is not None
    assert edit.changes is not None
    assert typed.edited(list(edit.changes[typed.uri])) == PILE.replace("succ", "before")
    for taken in ("pile", "goal", "not", "(x y)", ""):
        asked = types.RenameParams(typed.document, typed.at("succ ?less"), taken)
        with pytest.raises(JsonRpcException):
            await typed.client.text_document_rename_async(asked)
