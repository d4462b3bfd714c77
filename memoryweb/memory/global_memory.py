"""GLOBAL files as any team may read them: at a name, now or at one revision."""

from dataclasses import dataclass
from datetime import datetime

from memoryweb.agents.models import Agent, Reader, reading
from memoryweb.markdown.paths import fold
from memoryweb.memory.lines.revisions import content_of, history_of
from memoryweb.memory.models import File, Scope


@dataclass(frozen=True)
class GlobalText:
    """`path` is the file's name today, `written_at` the time of this revision."""

    path: str
    number: int
    content: str
    written_at: datetime
    enabled: bool
    is_current: bool


def global_text(reader: Reader, path: str, number: int | None = None) -> GlobalText | None:
    """None where there is no such file or revision; without a number also of a deleted file."""
    with reading(reader):
        found = File.objects.visible_to(reader).filter(scope=Scope.GLOBAL, folded_path=fold(path))
        file = found.first() if number else found.present().first()
        if file is None:
            return None
        wanted = number or file.revision
        revision = history_of(file).filter(number=wanted, is_deletion=False).first()
        if revision is None:
            return None
        return GlobalText(
            file.path,
            wanted,
            content_of(file, wanted),
            revision.created_at,
            file.enabled,
            is_current=wanted == file.revision,
        )


def global_file(agent: Agent, path: str) -> File | None:
    """As it stands now, for who reads the shared memory of an agent."""
    reader = Reader(agent)
    with reading(reader):
        found = File.objects.present().visible_to(reader).filter(scope=Scope.GLOBAL)
        return found.filter(folded_path=fold(path)).first()
