"""HISTORY.md, rendered from its months and stored nowhere."""

from hashlib import sha256

from memoryweb.markdown.file_kinds import HISTORY, MONTHS
from memoryweb.markdown.paths import fold
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.models import File, FileQuerySet
from memoryweb.memory.visible.readable import To, readable_files


def history_at(path: str, files: FileQuerySet, to: To) -> tuple[File, str, list[File]] | None:
    """A file that is not saved, its text, and the months that it is of; None for any other path,
    where there are no months, and where somebody wrote such a file. `files` of one memory."""
    if fold(path) != HISTORY.start:
        return None
    found = files.present().filter(of_kinds([HISTORY, MONTHS]))
    months = sorted(found, key=lambda one: one.folded_path.removesuffix(".md"))
    if not months or any(one.folded_path == HISTORY.start for one in months):
        return None
    text = "\n".join(one.text.strip("\n") + "\n" for one in readable_files(months, to))
    last = max(months, key=lambda one: one.updated_at)
    whole = File(
        team_id=last.team_id,
        agent_id=last.agent_id,
        owner_id=last.owner_id,
        scope=last.scope,
        path=HISTORY.name,
        folded_path=HISTORY.start,
        sort_order=last.sort_order,
        sha256=sha256(text.encode()).hexdigest(),
        size=len(text.encode()),
        updated_at=last.updated_at,
    )
    return whole, text, months
