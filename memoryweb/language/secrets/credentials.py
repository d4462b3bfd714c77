"""Finds credentials in a text, in time linear in its length (SPEC §12, the block class)."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import re2
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.language.secrets.formats import FORMATS, Format
from memoryweb.language.secrets.look_alikes import entropy

PRIVATE_KEY = "private-key"
_KEY_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY"
_KEY_MARK = re2.compile(rb"-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re2.compile(rb"[0-9A-Za-z+/=]+")
MIN_KEY_BODY = 40  # the shortest private key, an Ed25519 one, has 64 characters of base64
MAX_KEY_BODY = 64 * 1024
MIN_KEY_BITS = 3.0
_ROOM = 32 * 1024 * 1024  # for the states of all patterns at once; ordinary text takes few


@dataclass(frozen=True)
class Secret:
    """`start` and `end` are character offsets; `kind` is a code such as `github-token`."""

    kind: str
    start: int
    end: int


def find(text: str) -> list[Secret]:
    """Every credential in a known format, in order, without overlaps; look-alikes are none."""
    raw = text.encode("utf-8", "replace")  # a lone surrogate becomes one "?": offsets hold
    if not _any_format().search(raw):
        return []
    spans = list(_private_keys(raw))
    for known in FORMATS:
        spans.extend(_matches(raw, known))
    return in_characters(raw, _merged(spans))


def mask(text: str) -> tuple[str, int]:
    """The text with `[secret: kind]` in place of each credential, and how many there were."""
    found = find(text)
    return replaced(text, found), len(found)


def mark(kind: str) -> str:
    return f"[secret: {kind}]"


def replaced(text: str, found: Iterable[Secret]) -> str:
    """With its mark in place of each, in the order of the text."""
    pieces, last = [], 0
    for secret in found:
        pieces += [text[last : secret.start], mark(secret.kind)]
        last = secret.end
    return "".join([*pieces, text[last:]])


@cache
def _any_format() -> "re2._Regexp":
    """All formats in one pattern: a page without a secret, as nearly all are, takes a thirtieth
    of the time of looking for each format by itself."""
    options = re2.Options()
    options.never_capture, options.max_mem = True, _ROOM
    sources = [_KEY_BEGIN, *(known.source for known in FORMATS)]
    return re2.compile("|".join(f"(?:{source})" for source in sources), options)


def _matches(raw: bytes, known: Format) -> Iterator[Secret]:
    group = 1 if known.pattern.groups else 0
    for match in known.pattern.finditer(raw):
        if known.is_real(match.group(group).decode()):
            yield Secret(known.kind, match.start(group), match.end(group))


def _private_keys(raw: bytes) -> Iterator[Secret]:
    """From each BEGIN to its END, or to where the base64 after it stops being plausible."""
    if b"PRIVATE KEY" not in raw:
        return
    marks = list(_KEY_MARK.finditer(raw))
    for mark, following in itertools.zip_longest(marks, marks[1:]):
        if mark.group(1) != b"BEGIN":
            continue
        limit = min(len(raw), mark.end() + MAX_KEY_BODY)
        if following is not None and following.start() <= limit:
            body, is_closed = raw[mark.end() : following.start()], following.group(1) == b"END"
        else:
            body, is_closed = raw[mark.end() : limit], False
        if not _is_key_body(body):
            continue
        end = following.end() if is_closed else mark.end() + _open_end(body)
        yield Secret(PRIVATE_KEY, mark.start(), end)


def _is_key_body(body: bytes) -> bool:
    words = [word for word in _KEY_BODY.findall(body) if len(word) >= 16]
    joined = b"".join(words)
    return len(joined) >= MIN_KEY_BODY and entropy(joined[:4096].decode()) >= MIN_KEY_BITS


def _open_end(body: bytes) -> int:
    """A key that was cut off ends with its last long run of base64."""
    end = 0
    for match in _KEY_BODY.finditer(body):
        if match.end() - match.start() >= 16:
            end = match.end()
    return end


def _merged(spans: Iterable[Secret]) -> list[Secret]:
    """In order; of two that overlap the earlier gives the kind, both give their reach."""
    merged: list[Secret] = []
    for span in sorted(spans, key=lambda found: (found.start, -found.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.kind, last.start, max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def in_characters(raw: bytes, spans: list[Secret]) -> list[Secret]:
    """Byte offsets as character offsets."""
    if raw.isascii():
        return spans
    found: list[Secret] = []
    position = characters = 0
    for span in spans:
        start = characters + len(raw[position : span.start].decode())
        characters = start + len(raw[span.start : span.end].decode())
        position = span.end
        found.append(Secret(span.kind, start, characters))
    return found


# How likely secrets, and the places where they stand, are called.

Text = str | Promise

_KINDS: dict[str, Text] = {
    "password": _("Password"),
    "api-key": _("API key"),
    "secret": _("Secret"),
    "token": _("Token"),
    "credential": _("Credential"),
}
_PLACES: dict[str, Text] = {
    "file": _("Current text of a file"),
    "revision": _("Earlier revision of a file"),
    "message": _("Message"),
    "proposal": _("Proposal"),
    "record": _("Report or run"),
}


def secret_kind(kind: str) -> Text:
    """A known format is called by its code, `github-token`."""
    return _KINDS.get(kind, kind)


def place(code: str) -> Text:
    return _PLACES.get(code, "")
