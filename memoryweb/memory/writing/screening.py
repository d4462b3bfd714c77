"""What every text passes before it is kept or put into a prompt (SPEC §12).

A credential in a known format is refused, or masked where nobody could be asked. What is likely a
password is replaced by `[held: password]` until a person decides; it is never stored, only where
it stood, how long it was, and a keyed fingerprint that tells whether it is seen again.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, Protocol
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.audit import keys
from memoryweb.audit.record import target
from memoryweb.language.secrets import assignments as secret_assignments
from memoryweb.language.secrets import credentials, in_names
from memoryweb.language.secrets.credentials import Secret
from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models import Conversation, File, HeldSecret, Message
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import AssignmentsFound, ContentRefused, SecretRefused
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Writer

_KNOWN = (HeldSecret.State.WAITING, HeldSecret.State.REFUSED, HeldSecret.State.EXPIRED)

# What follows the name of a secret in its sentence, and what of it may be one.
_NAMED = re.compile(
    r"(?i)(?:pass[ -]?(?:word|code|phrase|wort)|kennwort|\bpins?\b|\bcodes?\b|\bkey\b|secret|token"
    r"|login|密码|密碼|口令|密钥|パスワード|暗証番号|合言葉)[^\n]*"
)
# A password that is named, and what says whose or where it is, but not what it is.
_PASSWORD = re.compile(
    r"(?i)(?:(?:pass[ -]?(?:word|code|phrase|wort)|kennwort)\w*|\bpins?\b)"
    r"(?:\s+(?:for|of|to|from|on|at|in|für|von|zu|bei|aus)"
    r"\s+(?:(?:the|my|our|your|de[mnr]|die|das|[md]ein\w*|unser\w*)\s+)?[\w.@-]+"
    r"(?:\s+(?:account|app|site|page|memory|konto|card)\b)?)*"
    r"(?:[\s,]*\b(?:please|pls|again|forever|now|too|thanks|thank you|bitte|wieder|jetzt|danke)\b)*"
    r"(?:[\s,:(=–—-]*(?:\b(?:which|it|that|the|is|are|was|ist|das|lautet|heißt)\b\s*)*)"
    r"(?P<said>(?!and (?:my|our)\b|und (?:mein|unser))[^\s.!?…,)\]].*?)?"
    r"(?=[\s.!?…]*(?:$|[.!?…]\s|,? (?:and (?:my|our)|und (?:mein|unser))))",
    re.MULTILINE,
)
_PASSWORD_CJK = re.compile(
    r"(?:密码|密碼|口令|パスワード|暗証番号|合言葉)[\s是为為叫:：「『“はが]*"
    r"(?P<said>(?!を|吧|了|好吗|请|和|与|と)[^\s。！？!?，、」』”]+?)"
    r"(?=[」』”]|です|だ[。\s]|を?忘|吧?[。！？!?，、\s]|$)"
)
_WITH_DIGIT = re.compile(r"[^\s,;:。、「」]*\d[^\s,;:。、「」]*")


class Said(Protocol):
    @property
    def text(self) -> str: ...


class Likely(Enum):
    """What to do with a likely password: hold it, ask the person who writes, or believe them."""

    HOLD = "hold"
    ASK = "ask"
    RELEASE = "release"


@dataclass(frozen=True)
class Held:
    """`line` is 1-based in the text that was screened; `length` counts characters."""

    kind: str
    line: int
    length: int
    fingerprint: str


@dataclass(frozen=True)
class Screened:
    """`masked` counts the credentials; `released` are what a person says is no secret."""

    text: str
    held: tuple[Held, ...] = ()
    masked: int = 0
    released: tuple[Held, ...] = ()


def screen(
    team_id: UUID,
    text: str,
    *,
    owner_id: UUID | None,
    known: str = "",
    likely: Likely = Likely.HOLD,
) -> Screened:
    """For who can be told: raises SecretRefused, and AssignmentsFound if a person is to be asked.

    What stands in `known`, the text before, is let through: an old secret must not block every
    edit. `owner_id` is whose memory the text is for, None for shared memory.
    """
    for secret in credentials.find(text):
        if text[secret.start : secret.end] not in known:
            raise SecretRefused(secret.kind, _line_of(text, secret))
    screened = hold(team_id, text, owner_id=owner_id, known=known)
    if likely is Likely.HOLD or not screened.held:
        return screened
    if likely is Likely.ASK:
        raise AssignmentsFound([(held.kind, held.line) for held in screened.held])
    return Screened(text, released=screened.held)


def mask(team_id: UUID, text: str, *, owner_id: UUID | None) -> Screened:
    """For messages and what machines write: both classes are taken out, and nothing is refused."""
    text, masked = credentials.mask(text)
    return replace(hold(team_id, text, owner_id=owner_id), masked=masked)


def hold(team_id: UUID, text: str, *, owner_id: UUID | None, known: str = "") -> Screened:
    """The likely passwords alone are taken out, but for those of `known`."""
    return hold_each(team_id, [(text, known)], owner_id=owner_id)[0]


def hold_each(
    team_id: UUID, texts: Sequence[tuple[str, str]], *, owner_id: UUID | None
) -> list[Screened]:
    """The same of many texts, each with the one before it, in one query at most."""
    found = _undecided(team_id, owner_id, texts)
    return [
        Screened(
            credentials.replaced(text, [secret for secret, _held in ones], "held"),
            tuple(held for _secret, held in ones),
        )
        for (text, _known), ones in zip(texts, found, strict=True)
    ]


@dataclass(frozen=True)
class Sight:
    """A secret of either class: its kind and its line."""

    kind: str
    line: int


@dataclass(frozen=True)
class Masked(Screened):
    """`spans` say where each secret stood in `before`, and what stands there now."""

    before: str = ""
    spans: tuple[tuple[int, int, str], ...] = ()
    sights: tuple[Sight, ...] = ()

    def cut(self, start: int, end: int) -> tuple[str, list[Sight]]:
        """The part of the text that was `before[start:end]`. What reaches over its begin is left
        out but for its line ends; its sights have the line within the part."""
        pieces, sights, last = [], [], start
        for first, stop, mark in self.spans:
            if stop <= start or first >= end:
                continue
            pieces.append(self.before[last:first])
            inside = self.before[max(first, start) : min(stop, end)].count("\n")
            if first >= start:
                kind = mark.partition(": ")[2].rstrip("]\n")
                sights.append(Sight(kind, self.before.count("\n", start, first) + 1))
                pieces.append(mark.rstrip("\n"))
            pieces.append("\n" * inside)
            last = min(stop, end)
        return "".join([*pieces, self.before[last:end]]), sights


def mask_in_place(team_id: UUID, text: str, *, owner_id: UUID | None) -> Masked:
    """Both classes, with as many lines as before: for what is kept already."""
    sure = [(one.start, one.end, f"[secret: {one.kind}]") for one in credentials.find(text)]
    (undecided,) = _undecided(team_id, owner_id, [(text, "")])
    likely = [(one.start, one.end, marker(one.kind)) for one, _held in undecided]
    spans = tuple(
        (start, end, mark + "\n" * text.count("\n", start, end))
        for start, end, mark in sorted([*sure, *likely])
    )
    held = tuple(one for _secret, one in undecided)
    masked = Masked(text, held, len(sure), before=text, spans=spans)
    if not spans:
        return masked
    whole, sights = masked.cut(0, len(text))
    return replace(masked, text=whole, sights=tuple(sights))


def without_new(text: str, *, known: str) -> str:
    """Credentials masked, but for those that stand in `known` already."""
    if all(text[one.start : one.end] in known for one in credentials.find(text)):
        return text
    return credentials.mask(text)[0]


def path(text: str) -> paths.WorkspacePath:
    """Raises PathRefused."""
    parsed = paths.parse(text)
    if in_names.holds_secret(text):
        raise PathRefused(_("The name holds what looks like a secret; choose another."))
    return parsed


def check_words(*texts: str) -> None:
    """Names, descriptions and reasons, which many people see. Raises ContentRefused."""
    if any(mask_all(text) != text for text in texts):
        raise ContentRefused(_("This holds what looks like a secret; say it without."))


def mask_all(text: str) -> str:
    """Both classes, whatever was decided: two texts with one secret between them become equal."""
    text = credentials.mask(text)[0]
    return credentials.replaced(text, _likely(text), "held")


def mask_wish(text: str) -> str:
    """The same of what somebody asks to forget: also "my PIN 4711", which no sentence assigns, and
    words of which no other is known to be none."""
    for pattern in (_PASSWORD, _PASSWORD_CJK):
        text = pattern.sub(_without_said, text)
    return _NAMED.sub(lambda found: _WITH_DIGIT.sub(marker("password"), found[0]), mask_all(text))


def _without_said(found: re.Match[str]) -> str:
    if not found["said"]:
        return found[0]
    return found[0][: found.start("said") - found.start()] + marker("password")


def for_prompt(text: str, team_id: UUID, *, owner_id: UUID | None) -> str:
    """A stored text on its way into a prompt: what newer patterns find stays out of it."""
    return mask(team_id, text, owner_id=owner_id).text


def data_for_prompt(data: Any, team_id: UUID, *, owner_id: UUID | None) -> Any:
    """The same for every string of a JSON value."""
    return with_each_text(data, lambda text: for_prompt(text, team_id, owner_id=owner_id))


def each_line(
    team_id: UUID, said: Iterable[Said], first: int, owner_id: UUID | None, writer: Writer
) -> Screened:
    """Lines to append, from that number on, each for itself: a machine's credential is masked, a
    person's refused."""
    look = mask if writer.is_machine else screen
    lines = [look(team_id, _one_line(one.text), owner_id=owner_id) for one in said]
    held = tuple(
        replace(one, line=number) for number, line in enumerate(lines, first) for one in line.held
    )
    return Screened("".join(f"{line.text}\n" for line in lines), held)


def _one_line(text: str) -> str:
    """Its indentation says what it belongs to; all other blanks say nothing."""
    indent = re.match(r"[ \t]*", text)
    return f"{indent[0] if indent else ''}{' '.join(text.split())}".rstrip()


def with_each_text(data: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every string in it changed so, keys too."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {change(key): with_each_text(value, change) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [with_each_text(value, change) for value in data]
    return data


def fingerprint(team_id: UUID, value: str) -> str:
    """Keyed, and of one team: no two teams learn that they have one password."""
    normal = unicodedata.normalize("NFC", value.strip())
    return keys.print_of(f"memoryweb.held/{team_id}", normal)


def marker(kind: str) -> str:
    return f"[held: {kind}]"


def keep_for_file(tx: Transaction, file: File, screened: Screened, writer: Writer) -> None:
    """Note what was held back from a file, or what its writer says is none, once it is written."""
    place = {"agent_id": file.agent_id, "owner_id": file.owner_id, "revision": file.revision}

    def row(held: Held, **more: Any) -> HeldSecret:
        return _row(tx, held, file=file, author_kind=writer.kind, **place, **more)

    decided = {"decided_by": writer.user, "decided_at": tx.now}
    _keep(
        tx,
        [row(held) for held in _new(file.team_id, screened.held, file=file)]
        + [row(one, state=HeldSecret.State.RELEASED, **decided) for one in screened.released],
    )


def keep_for_message(
    tx: Transaction, conversation: Conversation, message: Message, held: Sequence[Held]
) -> None:
    """What was held back from a message; the system's own conversations are the team's."""
    if not held:
        return  # as of nearly every message: not even an empty query is worth building
    is_shared = conversation.owner.is_system
    place = {
        "agent_id": conversation.agent_id,
        "owner": None if is_shared else conversation.owner,
        "message": message,
        "author_kind": AuthorKind.SYSTEM,
    }
    new = _new(conversation.team_id, held, message=message)
    _keep(tx, [_row(tx, one, **place) for one in new])


def _row(tx: Transaction, held: Held, **more: Any) -> HeldSecret:
    return HeldSecret(team_id=tx.team.pk, created_at=tx.now, **asdict(held), **more)


def _keep(tx: Transaction, rows: Sequence[HeldSecret]) -> None:
    HeldSecret.objects.bulk_create(rows)
    follow(Kind.SECRET, [row.pk for row in rows])
    for row in rows:
        tx.record(
            "secret.released" if row.state == HeldSecret.State.RELEASED else "secret.held",
            **target(row),
            on_behalf_of=row.owner_id,
            reason_code=row.kind,
        )


def _undecided(
    team_id: UUID, owner_id: UUID | None, texts: Sequence[tuple[str, str]]
) -> list[list[tuple[Secret, Held]]]:
    """Of each text what is likely a password, was not in the text before, and not released."""
    found = [
        [(one, _held(team_id, text, one)) for one in _new_in(text, known)] for text, known in texts
    ]
    prints = {held.fingerprint for ones in found for _secret, held in ones}
    released = _released(team_id, owner_id, prints)
    return [[one for one in ones if one[1].fingerprint not in released] for ones in found]


def _new_in(text: str, known: str) -> list[Secret]:
    likely = _likely(text)
    before = {known[one.start : one.end] for one in _likely(known)} if likely and known else set()
    return [one for one in likely if text[one.start : one.end] not in before]


def _held(team_id: UUID, text: str, one: Secret) -> Held:
    known_as = fingerprint(team_id, text[one.start : one.end])
    return Held(one.kind, _line_of(text, one), one.end - one.start, known_as)


def _likely(text: str) -> list[Secret]:
    """Without what overlaps a credential: that one is refused or masked for itself."""
    found = secret_assignments.find(text)
    if not found:
        return []
    sure = credentials.find(text)
    return [one for one in found if not any(s.start < one.end and one.start < s.end for s in sure)]


def _released(team_id: UUID, owner_id: UUID | None, prints: Collection[str]) -> set[str]:
    """By who decides on shared memory, or by that owner: what passes for one person must tell
    nobody else what stands in their memory."""
    if not prints:
        return set()
    reach = Q(owner=None) | Q(owner=owner_id) if owner_id else Q(owner=None)
    rows = HeldSecret.objects.filter(
        reach, team_id=team_id, state=HeldSecret.State.RELEASED, fingerprint__in=prints
    )
    return set(rows.values_list("fingerprint", flat=True))


def _new(team_id: UUID, held: Iterable[Held], **place: Any) -> list[Held]:
    """One entry a secret and place; what a person called a secret there is not asked again."""
    by_print = {one.fingerprint: one for one in held}
    if not by_print:
        return []
    known = HeldSecret.objects.filter(
        team_id=team_id, fingerprint__in=by_print, state__in=_KNOWN, **place
    )
    seen = set(known.values_list("fingerprint", flat=True))
    return [one for known_as, one in by_print.items() if known_as not in seen]


def _line_of(text: str, secret: Secret) -> int:
    return text.count("\n", 0, secret.start) + 1
