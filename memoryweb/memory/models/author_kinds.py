"""Who writes memory, and whose word that is. A new kind of author is one row of `AuthorKind`."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memoryweb.markdown.file_kinds import WritingKind


class SourceClass(models.TextChoices):
    """Whose word a text is, which decides how far a machine may trust it."""

    PERSON = "person", _("A member of the team")
    OWNER = "owner", _("The person it is about")
    AGENT = "agent", _("The agent")
    IMPORT = "import", _("An import")
    THIRD_PARTY = "third_party", _("Somebody else")
    DREAM = "dream", _("The agent, at night")
    SYSTEM = "system", _("The system")


_EVERY = frozenset(WritingKind)
_OF_AGENTS = _EVERY - {WritingKind.INSTRUCTIONS, WritingKind.DREAMS, WritingKind.HISTORY}
_OF_EXTRACTION = frozenset(
    {WritingKind.MEMORY, WritingKind.NOTES, WritingKind.HISTORY, WritingKind.ENTRIES}
)
_OF_DREAMS = frozenset({WritingKind.MEMORY, WritingKind.DREAMS, WritingKind.SKILLS})
_OF_IMPORTS: frozenset[WritingKind] = frozenset()


class AuthorKind(models.TextChoices):
    """Who wrote, one row each: whose word that is by itself, and which files it may write.

    What a machine brought is looked at for orders and shown as a machine's; a run is ours, and
    what it proposes a person may take up. An import is a way in: whoever brings it is judged.
    """

    source: SourceClass
    writes: frozenset[WritingKind]
    is_machine: bool
    is_run: bool

    PERSON = "person", SourceClass.PERSON, _EVERY, _("Person")
    AGENT = "agent", SourceClass.AGENT, _OF_AGENTS, "machine", _("Agent")
    EXTRACTION = (
        "extraction",
        SourceClass.THIRD_PARTY,
        _OF_EXTRACTION,
        "run",
        _("Agent, after a conversation"),
    )
    DREAM = "dream", SourceClass.DREAM, _OF_DREAMS, "run", _("Agent, at night")
    IMPORT = "import", SourceClass.IMPORT, _OF_IMPORTS, "machine", _("Import")
    SYSTEM = "system", SourceClass.SYSTEM, _EVERY, _("System")

    @classmethod
    def of_run(cls, kind: str) -> "AuthorKind":
        return cls.EXTRACTION if kind == "journal" else cls(kind)

    def __new__(
        cls,
        value: str,
        source: SourceClass = SourceClass.SYSTEM,
        writes: frozenset[WritingKind] = _EVERY,
        sort: str = "",
    ) -> "AuthorKind":
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.source, kind.writes = source, writes
        kind.is_machine, kind.is_run = sort in {"machine", "run"}, sort == "run"
        return kind


MACHINES = [kind for kind in AuthorKind if kind.is_machine]
RUNS = [kind for kind in AuthorKind if kind.is_run]
