"""Pairs of games made to fool proofs: what is said of them, and how much of it is certified.

Each pair comes from a seed, and whether its games differ, and after how many moves, is known from
how they were made: half of them are equal. Each is asked twice, of all engines together and of one
alone, a different one each time. What is proved is written down and checked again, against the
rules too, as ``gdl diff --certificates`` and ``gdl certify --of`` do it. Run it from the root of
the repository:

    python -m tests.benchmarks.adversary 500 -o adversary.jsonl --seconds 10

It appends a line of JSON an answer, so that a run that is stopped goes on where it was, and ends
with a table. With ``--alone`` each pair is asked of every engine by itself instead, the others
switched off. Each answer has a process of its own, so one that crashes or swells loses only itself.
Leaves with 1 where an answer was wrong or a certificate was refused.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from gdl.certify import check_folder, read_index
from gdl.compile.budget import processor_seconds
from gdl.ruleset import Ruleset
from gdl.verify.answer import Difference
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.diff import Comparison
from gdl.verify.provenance import Provenance
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import CorrespondenceError
from tests.benchmarks.own_process import Report, report_of
from tests.verify import test_locked, test_planted
from tests.verify.composed import composed
from tests.verify.locked import locked
from tests.verify.odd import odd
from tests.verify.planted import Pair, equal, planted
from tests.verify.reworded import reworded
from tests.verify.tabled import KINDS as DIFFERENCES
from tests.verify.test_planted import ALONE, agreeing, differing

ALL: Final = "all together"
CRASH, WRONG, REFUSED, BARE = "crash", "wrong", "refused", "no certificate"
ENGINES: Final = (
    "all states",
    "short plays",
    "reachability",
    "k-induction",
    "equalities",
    "induction",
    "one move, with counts",
)
"""Of the ways in which stages are left out those that leave one engine."""
SPREADS: Final = ("seconds", "bytes", "writing", "checking")
"""Of an answer: seconds of the processor, size of its certificates, seconds for these."""
WRITING: Final = 4
"""How often as long as the answer its certificates may take."""


class Case(NamedTuple):
    """A pair: its name, the games, and what holds an answer to how it was made."""

    name: str
    games: tuple[Ruleset, Ruleset]
    is_right: Callable[[Difference], bool]


def _of_text(make: Callable[[int, int], Pair], sizes: range) -> Callable[[int], Case]:
    def case(seed: int) -> Case:
        pair = make(seed, sizes[seed % len(sizes)])
        games = Ruleset("one", (), text=pair.one), Ruleset("other", (), text=pair.other)
        name = f"{pair.kind}, {pair.depth}"
        return Case(name, games, lambda answer: test_planted.is_right(answer, pair))

    return case


def _odd(seed: int, _: int, *, differs: bool) -> Pair:
    return odd(seed, differs=differs)


def _composed(seed: int, _: int, *, differs: bool, is_large: bool = False) -> Pair:
    return composed(seed, differs=differs, is_large=is_large)


def _told(seed: int, _: int, *, differs: bool) -> Pair:
    kind = random.Random(seed).choice(DIFFERENCES)
    return reworded(seed, kind=kind if differs else "" if kind == "wraps" else f"{kind}, never")


def _of_shipped(*, opens: bool) -> Callable[[int], Case]:
    def case(seed: int) -> Case:
        pair = locked(seed, opens=opens)
        games = pair.one, pair.other
        return Case(pair.name, games, lambda answer: test_locked.is_right(answer, pair))

    return case


KINDS: Final[dict[str, Callable[[int], Case]]] = {
    "planted": _of_text(planted, range(12, 15)),
    "equal": _of_text(equal, range(12, 15)),
    "endless, planted": _of_text(differing, range(7, 10)),
    "endless, equal": _of_text(agreeing, range(7, 10)),
    "odd rules that differ": _of_text(partial(_odd, differs=True), range(1)),
    "odd rules": _of_text(partial(_odd, differs=False), range(1)),
    "told in two ways, planted": _of_text(partial(_told, differs=True), range(1)),
    "told in two ways": _of_text(partial(_told, differs=False), range(1)),
    "a lock that opens": _of_shipped(opens=True),
    "a lock that never does": _of_shipped(opens=False),
    "composed, planted": _of_text(partial(_composed, differs=True), range(1)),
    "composed": _of_text(partial(_composed, differs=False), range(1)),
    "composed, large, planted": _of_text(partial(_composed, differs=True, is_large=True), range(1)),
    "composed, large": _of_text(partial(_composed, differs=False, is_large=True), range(1)),
}
TEXTS: Final = tuple(list(KINDS)[:8])
ORDER: Final = (*3 * TEXTS, *list(KINDS)[:10])
"""Of 34 pairs two are of shipped games, which take longest; every second one is equal."""
COMPOSED: Final = (*25 * tuple(list(KINDS)[10:12]), *list(KINDS)[12:])
"""Of 52 pairs two are large; every second one is equal."""


def ask(case: Case, without: Collection[str], seconds: float) -> Report:
    """Return what is said of a pair, whether it is right, and what of it is certified."""
    start = time.process_time()
    budget = Budget(seconds, clock=processor_seconds)
    comparison = Comparison(case.games, budget, without=without)
    try:
        answer = comparison.run()
    except CorrespondenceError as error:
        return {"said": "not matched", "verdict": "open", "text": error.headline}
    said: Report = {"said": answer.headline, "method": answer.method}
    said |= {"seconds": round(time.process_time() - start, 2)}
    if not case.is_right(answer):
        return said | {"verdict": WRONG}
    if answer.equivalent is None:
        verdict = "open"
    else:
        verdict = "equivalent" if answer.equivalent else "differ"
    said |= {"verdict": verdict if answer.proved else f"{verdict}, not proved"}
    if not answer.proved:
        return said
    return said | certified(comparison, answer, case.games, WRITING * seconds)


def certified(
    comparison: Comparison, answer: Difference, games: tuple[Ruleset, Ruleset], seconds: float
) -> Report:
    """Return what is certified of an answer, and what that costs.

    Of each claim its name, the kind of its certificate or what is wrong, and why; of all of them
    the bytes of their files, and the processor seconds that writing and checking them took.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, budget = open_folder(Path(name) / "shown"), Budget(seconds, clock=processor_seconds)
        start = time.process_time()
        claimed, beside = comparison.claims(answer), comparison.beside()
        write_certificates(folder, claimed, games, budget, beside=beside)
        written = time.process_time()
        kinds = {None: BARE, False: REFUSED}
        claims = [
            (claim.name, kinds.get(claim.holds, claim.kind), claim.text)
            for claim in check_folder(folder, origin=Provenance(games, read_index(folder)))
        ]
        return {
            "claims": claims,
            "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
            "writing": round(written - start, 2),
            "checking": round(time.process_time() - written, 2),
        }


def run_one(
    report: Report,
    case: Case,
    seconds: float,
    megabytes: int,
    out: Any,  # noqa: ANN401  # a connection
) -> None:
    """Ask about one pair in a process of its own, and send what comes of it."""
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)
    try:
        report |= ask(case, ALONE.get(report["way"], ()), seconds)
    except Exception as error:  # noqa: BLE001  # whatever it is: the table has to tell
        report |= {"verdict": CRASH, "text": f"{type(error).__name__}: {error}"}
    out.send(report)


def watch(report: Report, case: Case, seconds: float, megabytes: int) -> Report:
    """Return what comes of one pair, also where its process dies."""
    told = report_of(run_one, report, case, seconds, megabytes)
    if isinstance(told, dict):
        return told
    return report | {"verdict": CRASH, "text": f"exit code {told}"}


def table(reports: Iterable[Report]) -> str:
    """Return how often what was said of each kind of pairs, by all engines and by each alone."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    kinds: Counter[str] = Counter()
    known: dict[str, list[float]] = {what: [] for what in SPREADS}
    told: list[str] = []
    for report in reports:
        counts = rows.setdefault((report["way"], report["kind"]), Counter())
        counts[report["verdict"]] += 1
        for what in known.keys() & report.keys():
            known[what].append(report[what])
        for name, kind, text in report.get("claims", ()):
            kinds[kind] += 1
            if kind in (BARE, REFUSED):
                counts[kind] += 1
                told.append(f"{kind}: {_which(report)}: {name}: {text}")
        if report["verdict"] in (WRONG, CRASH):
            told.append(f"{report['verdict']}: {_which(report)}: {report.get('text', '')}")
    columns = sorted({column for counts in rows.values() for column in counts} - {WRONG})
    head = ("asked of", "pairs", "answers", WRONG, *columns)
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for (way, kind), counts in sorted(rows.items()):
        answers = sum(n for key, n in counts.items() if key not in (BARE, REFUSED))
        cells = [way, kind, answers, counts[WRONG], *(counts[key] for key in columns)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "claims: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())]
    lines += [f"{what}: {spread(known[what])}" for what in SPREADS if known[what]]
    return "\n".join([*lines, "", *told])


def spread(values: Sequence[float]) -> str:
    """Return the middle, the largest and the sum of some numbers."""
    half = sorted(values)[len(values) // 2]
    return f"median {half:,}, most {max(values):,}, all {round(sum(values), 2):,}"


def _which(report: Report) -> str:
    return f"{report['number']} {report['kind']} ({report.get('name')}), {report['way']}"


def main() -> int:
    """Ask about as many pairs as wanted that the file does not have yet; print the table."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("pairs", type=int, help="how many")
    reader.add_argument("-o", "--output", type=Path, default=Path("adversary.jsonl"))
    reader.add_argument("--first", type=int, default=0, help="number of the first pair")
    reader.add_argument("--seconds", type=float, default=10.0, help="of the processor, an answer")
    only = reader.add_mutually_exclusive_group()
    only.add_argument("--together", action="store_true", help="leave out one engine alone")
    only.add_argument(
        "--alone", action="store_true", help="ask each engine alone, not all together"
    )
    reader.add_argument("--made-up", action="store_true", help="leave out shipped games")
    reader.add_argument(
        "--composed", action="store_true", help="take pairs composed of odd parts alone"
    )
    reader.add_argument("--bytes", type=int, default=4096, help="megabytes of each process")
    options = reader.parse_args()
    ways = list(ALONE)
    if options.output.exists():
        known = [json.loads(line) for line in options.output.read_text().splitlines()]
    else:
        known = []
    done = {(report["number"], report["way"]) for report in known}
    numbers: Iterable[int] = count(options.first)
    order = COMPOSED if options.composed else ORDER
    if options.made_up:
        numbers = (number for number in numbers if order[number % len(order)] in TEXTS)
    ask(KINDS["odd rules"](0), (), options.seconds)  # what is read once is there for all answers
    for number in islice(numbers, options.pairs):
        kind = order[number % len(order)]
        alone = ways[(number + number // len(order)) % len(ways)]
        asked = ENGINES if options.alone else (ALL,) if options.together else (ALL, alone)
        left = [way for way in asked if (number, way) not in done]
        case = KINDS[kind](number) if left else None
        for way in left:
            assert case is not None
            report: Report = {"number": number, "kind": kind, "way": way, "name": case.name}
            report = watch(report, case, options.seconds, options.bytes)
            known.append(report)
            with options.output.open("a") as file:
                file.write(json.dumps(report) + "\n")
            sys.stderr.write(f"{_which(report)}: {report['verdict']} {report.get('said', '')}\n")
    print(table(known))  # noqa: T201  # a program
    bad = {WRONG, CRASH}
    return int(
        any(
            report["verdict"] in bad or any(c[1] == REFUSED for c in report.get("claims", ()))
            for report in known
        )
    )


if __name__ == "__main__":
    sys.exit(main())
