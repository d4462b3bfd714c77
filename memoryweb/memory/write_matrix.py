"""Who may write which kind of file. The one table; every door asks `check`.

It judges the principal behind a write, never the way that the text came in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.agents.models import Agent
from memoryweb.markdown.paths import SEEDED, FileKind, fold, kind_of
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.provenance import vouching
from memoryweb.provenance.writers import Place, Principal, Writer
from memoryweb.workspace.models import AuthorKind, File


class Written(StrEnum):
    """Kinds of files as far as writing goes."""

    INSTRUCTIONS = "instructions"  # AGENTS.md, SOUL.md: what the agent is told to be
    MEMORY = "memory"  # MEMORY.md, PROFILE.md, memory_summary.md
    KNOWLEDGE = "knowledge"  # KNOWLEDGE.md, structured/
    NOTES = "notes"  # memory/YYYY-MM-DD.md
    SKILLS = "skills"  # skills/
    DREAMS = "dreams"  # DREAMS.md, memory/dreams/
    HISTORY = "history"  # HISTORY.md, HISTORY-YYYY-MM.md
    OTHER = "other"  # any other name


_EVERY = frozenset(Written)
_OF_AGENTS = _EVERY - {Written.INSTRUCTIONS, Written.DREAMS, Written.HISTORY}
TABLE: Mapping[Principal, frozenset[Written]] = {
    Principal.PERSON: _EVERY,
    Principal.SYSTEM: _EVERY,
    Principal.AGENT: _OF_AGENTS,
    Principal.INTEGRATION: _OF_AGENTS,
    Principal.EXTRACTION: frozenset({Written.MEMORY, Written.NOTES, Written.HISTORY}),
    Principal.DREAM: frozenset({Written.MEMORY, Written.DREAMS, Written.SKILLS}),
}
APPROVED = frozenset({Written.INSTRUCTIONS})  # what a machine's proposal may change, too

OUTSIDE = (
    "outside",
    "It comes from outside the team, or from an integration that may not write what is in "
    "everyone's prompt.",
)
_PROMPT = frozenset(fold(name) for name in SEEDED)
_NAMED = {
    "agents.md": Written.INSTRUCTIONS,
    "soul.md": Written.INSTRUCTIONS,
    "memory.md": Written.MEMORY,
    "profile.md": Written.MEMORY,
    "memory_summary.md": Written.MEMORY,
    "knowledge.md": Written.KNOWLEDGE,
    "dreams.md": Written.DREAMS,
    "history.md": Written.HISTORY,
}
_OF_KIND = {
    FileKind.NOTE: Written.NOTES,
    FileKind.DREAMS: Written.DREAMS,
    FileKind.HISTORY: Written.HISTORY,
    FileKind.SKILL: Written.SKILLS,
    FileKind.STRUCTURED: Written.KNOWLEDGE,
}
_FOLDERS = {"memory/dreams/": FileKind.DREAMS, "skills/": FileKind.SKILL}
_PREFIXES = {**_FOLDERS, "structured/": FileKind.STRUCTURED, "history-": FileKind.HISTORY}

LABELS: Mapping[Written, str | Promise] = {
    Written.INSTRUCTIONS: gettext_lazy("AGENTS.md, SOUL.md"),
    Written.MEMORY: gettext_lazy("MEMORY.md, PROFILE.md, memory_summary.md"),
    Written.KNOWLEDGE: gettext_lazy("KNOWLEDGE.md, structured/"),
    Written.NOTES: gettext_lazy("daily notes"),
    Written.SKILLS: gettext_lazy("skills/"),
    Written.DREAMS: gettext_lazy("DREAMS.md, memory/dreams/"),
    Written.HISTORY: gettext_lazy("HISTORY.md, HISTORY-YYYY-MM.md"),
    Written.OTHER: gettext_lazy("other files"),
}


class WriteRefused(MemoryRefused):
    """This author does not write this file. The sentence says what to do instead."""

    code = "write_refused"


def check(writer: Writer, place: Place, path: str | None = None) -> None:
    """`path`: another name in the same place, for a file that is renamed. Raises WriteRefused."""
    if refused := refusal(writer, place, path):
        raise WriteRefused(refused)


def refusal(writer: Writer, place: Place, path: str | None = None) -> str:
    """Why not, as a sentence; empty where it may."""
    if place.agent.is_global and not _rules_everywhere(writer):
        return _(
            "Global memory is read by every team, so only a superuser changes it. "
            "Ask whoever runs this installation."
        )
    wanted = place.path if path is None else path
    return "" if allows(writer, wanted) else _sentence(writer, wanted)


def check_arranging(writer: Writer) -> None:
    """What enters the prompt, and in which order, is for people to say. Raises WriteRefused."""
    if not is_person(writer):
        raise WriteRefused(
            _(
                "Only a person decides what enters the prompt and in which order. "
                "Ask a member of the team, or use a personal token."
            )
        )


@dataclass(frozen=True)
class Asked:
    """A person has to accept the change of that file; `broken` says why, as a guard's word and
    sentence, and nothing where it is the agent's policy."""

    file: File
    broken: Sequence[tuple[str, str]] = ()


def asks_person(writer: Writer, place: Place, file: File | None) -> Asked | None:
    """Raises WriteRefused where there is no file yet that a person could look at."""
    broken = why_asked(writer, place, enabled=file is not None and file.enabled)
    if broken is None:
        return None
    if file is None:
        raise WriteRefused(made_anew(place.path))
    return Asked(file, broken)


def why_asked(writer: Writer, place: Place, *, enabled: bool) -> Sequence[tuple[str, str]] | None:
    """Whether a change of what stands in everyone's prompt has to be proposed; None: it may be
    written. A run asks for the agent's policy itself, with its guards."""
    if place.owner is not None or not (enabled or fold(place.path) in _PROMPT):
        return None
    if writer.is_approved or is_person(writer):
        return None
    if writer.principal in {Principal.EXTRACTION, Principal.DREAM}:
        return None if writer.is_vouched else [OUTSIDE]
    if not vouching.is_vouched(writer.speaker, writer.integration, writer.token):
        return [OUTSIDE]
    return None if place.agent.policy == Agent.Policy.APPLY else []


def made_anew(path: str) -> str:
    return _("“{path}” enters everyone's prompt, so only a person makes it anew.").format(path=path)


def check_taking_out(writer: Writer, file: File) -> None:
    """A deletion is nothing that could wait as a proposal. Raises WriteRefused."""
    if asks_person(writer, Place(file.agent, file.owner, file.path), file):
        raise WriteRefused(
            _("“{path}” is in everyone's prompt, so a person deletes it.").format(path=file.path)
        )


def check_person(writer: Writer) -> None:
    """Raises WriteRefused."""
    if not is_person(writer):
        raise WriteRefused(_("Only a person reverts what a source wrote."))


def check_renaming(writer: Writer, file: File) -> None:
    """A file of the prompt keeps its name, so that nothing takes its place. Raises WriteRefused."""
    if file.enabled and not is_person(writer):
        raise WriteRefused(
            _("“{path}” is part of the prompt, so only a person renames it.").format(path=file.path)
        )


def allows(writer: Writer, path: str) -> bool:
    kind = written_as(path)
    is_taken_up = writer.is_approved and kind in APPROVED
    return kind in TABLE[writer.principal] or is_taken_up


def is_person(writer: Writer) -> bool:
    """Or the installation itself, which only its operator speaks through."""
    return writer.principal in {Principal.PERSON, Principal.SYSTEM}


def written_as(path: str) -> Written:
    """By the folded name: `memory.md` is no way around `MEMORY.md`."""
    folded = fold(path)
    if folded in _NAMED:
        return _NAMED[folded]
    prefix = next((start for start in _PREFIXES if folded.startswith(start)), "")
    kind = _PREFIXES[prefix] if prefix else kind_of(path)
    return _OF_KIND.get(kind, Written.OTHER)


def as_markdown() -> str:
    """The table for the documentation."""
    rows = ["| file | " + " | ".join(TABLE) + " |"]
    rows.append("|---" * (len(TABLE) + 1) + "|")
    for written in Written:
        cells = [_cell(principal, written) for principal in TABLE]
        rows.append(f"| {LABELS[written]} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _rules_everywhere(writer: Writer) -> bool:
    is_superuser = writer.user is not None and writer.user.is_superuser
    return is_superuser or writer.kind == AuthorKind.SYSTEM


def _sentence(writer: Writer, path: str) -> str:
    told = {
        Written.INSTRUCTIONS: _(
            "“{path}” tells the agent what to be, so only a person changes it. "
            "Ask a member of the team to."
        ),
        Written.DREAMS: _(
            "“{path}” is the diary of dreams; besides people only dreams write it. "
            "Write to today's note instead."
        ),
        Written.HISTORY: _(
            "“{path}” keeps what could not be extracted; besides people only extractions write "
            "it. Write to today's note instead."
        ),
    }
    other = _("This kind of author ({author}) does not write “{path}”. Use MEMORY.md instead.")
    return told.get(written_as(path), other).format(path=path, author=AuthorKind(writer.kind).label)


def _cell(principal: Principal, written: Written) -> str:
    if written in TABLE[principal]:
        return "yes"
    is_proposed = principal in {Principal.DREAM, Principal.EXTRACTION} and written in APPROVED
    return "proposes" if is_proposed else "no"
