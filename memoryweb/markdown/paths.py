"""Which paths a workspace file may have, and what a path says about the file (SPEC §3). Pure."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from django.utils.translation import gettext as _

from memoryweb.language.invisible import skeleton
from memoryweb.markdown.file_kinds import CORE, SUMMARY, FileKind, kind_at


class PathRefused(ValueError):
    """A path that no workspace file may have; the message says why."""

    code = "path_refused"


class SectionRefused(Exception):
    """A heading or key that can't be told apart from another."""


HOME = "memory://root"
MAX_CHARACTERS = 256
MAX_SEGMENTS = 6

_CORE_FOLDED = {name.casefold(): name for name in CORE}

_NOTE = re.compile(r"memory/([^/]+)\.md")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")  # a server in between may decode it once more
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True)
class WorkspacePath:
    text: str
    folded: str
    note_date: date | None = None


def parse(text: str) -> WorkspacePath:
    """The checked path. Raises PathRefused with a sentence that says what is wrong."""
    _check_characters(text)
    _check_segments(text)
    _check_core_names(text)
    return WorkspacePath(text, fold(text), _note_date(text))


def of_link(text: str) -> str:
    """The path behind `memory://root/…`, of the root alone the summary's; others as they are."""
    if text.rstrip("/") == HOME:
        return SUMMARY.name
    return text.removeprefix(f"{HOME}/")


def fold(text: str) -> str:
    """What two paths must not share: compatibility forms and case folded away."""
    return unicodedata.normalize("NFKC", text).casefold()


def note_path(day: date) -> str:
    return f"memory/{day.isoformat()}.md"


def entry_path(name: str) -> str:
    return f"entries/{name}.md"


def stem_of(text: str) -> str:
    """The file's own name, without folder and ending."""
    return text.rpartition("/")[2].removesuffix(".md")


@lru_cache(maxsize=1024)
def kind_of(text: str) -> FileKind:
    return kind_at(fold(text))


def _check_characters(text: str) -> None:
    if not text:
        raise PathRefused(_("Give the file a path, such as “KNOWLEDGE.md”."))
    # Folding may make several characters of one.
    if max(len(text), len(fold(text))) > MAX_CHARACTERS:
        raise PathRefused(_("A path may have at most 256 characters."))
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in text):
        raise PathRefused(_("A path may not contain control, invisible or direction characters."))
    if unicodedata.normalize("NFC", text) != text:
        raise PathRefused(_("A path must be in Unicode's composed form (NFC)."))
    if "\\" in text or ":" in text:
        raise PathRefused(_("A path may not contain a backslash or a colon."))
    if _ENCODED.search(text):
        raise PathRefused(_("A path may not contain percent-encoding, such as “%2F”."))


def _check_segments(text: str) -> None:
    if text.startswith("/"):
        raise PathRefused(_("A path is relative: it may not begin with “/”."))
    # Folded, because elsewhere the full-width “．．” is read as “..”.
    segments = unicodedata.normalize("NFKC", text).split("/")
    if any(part in {"", ".", ".."} or part != part.strip() for part in segments):
        raise PathRefused(_("A path may not have empty, “.” or “..” parts, nor parts in blanks."))
    if len(segments) > MAX_SEGMENTS:
        raise PathRefused(_("A path may have at most 6 parts."))
    if not text.endswith(".md") or segments[-1] == ".md":
        raise PathRefused(_("A workspace holds Markdown: the path must end in “.md”."))
    if any(part.casefold().endswith(".md") for part in segments[:-1]):
        raise PathRefused(_("A folder's name may not end in “.md”: it would read as a file."))


def _check_core_names(text: str) -> None:
    drawn = skeleton(text)
    core = _CORE_FOLDED.get(drawn)
    if core and core != text:
        raise PathRefused(_("This name only looks like “{name}”.").format(name=core))
    if drawn.startswith("memory/") and not text.startswith("memory/"):
        raise PathRefused(_("This name only looks like one of the folder “memory/”."))
    if _NOTE.fullmatch(text) and _note_date(text) is None:
        raise PathRefused(
            _("A daily note is named by a real date, such as “memory/2026-11-20.md”.")
        )
    if text.startswith("memory/dreams/") and not _MONTH.fullmatch(text[14:-3]):
        raise PathRefused(_("A dream archive is named by its month: “memory/dreams/2026-11.md”."))


def _note_date(text: str) -> date | None:
    match = _NOTE.fullmatch(text)
    if not match or not _DATE.fullmatch(match[1]):
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None
