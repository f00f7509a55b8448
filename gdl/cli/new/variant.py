"""A variant of a ruleset that is there: its goals in a file of their own, to be changed.

In: a base. Out: the texts of the files. The manifest names all that the base has; the goal rules
are written out, so that the variant is the base until somebody changes them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from gdl.cli.terminal.guard import UsageError
from gdl.language.limits import Limits
from gdl.language.render import render_rule
from gdl.plays import quoted

TABLES: Final = ("players", "notation", "short-notation", "picture", "facts")
"""Keys of a ruleset that name a table, or a table of another family."""


def write_variant(base: str, name: str, title: str, limits: Limits) -> dict[str, str]:
    """Return the files of a variant, by their names: manifest, rules, tests.

    Raises:
        UsageError: The base is no ruleset of a family that has an id, or has no goal rules.
        UnknownRulesetError: There is no such ruleset.
    """
    from gdl.ruleset import find

    ruleset = find(base, limits=limits)
    usable = ruleset.manifest is not None and ruleset.id == base and "?" not in base
    goals = [rule for rule in ruleset.description.rules if rule.head.sentence.name == "goal"]
    if not usable or not goals or ruleset.manifest is None:
        raise UsageError(
            f"{base} cannot be the base of a variant" + ("" if goals else ": it has no goals"),
            expected="the id of a ruleset, without parameters: gdl rulesets lists them",
        )
    table = _table(ruleset.manifest, ruleset.id)
    family = ruleset.manifest.parent.name
    lines = [f"# {title}: {ruleset.title} with other goals. gdl new --help names the page on this."]
    lines += ["", "[[ruleset]]", f'id = "{name}"', f"title = {quoted(title)}"]
    lines += ['version = "0.1.0"', 'source = "ours"']
    rules = [*(_there(part, family) for part in table["rules"]), f"{name}.kif"]
    lines.append(f"rules = {_listed(rules)}")
    lines += [f"{key} = {quoted(_there(table[key], family))}" for key in TABLES if key in table]
    if "parameters" in table:
        lines.append(f"parameters = {_listed([_there(p, family) for p in table['parameters']])}")
    replaced = [relation for relation in table.get("replace", ()) if relation != "goal"]
    lines.append(f"replace = {_listed([*replaced, 'goal'])} # {name}.kif says anew what is won")
    if "leave-out" in table:
        lines.append(f"leave-out = {_listed(table['leave-out'])}")
    written = "\n".join(render_rule(rule) for rule in goals)
    return {
        "manifest.toml": "\n".join([*lines, ""]),
        f"{name}.kif": f"""\
;;; {title}: {ruleset.title} with other goals.
;;;
;;; These are the goals of {base}, which they replace: change them. All other rules are those of
;;; the base; gdl flatten {base} writes them out.

{written}
""",
        f"{name}.test.toml": f"""\
# What {title} must do. gdl test runs it; gdl test --help names the page about it.
game = "manifest.toml"

[[test]]
name = "it begins as its base does"
over = false

# As long as nothing is changed the two are the same game. When something is, say after how many
# moves they part: gdl diff {base} manifest.toml
# [[diff]]
# with = "{base}"
# equivalent = true
""",
    }


def _table(manifest: Path, id_: str) -> dict[str, Any]:
    """Return the table of a ruleset, which was read and found right before."""
    told = tomllib.loads(manifest.read_text(encoding="utf-8"))
    return next(table for table in told["ruleset"] if table["id"] == id_)


def _there(name: str, family: str) -> str:
    """Return the name by which another family calls a table or file of this one."""
    return name if name.startswith("@") else f"@{family}/{name}"


def _listed(texts: list[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"
