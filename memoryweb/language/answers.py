"""What a person answers to being asked whether something still holds. Pure."""

import re

from memoryweb.language.extraction_rules.model import language
from memoryweb.language.extraction_rules.reading import languages_of
from memoryweb.language.forget_requests.detection import LONGEST
from memoryweb.language.normal_form import read
from memoryweb.language.sentences import quotes, split

_YES = re.compile(
    r"(?:yes|yep|yeah|yup|ja|jo|doch|stimmt|correct|right|はい|ええ|うん|そうです|是的?|对的?|還是|还是)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"(?:no|nope|nah|nein|nee|nö|いいえ|いや|ううん|不是?了?|没有)\b", re.IGNORECASE)
_STILL = re.compile(
    r"\b(?:still|(?:immer )?noch(?! nicht)|nach wie vor|weiterhin|both|beides?)\b"
    r"|まだ|今でも|今も|ずっと|变わ|変わ(?:ら|って(?:い)?ない)|还[在是有住用]|仍",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"\b(?:no longer|used to|stopped|not (?:now|true)|(?:not|\w+n['’]?t)\b.{0,60}\bany ?more"
    r"|nicht mehr|kein\w* .{0,60}mehr)\b"
    r"|不再|已经不|もう.{0,30}(?:ない|ません|やめ)|やめ(?:た|ました)",
    re.IGNORECASE,
)


def answer(message: str, turn: str, older: str, newer: str = "") -> bool | None:
    """Whether the older statement still holds by this message; None: it doesn't say. `turn` is
    what the assistant said right before it."""
    if len(message) > LONGEST or quotes(message):
        return None
    is_asked = _asks_about(turn, older, newer)
    for said in split(message)[:2]:
        if said.rstrip().endswith(("?", "？")):
            continue
        if not (is_asked or read(said).heavy & read(older).heavy):
            continue
        if _NO_MORE.search(said):
            return False
        if _STILL.search(said):
            return True
        if is_asked and _STILL.search(turn):
            if _YES.match(said.strip()):
                return True
            if _NO.match(said.strip()):
                return False
    return None


def _asks_about(turn: str, older: str, newer: str) -> bool:
    """It asks, in words of the question."""
    if "?" not in turn and "？" not in turn and not turn.rstrip().endswith("か。"):
        return False
    words = read(older).heavy | read(newer).heavy
    return bool(read(turn).heavy & words)


def language_of(text: str) -> str:
    """The code of the one in which a person is asked about it."""
    codes = {language("german"): "de", language("japanese"): "ja", language("chinese"): "zh-hans"}
    spoken = languages_of(text)
    return codes.get(spoken[0], "en") if len(spoken) == 1 else "en"
