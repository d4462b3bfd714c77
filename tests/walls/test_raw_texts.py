"""Texts of memory leave by one way: what lies above `memory/visible` and `memory/writing` never
reads a `raw_` field, in Python or in a template."""

import re
from pathlib import Path

import memoryweb

ROOT = Path(memoryweb.__file__).parent
# What lies below the way out, and what writes.
BELOW = {"models", "lines", "statements", "index", "visible", "writing", "migrations"}
# Rooms that change or take away what stands, each by one module or two: they need the true text.
WRITING: dict[str, str] = {
    "dreaming/inputs.py": "a night changes the true MEMORY.md, and knows which lines are hidden",
    "memory/conversations/continuing.py": "tells whether what is sent again was said before",
    "memory/conversations/messages.py": "keeps what was said, and tells whether it was said before",
    "memory/freeing.py": "puts what had ended back into texts, in its own words",
    "memory/facts.py": "puts statements back where they stood, in their own words",
    "memory/snapshots/planning.py": "an import is compared with what truly stands there",
    "memory/forgetting/finding.py": "looks for what is meant in texts as they are",
    "memory/forgetting/again.py": "finds what an older backup brought back",
    "memory/forgetting/ledger_places.py": "finds the characters of it in texts as they are",
    "memory/forgetting/removal.py": "takes what is meant out of them",
    "memory/forgetting/requests.py": "hears what an owner asks, in the owner's own words",
    "memory/my_memory/actions.py": "rewords and takes out what its owner says",
    "memory/questions.py": "hears an answer in the words of what was asked",
    "memory/reverting.py": "takes the lines of a source out of texts",
    "memory/review/proposals.py": "writes what a person accepts",
    "memory/undoing.py": "knows by their words which statements go again",
    "memory/review/rescan.py": "masks secrets where they stand",
}
_RAW = re.compile(r"\braw_(content|text|value|about|tokens|quote)\b")


def test_texts_leave_by_one_way() -> None:
    found = set(_modules())
    assert found - WRITING.keys() == set(), "pass it through memoryweb.memory.visible.readable"
    assert WRITING.keys() - found == set(), "these don't read a raw text any more"


def test_templates_read_what_is_readable() -> None:
    templates = (ROOT.parent / "templates").rglob("*.*")
    assert [str(one) for one in templates if _RAW.search(one.read_text())] == []


def _modules() -> list[str]:
    found = []
    for module in ROOT.rglob("*.py"):
        parts = module.relative_to(ROOT).parts
        is_below = parts[0] == "memory" and parts[1] in BELOW
        if not is_below and _RAW.search(module.read_text()):
            found.append("/".join(parts))
    return found
