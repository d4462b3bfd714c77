"""What the editor is told about a text: how much of it enters the prompt, and which lines stay."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count, groupby
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from memoryweb.llm.tokens import estimate
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.origins import lines_of_people
from memoryweb.memory.models import File
from memoryweb.memory.visible.placeholders import for_people

_TOLD = 12  # ranges that a sentence names


@dataclass(frozen=True)
class Editor:
    """`draft` names the text in the browser's store. Ranges read `3-6 9`."""

    draft: str
    characters: int
    tokens: int
    limit: int | None = None
    pinned: str = ""
    persons: str = ""
    changed: str = ""

    @property
    def over(self) -> int:
        return max(0, self.characters - self.limit) if self.limit else 0

    @property
    def counted(self) -> str:
        said = _("{characters} characters, about {tokens} tokens")
        return said.format(characters=intcomma(self.characters), tokens=intcomma(self.tokens))

    @property
    def pinned_told(self) -> str:
        return _told(self.pinned)

    @property
    def persons_told(self) -> str:
        return _told(self.persons)


def editor_of(file: File, text: str, user_id: object, *, changed: Iterable[int] = ()) -> Editor:
    """Lines are marked while the text in the editor is the file's own."""
    is_own = text == for_people(file)
    return Editor(
        draft=draft_name(user_id, file),
        characters=len(text),
        tokens=estimate(text),
        limit=kind_of(file.path).limit,
        pinned=_ranges(pinned_lines(text)),
        persons=_ranges(lines_of_people([file])[file.pk]) if is_own else "",
        changed=_ranges(changed),
    )


def draft_name(user_id: object, file: File) -> str:
    return f"{user_id}:{file.pk}"


def editor_of_new(agent_id: UUID, workspace: str, text: str, user_id: object) -> Editor:
    return Editor(f"{user_id}:new:{agent_id}:{workspace}", len(text), estimate(text))


def _ranges(lines: Iterable[int]) -> str:
    at = count()
    runs = [list(run) for _key, run in groupby(sorted(lines), key=lambda line: line - next(at))]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _told(ranges: str) -> str:
    """`3–6, 9`, cut where there are many."""
    parts = ranges.replace("-", "–").split()
    return ", ".join(parts[:_TOLD]) + (" …" if len(parts) > _TOLD else "")
