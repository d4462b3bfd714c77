"""Finds what is likely a password in a text: `password = …`, 密码：…, "the api key is …".

Unlike a format, an assignment is a guess: who types one can say that it is no secret (SPEC §12).
Labels are found in one linear pass; what stands behind each is judged in a window of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

from memoryweb.language.secrets.credentials import Secret, in_characters
from memoryweb.language.secrets.values import Claim, Value, is_secret, value_in

WINDOW = 512  # bytes behind a label that are looked at; a value that fills them is taken whole
_LABEL = (
    r"pass[ _-]?(?:word|wd|wort|phrase|code|key)|passwd|pwd|kennwort|contrase(?:ñ|n)a|senha"
    r"|mot de passe|\bpass|_pass|\bpw|_pw"
    r"|(?:api|access|auth|account|secret|private|encryption|signing|master|app|shared|license)"
    r"[ _.-]?key|secret|token|credentials?|\bcreds?"
)
_CJK = (
    "密码|密碼|口令|密钥|密鑰|秘钥|令牌|パスワード|暗証番号|合言葉|トークン|シークレット"
    "|비밀번호|암호|패스워드|토큰|비밀키"
)
_SUFFIX = r"(?:[ _-]?(?:[0-9]{1,3}|prod|production|dev|test|staging|live|new|old|admin|root|db))?"
_CLOSED = r"[\"'`\])*_”’]{0,4}"
_GAP = r"(?:[ \t]+\(?(?:for|of|to|on|at|in|für|de|pour)[ \t][^\n:=.;!?|<>]{1,60}?)?"
_SAYS = (
    r"(?:is|was|ist|war|lautet|es|est|remains|reads|will be)"
    r"(?:[ \t]+(?:now|still|currently|set to))?"
)
_ASSIGNS = (
    r"(?P<equals>[ \t]{0,8}(?:=>|:=|={1,3}|＝)[ \t]{0,8})"
    r"|(?P<colon>[ \t]{0,8}(?::|：|->|→)\*{0,2}[ \t]{0,8}(?:\r?\n[ \t]{0,8})?(?:[-*>|][ \t]{1,4})?)"
    r"|(?P<cell>[ \t]{0,40}\|[ \t]{0,40})"
    r"|(?P<says>[ \t]{1,8}" + _SAYS + r"(?:[ \t]*:)?[ \t]{1,8})"
)
_LOGIN = (  # "log in with admin / …": a name and what follows it
    r"\b(?:log(?:ged)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|credentials|creds|zugang|anmeldung)"
    r"[ \t]{0,4}(?:(?:with|as|using|use|is|are|mit|als|:|=)[ \t]{1,4}){0,2}"
    r"[\"'`]?[\w.@+-]{1,60}[\"'`]?[ \t]{0,4}"
)
_ASSIGNMENTS = re2.compile(  # of text, so that a class is of characters; it runs over bytes
    rf"(?i)(?P<label>{_LABEL}){_SUFFIX}{_CLOSED}{_GAP}{_CLOSED}(?:{_ASSIGNS})"
    rf"|(?P<cjk>{_CJK})(?:[^\s:：=＝是为為はがを는은이가\x21-\x7e]{{0,24}})"
    r"[ \t]{0,4}(?:是|为|為|は|が|는|은|이|가|:|：|=|＝)(?::|：)?[ \t]{0,4}"
    rf"|(?P<apart>{_CJK})[ \t]{{1,4}}"
    rf"|(?:\A|[^\w-])--?(?P<option>(?:[a-z0-9-]{{0,30}}-)?(?:{_LABEL}))[ \t]{{1,4}}"
    r"|\bauthorization[\"']?[ \t]{0,4}[:=][ \t\"']{0,4}(?P<scheme>bearer|basic|token)[ \t]+"
    r"|[ \t](?:-u|--user)[ =][\"']?[\w.@+-]{1,60}(?P<user>:)"
    rf"|{_LOGIN}(?P<login>[/:])[ \t]{{0,4}}"
    r"|<(?P<element>(?:[\w.:-]{0,30})(?:password|passwd|pwd|secret|token|api-?key))>"
)
_END = re.compile(
    r"[`*_)\]]{0,4}(?:[.,;!。、，；！|]|$|\s{0,8}\n|です|だ|입니다)(?!\w)", re.MULTILINE
)
_ROW_END = re.compile(r"[`*_]{0,4}[ \t]{0,40}\|[ \t]{0,8}(?:$|\r?\n(?![ \t]{0,3}\|?[ \t]{0,8}:?-))")
# The groups above that hold the label, and those that say how label and value are joined.
_LABELS = ("label", "cjk", "apart", "option", "scheme", "user", "login", "element")
_FORMS = ("equals", "colon", "cell", "says", *_LABELS[1:])


@dataclass(frozen=True)
class _Label:
    """A bare `pass` is not the whole word: there are boarding passes, and passes over mountains."""

    kind: str
    form: str
    end: int
    is_whole: bool


def find(text: str) -> list[Secret]:
    """Likely secrets in order, without overlaps; `kind` says what their label called them."""
    raw = text.encode("utf-8", "replace")
    return in_characters(raw, list(_found(raw)))


def _found(raw: bytes) -> Iterator[Secret]:
    """A value is taken once, so that a text full of labels is not read over and over."""
    taken = 0
    for label in _labels(raw):
        if label.end < taken:
            continue
        window = raw[label.end : label.end + WINDOW].decode("utf-8", "ignore")
        value = value_in(window, closes=label.form == "element")
        if value is None:
            continue
        claim = Claim(
            value.text,
            label.kind,
            label.form,
            is_quoted=value.is_quoted,
            ends=label.is_whole and _ends(label.form, window, value),
        )
        if not is_secret(claim):
            continue
        start = label.end + len(window[: value.start].encode())
        taken = start + len(value.text.encode())
        if taken >= label.end + WINDOW - 4:
            taken = _open_end(raw, taken)
        yield Secret(label.kind, start, taken)


def _labels(raw: bytes) -> Iterator[_Label]:
    for match in _ASSIGNMENTS.finditer(raw):
        named = {name: found for name, found in match.groupdict().items() if found is not None}
        said = next(named[name] for name in _LABELS if name in named).decode().lower()
        form = next(form for form in _FORMS if form in named)
        yield _Label(_kind(said), form, match.end(), said != "pass")


def _ends(form: str, window: str, value: Value) -> bool:
    """Of a cell: the row ends, and is not the head of its table."""
    end = _ROW_END if form == "cell" else _END
    return bool(end.match(window, value.start + len(value.text)))


def _kind(label: str) -> str:
    if "key" in label or label in {"密钥", "密鑰", "秘钥", "비밀키"}:
        return "password" if label.startswith("pass") else "api-key"
    if "token" in label or label in {"令牌", "トークン", "토큰", "bearer", "basic"}:
        return "token"
    if "secret" in label or label == "シークレット":
        return "secret"
    return "credential" if "cred" in label else "password"


def _open_end(raw: bytes, start: int) -> int:
    """Where a value ends that is longer than a window: with the first space."""
    match = re2.compile(rb"\s").search(raw, start)
    return match.start() if match else len(raw)
