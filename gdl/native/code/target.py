"""What this machine computes with: the target that code is made for.

Source: LLVM language reference, intrinsic functions.
"""

from __future__ import annotations

from gdl.native.code import llvm as engine
from gdl.native.code.ir import Target


def native_target(width: int | None = None) -> Target:
    """Return the target for this machine.

    Args:
        width: Lanes of one vector: 64, 128, 256 or 512; by default what the processor has.
    """
    cpu = engine.host()
    width = width or cpu.width
    ternary = cpu.is_x86 and (
        (width == 512 and cpu.has("avx512f"))  # noqa: PLR2004  # bits of a register
        or (width in (128, 256) and cpu.has("avx512vl"))
    )
    attributes = "nounwind"
    if cpu.is_x86:
        attributes += f' "min-legal-vector-width"="{width}" "prefer-vector-width"="{width}"'
    return Target(width, ternary, attributes)


def declarations(target: Target) -> str:
    """Return the declarations of the LLVM functions that generated code calls."""
    v, n = target.vector, target.elements
    lines = [
        f"declare {v} @llvm.ctpop.v{n}i64({v})",
        f"declare i64 @llvm.vector.reduce.add.v{n}i64({v})",
        f"declare {v} @llvm.fshl.v{n}i64({v}, {v}, {v})",
    ]
    if target.ternary:
        lines.append(
            f"declare {v} @llvm.x86.avx512.pternlog.q.{target.width}({v}, {v}, {v}, i32 immarg)"
        )
    return "\n".join(lines)
