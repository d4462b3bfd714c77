"""Every kind of file of a workspace, one row each: all that its name alone decides. Pure.

A new core file is one row here, before `OTHER`, which every name matches; where in the tree of
files and on My memory it stands, too. One that `is_seeded` has its first text in `agents/seeds/`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class WritingKind(StrEnum):
    """Kinds of files as far as writing goes: which authors do is said by `AuthorKind`."""

    INSTRUCTIONS = "instructions"  # what the agent is told to be
    MEMORY = "memory"
    KNOWLEDGE = "knowledge"
    NOTES = "notes"
    SKILLS = "skills"
    ENTRIES = "entries"
    DREAMS = "dreams"
    HISTORY = "history"
    OTHER = "other"


@dataclass(frozen=True)
class FileKind:
    """`name`: of the one file, or what its files' names look like (`*`: no folder, `**`: any).

    `is_core`: no other name may look like it. `is_seeded`: made with the agent, in this order, in
    everyone's prompt; `starts_own`: an owner's own starts in their prompt. `limit`: characters
    that a prompt is given. `holds_facts`: each bullet is a statement that is followed. `is_named`:
    the file's name says what stands in it, and is searched like a heading. `is_offered`: MCP's
    clients are told of it, and load it by themselves.
    """

    name: str
    written: WritingKind
    group: str = "core"  # heading in the tree of files
    section: str = "other"  # heading on My memory
    weight: float = 0.8  # in search
    limit: int | None = None
    is_core: bool = True
    is_seeded: bool = False
    starts_own: bool = False
    in_snapshot: bool = False
    holds_facts: bool = False
    is_named: bool = False
    is_offered: bool = False

    @property
    def is_given(self) -> bool:
        """Whether everyone's model is given a shared one, enabled or not."""
        return self.is_seeded or self.is_offered

    @property
    def start(self) -> str:
        """What the folded paths of these files begin with: all of it where it is one file."""
        return self.name.partition("*")[0].casefold()

    @property
    def is_one_file(self) -> bool:
        return "*" not in self.name

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        form = re.escape(self.name.casefold()).replace(r"\*\*", ".+").replace(r"\*", "[^/]+")
        return re.compile(form, re.DOTALL)


NOTE = FileKind("memory/*.md", WritingKind.NOTES, "notes", "notes", weight=0.7, is_core=False)
SUMMARY_TOKENS = 5_000  # that a prompt is given of the summary
SUMMARY = FileKind("memory_summary.md", WritingKind.MEMORY, "other", is_core=False, is_offered=True)
SKILL = FileKind("skills/**", WritingKind.SKILLS, "skills", is_core=False, is_offered=True)
ENTRY = FileKind("entries/*.md", WritingKind.ENTRIES, "entries", is_core=False, is_named=True)
HISTORY = FileKind("HISTORY.md", WritingKind.HISTORY, "past", "diary", weight=0.4)
MONTHS = FileKind("HISTORY-**", WritingKind.HISTORY, "past", "diary", weight=0.4, is_core=False)
OTHER = FileKind("**", WritingKind.OTHER, "other", is_core=False)
KINDS = (
    FileKind("AGENTS.md", WritingKind.INSTRUCTIONS, is_seeded=True, in_snapshot=True),
    FileKind("SOUL.md", WritingKind.INSTRUCTIONS, is_seeded=True, in_snapshot=True),
    FileKind(
        "PROFILE.md",
        WritingKind.MEMORY,
        section="profile",
        holds_facts=True,
        weight=1.0,
        limit=4_000,
        is_seeded=True,
        starts_own=True,
        in_snapshot=True,
    ),
    FileKind(
        "MEMORY.md",
        WritingKind.MEMORY,
        section="memory",
        holds_facts=True,
        weight=1.0,
        limit=12_288,
        is_seeded=True,
        starts_own=True,
        in_snapshot=True,
        is_offered=True,
    ),
    SUMMARY,
    FileKind("KNOWLEDGE.md", WritingKind.KNOWLEDGE, in_snapshot=True, holds_facts=True),
    FileKind("structured/**", WritingKind.KNOWLEDGE, "structured", is_core=False, holds_facts=True),
    NOTE,
    ENTRY,
    SKILL,
    FileKind("DREAMS.md", WritingKind.DREAMS, "past", "diary", weight=0.4),
    FileKind("memory/dreams/**", WritingKind.DREAMS, "past", "diary", weight=0.4, is_core=False),
    HISTORY,
    MONTHS,
    OTHER,
)
CORE = {kind.name: kind for kind in KINDS if kind.is_core}
SEEDED = tuple(kind.name for kind in KINDS if kind.is_seeded)


def kind_at(folded: str) -> FileKind:
    """Of a folded path: `memory.md` is no way around `MEMORY.md`."""
    return next(kind for kind in KINDS if kind.pattern.fullmatch(folded))
