"""A proof by induction as a witness circuit, in the form that Certifaiger reads.

In: a transition system and an invariant over its latches. Out: the system once more, in which what
is bad is that the invariant is false. As the invariant is true at first, kept by every step, and
true only where nothing is bad, this witness simulates the system and is inductive; and whoever has
a checker of such witnesses need not know our formulas.

Source: Yu, Froleyks, Biere, Heljanko, "Towards Compositional Hardware Model Checking
Certification", FMCAD 2023; the names that say what stands for what are those of Certifaiger.
"""

from __future__ import annotations

from gdl.certify.aiger_file import AigerFile


def witness_of(model: AigerFile, invariant: AigerFile) -> AigerFile:
    """Return the witness: inputs and latches of the system, each named by the one it stands for.

    Args:
        model: The system.
        invariant: A circuit of one output over its latches.
    """
    size = 1 + model.inputs + len(model.nexts) + len(model.gates)
    # Of each variable of the invariant its edge in the witness: constant, latches, gates.
    edges = [0, *(2 * (1 + model.inputs + latch) for latch in range(invariant.inputs))]
    edges += (2 * (size + gate) for gate in range(len(invariant.gates)))

    def put(edge: int) -> int:
        return edges[edge >> 1] ^ (edge & 1)

    gates = ((put(left), put(right)) for left, right in invariant.gates)
    names = {f"i{n}": f"= {2 * (1 + n)}" for n in range(model.inputs)}
    names |= {f"l{n}": f"= {2 * (1 + model.inputs + n)}" for n in range(len(model.nexts))}
    return AigerFile(
        model.inputs,
        model.nexts,
        model.resets,
        (),
        (put(invariant.outputs[0]) ^ 1,),
        (*model.gates, *((max(pair), min(pair)) for pair in gates)),
        names,
    )
