"""How well search finds, without any model: LoCoMo questions, one message a document.

    python -m scripts.bench_recall [FOLDER]
    python scripts/postgres.py python -m scripts.bench_recall

Everything goes through the doors: `memory.conversations` takes the messages, `memory.search`
answers. any@10: some message that the question's answer stands on is among the first ten hits;
all@10: all of them are. The same is asked of the prompts that `/context` makes, and whether it is
silent for everyday messages and for questions about other people. Where EMBEDDINGS is the base URL
of an embedding endpoint (with MEMORYWEB_EMBEDDING_MODEL and …_KEY), or `random`, `constant` or
`zero` for vectors of that kind, the questions are asked with it at five weights instead.
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from scripts.installation import fresh_installation

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "locomo"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not any(folder.glob("*.messages.jsonl")):
        print("Left out: the questions (../shared/data/locomo) are not here.")
        return 0
    with fresh_installation():
        # Models can be imported only now.
        if endpoint := os.environ.get("EMBEDDINGS"):
            import_module("scripts.meaning_measures").run(folder, endpoint)
            return 0
        import_module("scripts.recall_measures").run(folder)
        import_module("scripts.context_measures").run(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
