"""Products as AIGER: the file says what the system says."""

from gdl.compile.pipeline import build
from gdl.ruleset import find
from gdl.verify.export import system_aiger
from gdl.verify.matching import by_names
from gdl.verify.product import product


def test_a_product_is_written_whole() -> None:
    circuit = build(find("tictactoe").description)
    matching = by_names(circuit, circuit)
    assert matching is not None
    system = product(circuit, circuit, matching).system
    lines = system_aiger(system).splitlines()
    word, *counts = lines[0].split()
    largest, inputs, latches, outputs, gates, bads = map(int, counts)
    assert word == "aag"
    assert (inputs, latches, outputs, bads) == (20, 2 * 20 + 2, 0, len(system.bads))
    assert largest == inputs + latches + gates
    body = lines[1 : 1 + inputs + latches + bads + gates]
    starts = [line.split()[2] for line in body[inputs : inputs + latches]]
    assert starts.count("1") == 2 + 1  # who begins, in both games; and that this is a play
    for line in body[-gates:]:
        gate, left, right = map(int, line.split())
        assert gate > max(left, right)
    assert [line for line in lines if line.startswith("b0 ")] == ["b0 turns broken"]
