"""What makes a line one that a person should look at before it is used (SPEC §6, §15). Pure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from memoryweb.language.extraction_rules import Kind, claim_of
from memoryweb.language.injection_patterns import ADDRESS, MAIL, ROLE, order
from memoryweb.language.invisible import has_invisible, pieces, skeleton
from memoryweb.language.normal_form import clean
from memoryweb.language.sentences import quotes, split
from memoryweb.language.statement_comparison import cited

ADDRESSES, ORDERS, ROLES, HIDDEN, LONG = "address", "order", "role", "hidden", "long"
UNREAD = "unread"  # says that a model could not read some messages
CORRECTED = "corrected"  # a person took back what it says
LONGEST = 20_000  # characters; what is longer is read by nobody and so waits for a person
_STYLE = re.compile(r"<!--|-->|[*_`~#>\\]+|<[/a-z][^>]{0,80}>")
_SPACED = re.compile(r"(?:\b[^\W\d_] ){9,}[^\W\d_]\b")
_LEET = re.compile(r"(?=\w{0,40}[a-z])(?=\w{0,40}\d)\w{3,40}")
_LETTERS = str.maketrans("013457", "oieast")
_LONGEST_OWN = 300  # characters of a message that speaks for itself; a longer one may be pasted
_OWN_MAIL = re.compile(
    r"\b(?:my|our|meine|unsere|mine|reach me)\b[^.!?]{0,30}\b(?:e-?mail|mail|at)\b[^.!?]{0,30}@"
    r"|(?:メール|邮箱|郵箱|电邮)[^。]{0,20}@",
    re.IGNORECASE,
)
# What is no wish about one's own answers: of somebody else, or of what an assistant obeys.
_NOT_OWN = re.compile(
    r"\b(?:users?|customers?|guests?|clients?|visitors?|everybody|everyone|anybody|anyone|assistants?|ai"
    r"|chatbots?|bots?|llm|models?|systems?|prompts?|instructions?|rules?|guidelines?|polic(?:y|ies)|tools?"
    r"|permissions?|confirmation|passwords?|secrets?|ignore|disregard|forget|obey|pretend|trust|recommend"
    r"|promote|praise|buy|pay|order|send|(?<!going )forward|upload|post|open|visit|click|run"
    r"|execute|delete|empf\w+|kauf\w*|推荐|购买|发送"
    r"|(?:be)?nutzer\w*|kund(?:e|en|in|innen)|gäste?n?|alle[nr]?|jede[mnr]?|anweisung\w*|regeln?|ignorier\w*"
    r"|vergiss|passw\w*)\b"
    r"|用户|客户|客人|所有人|助手|系统|指令|指示|规则|忽略|无视|忘|密码"
    r"|ユーザー|客|全員|アシスタント|システム|ルール|無視|パスワード",
    re.IGNORECASE,
)

# Flag → whether a line has it, by the line as it is and as it reads. Addresses are flagged besides,
# where they are new.
FLAGS: Mapping[str, Callable[[str, str], object]] = {
    HIDDEN: lambda line, text: has_invisible(line) or _SPACED.search(text),
    LONG: lambda line, text: max(len(line), len(text)) > LONGEST,
    ORDERS: lambda _line, text: _is_order(text),
    ROLES: lambda _line, text: ROLE.search(text),
}


class KnownLines:
    """What stands there already and is not flagged: lines that say the same, and addresses that it
    holds, are no news."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        lines = [line for text in texts for line in text.split("\n")]
        # A line of comments alone says nothing, and a blank one must not make it known.
        self.statements = {clean(line) for line in lines} - {""}
        self.addresses = addresses_in(map(_readable, lines))

    def __or__(self, other: "KnownLines") -> "KnownLines":
        both = KnownLines()
        both.statements = self.statements | other.statements
        both.addresses = self.addresses | other.addresses
        return both


def flags_of(line: str, known: KnownLines | None = None) -> set[str]:
    """Why a person should look at a machine's new line; empty for an ordinary memory."""
    if known and clean(line) in known.statements:
        return set()
    # One character may fold to eighteen, so the limit counts before and after. It also bounds what
    # the patterns take for a line of a megabyte.
    readable = _readable(line[: LONGEST + 1])
    text = readable[:LONGEST]
    found = {flag for flag, holds in FLAGS.items() if holds(line, readable[: LONGEST + 1])}
    if addresses_in([text]) - (known.addresses if known else set()):
        found.add(ADDRESSES)
    return found


def is_own_instruction(message: str, line: str) -> bool:
    """Whether a line says in the words of a short message how its writer wants to be answered."""
    if not _is_own(message, line):
        return False
    orders = [one for one in split(clean(line)) if ORDERS in flags_of(one)]
    return bool(orders) and not any(
        _NOT_OWN.search(_readable(one)) or claim_of(one).kind is not Kind.INSTRUCTION
        for one in orders
    )


def is_own_address(message: str, line: str) -> bool:
    """Whether a line says in the words of a short message which mail address its writer has."""
    is_mail = _is_own(message, line) and _OWN_MAIL.search(line)
    return bool(is_mail) and not ADDRESS.search(_readable(line))


def _is_own(message: str, line: str) -> bool:
    is_short = len(message) <= _LONGEST_OWN and not quotes(message)
    return is_short and cited(message, clean(line)) is not None


# Flags that a person's own words about themselves don't bring.
OWN_WORDS = {ORDERS: is_own_instruction, ADDRESSES: is_own_address}


def is_order_across(line: str, following: str) -> bool:
    """Whether the two lines are one order to the assistant, which neither is by itself."""
    one, other = (_readable(said[:LONGEST])[:LONGEST] for said in (line, following))
    if not one or not other or one[-1] in ".!?。！？":
        return False
    both = f"{_unstyled(one)} {_unstyled(other)}"
    return _is_order(both) and not _is_order(one) and not _is_order(other)


def orders_across(lines: Sequence[str], new: Iterable[int]) -> set[int]:
    """Numbers, from 1, of the new lines that are one order with the line before or after."""
    brought = set(new)
    found: set[int] = set()
    for number in sorted(brought | {n - 1 for n in brought if n > 1}):
        if number < len(lines) and is_order_across(lines[number - 1], lines[number]):
            found |= brought & {number, number + 1}
    return found


def suspicious(lines: Sequence[str]) -> set[str]:
    """Those that would be flagged if they were new, by themselves or with the next one."""
    pairs = (pair for pair in pairwise(lines) if is_order_across(*pair))
    return {line for line in lines if flags_of(line)}.union(*pairs)


def addresses_in(texts: Iterable[str]) -> set[str]:
    """Web addresses, and the hosts of e-mail addresses, of readable texts."""
    found: set[str] = set()
    for text in texts:
        found.update(url.rstrip("/.,;:!?*_、。，") for url in ADDRESS.findall(text))
        found.update(host.rstrip(".") for host in MAIL.findall(text))
    return found


def telling_words(line: str) -> set[str]:
    """What another text must hold to make the line known: only beginnings, as SQLite compares with
    no pattern of more than 50,000 bytes."""
    return {word[:200] for word in (*addresses_in([_readable(line)]), clean(line))} - {""}


def _readable(text: str) -> str:
    """Folded, without what is not seen and what only looks like a letter."""
    seen = "".join(piece.text for piece in pieces(text) if not piece.is_invisible)
    folded = skeleton(seen)
    return " ".join(folded.replace("’", "'").split())


def _is_order(text: str) -> bool:
    plain = _LEET.sub(lambda match: match[0].translate(_LETTERS), text)
    return any(_has_order(_unstyled(said)) for said in {text, plain})


@lru_cache(maxsize=4_096)
def _has_order(bare: str) -> bool:
    return bool(order().search(bare))


def _unstyled(text: str) -> str:
    """Without bullet, time, comment marks and emphasis, which a clause may begin behind; in each
    cell of a table one begins."""
    bare = _STYLE.sub(" ", text.replace("|", " ; "))
    return clean(" ".join(bare.split()))
