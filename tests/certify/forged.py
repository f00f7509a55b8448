"""Folders of certificates as somebody leaves them who changes files and signs the index anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gdl.certify import Checked, check_folder
from gdl.certify.check import digest_of

Claims = list[dict[str, Any]]


def claims_of(folder: Path) -> Claims:
    return list(json.loads((folder / "certificates.json").read_text(encoding="utf-8"))["claims"])


def first(folder: Path, kind: str) -> int:
    return next(n for n, claim in enumerate(claims_of(folder)) if claim.get("kind") == kind)


def signed(folder: Path, edit: Callable[[Claims], None] = lambda _: None) -> None:
    """Write the index anew, with digests that fit what lies there now."""
    path = folder / "certificates.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for claim in index["claims"]:
        for name in claim.get("files", {}):
            claim["files"][name] = digest_of((folder / claim["folder"] / name).read_bytes())
    edit(index["claims"])
    del index["digest"]
    index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    path.write_text(json.dumps(index), encoding="utf-8")


def copied(source: Path, tmp_path: Path) -> Path:
    target = tmp_path / "changed"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target


def alone(source: Path, tmp_path: Path, number: int) -> Path:
    """Return a copy that holds one claim only."""
    target = tmp_path / "changed"
    shutil.rmtree(target, ignore_errors=True)
    index = json.loads((source / "certificates.json").read_text(encoding="utf-8"))
    claim = index["claims"][number]
    shutil.copytree(source / claim["folder"], target / claim["folder"])
    index["claims"] = [claim]
    (target / "certificates.json").write_text(json.dumps(index), encoding="utf-8")
    return target


def again(folder: Path, number: int) -> Checked:
    """Return what comes of one claim of a folder, the others left out."""

    def only(claims: Claims) -> None:
        claims[:] = [claims[number]]

    signed(folder, only)
    return next(check_folder(folder))
