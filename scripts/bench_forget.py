"""How long forgetting one statement takes among many passages, and how long others wait for it.

    python -m scripts.bench_forget [PASSAGES]
    python scripts/postgres.py python -m scripts.bench_forget

Without an argument there are 1,000,000, of one team; 20,000 of them are of the memory that forgets.
Another process sends a message every twentieth of a second meanwhile.
"""

import subprocess
import sys
from importlib import import_module

from scripts.installation import fresh_installation

PASSAGES = 1_000_000
WRITE = "--write"


def main() -> int:
    if sys.argv[1:2] == [WRITE]:
        import_module("django").setup()
        import_module("scripts.forget_measures").write_on(sys.argv[2])
        return 0
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else PASSAGES
    with fresh_installation():
        # Models can be imported only now.
        measures = import_module("scripts.forget_measures")
        team = measures.build(passages)
        command = [sys.executable, "-m", "scripts.bench_forget", WRITE, str(team.pk)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            took, receipt, parts = measures.forget(team)
            told, _errors = writer.communicate("stop\n")
    print(
        f"{sum(receipt.scanned.values()):,} rows looked through, {receipt.remaining} with it left"
    )
    print(f"forgotten and proved in {took:.1f} s ({parts}); goal 60")
    print(f"{told.strip()}; goal 2 s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
