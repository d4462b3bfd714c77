"""Claude Code's folder `~/.claude`, or a project's: what it remembers, and what it was told."""

import re

from django.utils.translation import gettext as _

from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.snapshots.contents import Contents, IgnoredEntry, Incoming
from memoryweb.memory.snapshots.formats.uploaded import UploadBytes
from memoryweb.memory.snapshots.reading import Entry

KEY = "claude_code"
FOLDER = "claude-code"
_PROJECT = re.compile(r"(?:.*/)?projects/([^/]+)/memory/(.+\.md)")
_TOLD = re.compile(r"(?:.*/)?(?:CLAUDE|CLAUDE\.local|AGENTS)\.md")
_ITS_OWN = re.compile(r"(?:.*/)?CLAUDE(?:\.local)?\.md")


def finds(sent: UploadBytes) -> bool:
    """AGENTS.md alone is in every workspace."""
    return any(_ITS_OWN.fullmatch(name) or _PROJECT.fullmatch(name) for name in sent.names)


def contents(sent: UploadBytes) -> Contents:
    wanted = {name: path for name in sent.names if (path := _path(name))}
    entries = sent.archive.entries(wanted.__contains__)
    said = _("What Claude Code remembers, CLAUDE.md and AGENTS.md are taken, nothing else.")
    ignored = [
        IgnoredEntry(name, "not_in_import", said) for name in sent.names if name not in wanted
    ]
    files: dict[str, Incoming] = {}
    for entry, path in ((entry, wanted[entry.name]) for entry in entries):
        if refused := _refusal(path):
            ignored.append(IgnoredEntry(entry.name, "path_refused", refused))
        else:
            files[path] = _together(files.get(path), entry, path)
    return Contents(tuple(files[path] for path in sorted(files)), tuple(ignored), format=KEY)


def _path(name: str) -> str:
    """MEMORY.md of any project is memory; all else keeps its place in a folder of its own."""
    if name.startswith("__MACOSX/"):
        return ""
    if match := _PROJECT.fullmatch(name):
        return "MEMORY.md" if match[2] == "MEMORY.md" else f"{FOLDER}/{match[1]}/{match[2]}"
    return f"{FOLDER}/{name.removeprefix('.claude/')}" if _TOLD.fullmatch(name) else ""


def _refusal(path: str) -> str:
    try:
        paths.parse(path)
    except PathRefused as refused:
        return str(refused)
    return ""


def _together(before: Incoming | None, entry: Entry, path: str) -> Incoming:
    if before is None:
        return Incoming(path, entry.data, (entry.name,), joins=path == "MEMORY.md")
    data = before.data.rstrip(b"\n") + b"\n" + entry.data.lstrip(b"\n")
    return Incoming(path, data, (*before.sources, entry.name), joins=before.joins)
