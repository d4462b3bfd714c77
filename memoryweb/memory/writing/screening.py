"""What every text passes before it is kept or put into a prompt (SPEC §12).

A credential in a known format is refused, or masked where nobody could be asked. What is likely a
password is masked in what machines write; a person who types one is asked whether it is one. It is
never stored, only where it stood, how long it was, and a keyed fingerprint of what is none.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.audit import keys
from memoryweb.audit.record import target
from memoryweb.language.forget_requests import forgets
from memoryweb.language.secrets import assignments as secret_assignments
from memoryweb.language.secrets import credentials, in_names
from memoryweb.language.secrets.credentials import Secret
from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models import File, NoSecret
from memoryweb.memory.models.refusals import AssignmentsFound, ContentRefused, SecretRefused
from memoryweb.memory.models.writer import Transaction, Writer

MAX_SIGHTS = 50  # of one event

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
_LIKE_ONE = re.compile(r".*[\d_@#$%^&*+=].*")
# Behind "password" one word alone is one, too; behind "PIN" it is not ("my PIN collection").
_WORD = re.compile(
    r"(?i)(?!(?:manager|reset|hint|policy|generator|vault|change|changed|\w+ly)s?$)[^\W\d]+"
)
_WITH_DIGIT = re.compile(r"[^\s,;:。、「」]*\d[^\s,;:。、「」]*")
_PASSWORD_MARK = credentials.mark("password")


class HasText(Protocol):
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Sight:
    """Where a secret stood, of either class: `line` is 1-based in the text that was screened;
    `length` counts characters."""

    kind: str
    line: int
    length: int = 0
    fingerprint: str = ""


@dataclass(frozen=True)
class ScreenResult:
    """`masked` stand in `text` as their marks; `passed` are what a person says is no secret."""

    text: str
    masked: tuple[Sight, ...] = ()
    passed: tuple[Sight, ...] = ()


def screen(
    team_id: UUID,
    text: str,
    *,
    owner_id: UUID | None,
    known: str = "",
    typed_by: Writer | None = None,
) -> ScreenResult:
    """For who can be told: raises SecretRefused, and AssignmentsFound for what a person types.

    What stands in `known`, the text before, is let through: an old secret must not block every
    edit. `owner_id` is whose memory the text is for, None for shared memory.
    """
    for secret in credentials.find(text):
        if text[secret.start : secret.end] not in known:
            raise SecretRefused(secret.kind, _line_of(text, secret))
    [screened] = mask_likely(team_id, [(text, known)], owner_id=owner_id)
    if typed_by is None or not typed_by.is_own_hand or not screened.masked:
        return screened
    if not typed_by.no_secrets:
        raise AssignmentsFound([(one.kind, one.line) for one in screened.masked])
    return ScreenResult(text, passed=screened.masked)


def mask(team_id: UUID, text: str, *, owner_id: UUID | None) -> ScreenResult:
    """For messages and what machines write: both classes are taken out, and nothing is refused."""
    return _masked(text, [*_sure(text), *_undecided(team_id, owner_id, [(text, "")])[0]])


def mask_likely(
    team_id: UUID, texts: Sequence[tuple[str, str]], *, owner_id: UUID | None
) -> list[ScreenResult]:
    """The likely passwords alone are taken out of each text, but for those of the one before it;
    one query at most."""
    found = _undecided(team_id, owner_id, texts)
    return [_masked(text, ones) for (text, _known), ones in zip(texts, found, strict=True)]


def _masked(text: str, found: Iterable[tuple[Secret, Sight]]) -> ScreenResult:
    ones = sorted(found, key=lambda one: one[0].start)
    masked = credentials.replaced(text, [secret for secret, _sight in ones])
    return ScreenResult(masked, tuple(sight for _secret, sight in ones))


@dataclass(frozen=True)
class MaskResult(ScreenResult):
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


def mask_in_place(team_id: UUID, text: str, *, owner_id: UUID | None) -> MaskResult:
    """Both classes, with as many lines as before: for what is kept already."""
    [likely] = _undecided(team_id, owner_id, [(text, "")])
    found = [*credentials.find(text), *(secret for secret, _sight in likely)]
    spans = tuple(
        (start, end, credentials.mark(kind) + "\n" * text.count("\n", start, end))
        for start, end, kind in sorted((one.start, one.end, one.kind) for one in found)
    )
    masked = MaskResult(text, before=text, spans=spans)
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
    """Both classes, whatever a person said of them: two texts with one secret between them become
    equal, also where an earlier version masked one."""
    found = sorted([*credentials.find(text), *_likely(text)], key=lambda one: one.start)
    return credentials.replaced(text, found).replace("[held: ", "[secret: ")


def mask_wish(text: str) -> str:
    """The same of what somebody asks to forget: also "my PIN 4711", which no sentence assigns, and
    words of which no other is known to be none."""
    for pattern in (_PASSWORD, _PASSWORD_CJK):
        text = pattern.sub(_without_said, text)
    return _NAMED.sub(lambda found: _WITH_DIGIT.sub(_PASSWORD_MARK, found[0]), mask_all(text))


def _without_said(found: re.Match[str]) -> str:
    if not found["said"]:
        return found[0]
    return found[0][: found.start("said") - found.start()] + _PASSWORD_MARK


def mask_asking(text: str) -> tuple[str, tuple[Sight, ...]]:
    """A message that was masked, without the passwords that its sentences ask to forget: "my
    password hunter2" assigns nothing. Other words behind the name say which password is meant."""
    sights = []

    def without(found: re.Match[str]) -> str:
        said = found["said"] or ""
        is_word = found[0][:1].lower() in "pk" and not found[0].lower().startswith("pin")
        is_one = _LIKE_ONE.fullmatch(said) or (is_word and _WORD.fullmatch(said))
        if said.startswith("[secret:") or not is_one:
            return found[0]
        line = found.string.count("\n", 0, found.start("said")) + 1
        sights.append(Sight("password", at + line, len(said)))
        return _without_said(found)

    for one in reversed([*forgets(text)]):
        at, asked = text.count("\n", 0, one.first), text[one.first : one.last]
        for pattern in (_PASSWORD, _PASSWORD_CJK):
            asked = pattern.sub(without, asked)
        text = text[: one.first] + asked + text[one.last :]
    return text, tuple(sorted(sights, key=lambda sight: sight.line))


def for_prompt(text: str, team_id: UUID, *, owner_id: UUID | None) -> str:
    """A stored text on its way into a prompt: what newer patterns find stays out of it."""
    return mask(team_id, text, owner_id=owner_id).text


def data_for_prompt(data: Any, team_id: UUID, *, owner_id: UUID | None) -> Any:
    """The same for every string of a JSON value."""
    return with_each_text(data, lambda text: for_prompt(text, team_id, owner_id=owner_id))


def each_line(
    team_id: UUID, said: Iterable[HasText], first: int, owner_id: UUID | None, writer: Writer
) -> ScreenResult:
    """Lines to append, from that number on, each for itself: a machine's secrets are masked, a
    person's refused."""

    def look(text: str) -> ScreenResult:
        if writer.is_machine:
            return mask(team_id, text, owner_id=owner_id)
        return screen(team_id, text, owner_id=owner_id, typed_by=writer)

    lines = [look(_one_line(one.text)) for one in said]

    def placed(name: str) -> tuple[Sight, ...]:
        numbered = enumerate(lines, first)
        return tuple(replace(one, line=n) for n, line in numbered for one in getattr(line, name))

    text = "".join(f"{line.text}\n" for line in lines)
    return ScreenResult(text, placed("masked"), placed("passed"))


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


def note(tx: Transaction, file: File, screened: ScreenResult, writer: Writer) -> None:
    """What was masked in a file, or what its writer says is no secret, once it is written."""
    about = target(file) | {"target_revision": file.revision, "on_behalf_of": file.owner_id}
    if screened.passed:
        by_print = {one.fingerprint: one for one in screened.passed}
        whose = {"team_id": file.team_id, "owner_id": file.owner_id, "said_by": writer.user}
        NoSecret.objects.bulk_create(
            NoSecret(fingerprint=known_as, said_at=tx.now, **whose) for known_as in by_print
        )
    for action, found in (("masked", screened.masked), ("released", screened.passed)):
        if found:
            tx.record(f"secret.{action}", **about, details={"secrets": told(found)})


def told(found: Iterable[Sight]) -> list[dict[str, Any]]:
    """As events hold it."""
    some = list(found)[:MAX_SIGHTS]
    return [{**asdict(one), "fingerprint": one.fingerprint[:16]} for one in some]


def _sure(text: str) -> list[tuple[Secret, Sight]]:
    found = []
    for one in credentials.find(text):
        known_as = keys.first_print_of("memoryweb.secrets", text[one.start : one.end])
        found.append((one, _sight(text, one, known_as)))
    return found


def _undecided(
    team_id: UUID, owner_id: UUID | None, texts: Sequence[tuple[str, str]]
) -> list[list[tuple[Secret, Sight]]]:
    """Of each text what is likely a password, was not in the text before, and not released."""
    found = [
        [
            (one, _sight(text, one, fingerprint(team_id, text[one.start : one.end])))
            for one in _new_in(text, known)
        ]
        for text, known in texts
    ]
    prints = {sight.fingerprint for ones in found for _secret, sight in ones}
    passing = _passing(team_id, owner_id, prints)
    return [[one for one in ones if one[1].fingerprint not in passing] for ones in found]


def _new_in(text: str, known: str) -> list[Secret]:
    likely = _likely(text)
    before = {known[one.start : one.end] for one in _likely(known)} if likely and known else set()
    return [one for one in likely if text[one.start : one.end] not in before]


def _sight(text: str, one: Secret, known_as: str) -> Sight:
    return Sight(one.kind, _line_of(text, one), one.end - one.start, known_as)


def _likely(text: str) -> list[Secret]:
    """Without what overlaps a credential: that one is refused or masked for itself."""
    found = secret_assignments.find(text)
    if not found:
        return []
    sure = credentials.find(text)
    return [one for one in found if not any(s.start < one.end and one.start < s.end for s in sure)]


def _passing(team_id: UUID, owner_id: UUID | None, prints: Collection[str]) -> set[str]:
    """What is no secret by who writes shared memory, or by that owner: what passes for one person
    must tell nobody else what stands in their memory."""
    if not prints:
        return set()
    reach = Q(owner=None) | Q(owner=owner_id) if owner_id else Q(owner=None)
    rows = NoSecret.objects.filter(reach, team_id=team_id, fingerprint__in=prints)
    return set(rows.values_list("fingerprint", flat=True))


def _line_of(text: str, secret: Secret) -> int:
    return text.count("\n", 0, secret.start) + 1
