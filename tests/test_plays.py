"""Plays as files: what is written is read again as it was."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from gdl.plays import quoted


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_is_quoted_as_toml_reads_it(text: str) -> None:
    assert tomllib.loads(f"{quoted(text)} = {quoted(text)}") == {text: text}
