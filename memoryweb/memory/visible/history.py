"""HISTORY.md, rendered from its months and stored nowhere."""

from hashlib import sha256
from itertools import accumulate

from django.utils.translation import gettext as _

from memoryweb.markdown.file_kinds import HISTORY, MONTHS
from memoryweb.markdown.paths import fold
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.models import File, FileQuerySet
from memoryweb.memory.visible.readable import To, readable_files

_MOST = 240 * 1024  # bytes; a page shows little more of a text


def history_at(path: str, files: FileQuerySet, to: To) -> tuple[File, str, list[File]] | None:
    """A file that is not saved, its text, and the months that it is of: the newest ones, as many
    as there is room for. None for any other path, where there are no months, and where somebody
    wrote such a file. `files` of one memory."""
    if fold(path) != HISTORY.start:
        return None
    found = files.present().filter(of_kinds([HISTORY, MONTHS]))
    known = sorted(found.untexted(), key=lambda one: one.folded_path.removesuffix(".md"))
    if not known or any(one.folded_path == HISTORY.start for one in known):
        return None
    sizes = accumulate(one.size for one in reversed(known))
    older = known[: -max(1, sum(size <= _MOST for size in sizes))]
    texts = found.in_bulk([one.pk for one in known[len(older) :]])
    months = [texts[one.pk] for one in known if one.pk in texts]
    parts = [one.text.strip("\n") + "\n" for one in readable_files(months, to)]
    if older:
        said = _("Earlier months stand in files of their own, up to `{name}`.")
        parts.insert(0, said.format(name=older[-1].path) + "\n")
    text = "\n".join(parts)
    last = max(known, key=lambda one: one.updated_at)
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
