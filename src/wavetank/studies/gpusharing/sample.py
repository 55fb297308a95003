"""A small trace made up for the small form, in the columns of Alibaba's."""

from __future__ import annotations

from pathlib import Path

# count, CPU in thousandths, memory in MiB, GPUs, model
_NODES = (
    (24, 96_000, 393_216, 8, "G2"),
    (4, 32_000, 131_072, 4, "V100M16"),
    (16, 104_000, 524_288, 2, "T4"),
    (6, 16_000, 122_880, 2, "P100"),
)
# count, CPU in thousandths, memory in MiB, GPUs, thousandths of each, models that will do
_PODS = (
    (52, 8_000, 30_517, 1, 1000, ""),
    (30, 4_000, 8_192, 0, 0, ""),
    (26, 8_000, 30_720, 0, 0, ""),
    (19, 12_000, 49_152, 1, 1000, ""),
    (16, 4_000, 8_192, 1, 250, ""),
    (15, 6_000, 12_288, 1, 460, ""),
    (12, 16_000, 61_440, 2, 1000, ""),
    (10, 11_908, 47_104, 1, 120, ""),
    (9, 3_152, 3_840, 1, 600, ""),
    (8, 88_000, 327_680, 8, 1000, ""),
    (7, 8_000, 30_517, 1, 810, ""),
    (5, 8_000, 30_517, 1, 1000, "T4"),
    (5, 4_000, 8_192, 1, 250, "T4"),
    (4, 8_000, 30_517, 1, 1000, "G2|V100M16"),
    (4, 32_000, 122_880, 4, 1000, ""),
    (4, 12_000, 49_152, 1, 1000, "T4"),
    (4, 12_000, 49_152, 1, 1000, "G2|V100M16"),
    (4, 11_908, 47_104, 1, 120, "T4"),
    (3, 3_152, 3_840, 1, 600, "T4"),
    (3, 8_000, 30_517, 1, 810, "G2|V100M16"),
)


def write_sample(folder: Path) -> tuple[Path, Path]:
    """Writes nodes.csv and pods.csv and returns their paths."""
    nodes = [",".join(map(str, row)) for count, *row in _NODES for _ in range(count)]
    pods = [",".join(map(str, row)) for count, *row in _PODS for _ in range(count)]
    return (
        _write(folder / "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model", "node", nodes),
        _write(folder / "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec", "pod", pods),
    )


def _write(path: Path, head: str, name: str, rows: list[str]) -> Path:
    path.write_text("\n".join([head, *(f"{name}-{i:03},{row}" for i, row in enumerate(rows))]) + "\n")
    return path
