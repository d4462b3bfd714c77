"""Speech: what of a message its writer says to somebody, sentence by sentence."""

import re
import unicodedata
from collections.abc import Iterator

MAX_MESSAGE = 8_000  # a window carries at most 2 000 characters a message; pastes are not speech
_FENCED = re.compile(r"(?ms)^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)")
_SHARED = re.compile(
    r"\[(?:shares?|shared|sends?|sent|attach\w*|image|photo|picture|video|gif|sticker|图片"
    r"|分享|画像|写真)"
    r"\b[^\[\]]*(?:\]|$)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")
_PICTURES = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\ufe0e\ufe0f\u200d\u20e3"
    "\U000e0020-\U000e007f]+"
)
_LOG = re.compile(
    r"^\s*(?:>|[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[\[(]?\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN(?:ING)?"
    r"|ERROR|FATAL|TRACE)\b|Traceback \(|File \"|at [\w.$]+\(|[$#] \w|\+\+\+ |--- |@@ |diff --git"
    r"|\{|\}|\||import |from \w+ import |def \w+\(|class \w+[(:])"
)
_QUOTE = re.compile(
    r"\"([^\"\n]+)\"|“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』"
)
_QUOTING = re.compile(r"^\s*>|```|[\"“”„«»「」『』]", re.MULTILINE)
_VOICE = re.compile(
    r"\b(?:I|I['’]\w+|[Mm]e|[Mm]y|[Ww]e|[Ii]ch|[Mm]ich|[Mm]ir|[Mm]ein\w*|[Ww]ir)\b|[我私僕俺]"
)
_TITLE = 24  # characters: a longer quote is somebody's sentence
_SENTENCES = re.compile(r"[.!?]\s|[。！？].")
# "Yep, ", "Oh, btw, " or "Hey Maria, ": what only answers or calls somebody.
_OPENER = re.compile(
    r"^(?:(?:(?:hey|hi|hello|yeah|yes|yep|thanks|hallo)"
    r"(?-i: [A-ZÀ-Þ][a-zß-ÿ]+(?=,)|,? [A-ZÀ-Þ][a-zß-ÿ]+(?=!))"
    r"|yep|yup|yeah|yes|well|oh|ah|aw+|cool|wow|hey|hi|hello|ok|okay|so|look|guess what|btw"
    r"|by the way|besides that|anyway|thanks|haha|ja|naja|ach|also|übrigens|stimmt|genau|danke)"
    r"\s*[,!:–—-]+\s+|(?:うん|はい|ええ)[、！])+",
    re.IGNORECASE,
)
# From here on a message holds what is to be worked on, or a letter.
_PASTE = re.compile(
    r"(?:^|\n)(?:(?:dear|hi|hello|hey|sehr geehrte\w*|liebe\w?|hallo|guten tag)"
    r" [^\n,!]{1,40}[,!]\s*\n"
    r"|subject: |betreff: |from: |尊敬的|亲爱的|拝啓|件名[:：])"
    r"|\b(?:draft|email|e-mail|text|letter|message|paragraph|essay|cv|bio|code|entwurf|absatz)\b"
    r"[^\n.!?]{0,40}:\s*\n"
    r"|\b(?:(?:rewrite|proof-?read|translate|summari[sz]e|edit|improve|polish|correct)\b|korrigier\w*"
    r"|übersetz\w*|umformulier\w*)[^\n]{0,60}:\s"
    r"|(?:润色|翻译|改一下|校对|添削|翻訳|要約)[^\n]{0,30}[:：]",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?…]+[\"')”]*(?=\s|$)|[。！？!?]+[」』”）)]*|[(（][笑汗泣][)）]|\n+")
_NO_END = re.compile(
    r"\b(?:dr|mr|mrs|ms|mx|st|\w*str|bzw|ca|z|z\. ?b|d\. ?h|u\. ?a|vs|e\.g|i\.e|prof|approx|usw|etc"
    r"|ev|inkl|tel)\.$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b(?:no|nr)\.$", re.IGNORECASE)
_INITIAL = re.compile(r"\b[A-Z]\.$")
# What no name is: "vitamin D. We ..." are two sentences, "D. Okafor" is one man.
_BEGINS = re.compile(
    r"\s+(?:I|We|My|Our|The|This|That|It|He|She|They|And|But|So|No|Ich|Wir|Mein\w*|Der|Die|Das|Es"
    r"|Er|Sie|Und|Aber)\b"
)
_OF_ORDINALS = re.compile(
    r"(?:^|\b(?:am|im|der|die|das|den|dem|des|zum|zur|vom|beim|bis|ab|seit|und|oder|ein\w*|mein\w*"
    r"|unser\w*|sein\w*|ihr\w*|jede\w*|nächste\w*|kw|nr)|[-–/.,])\s*\d{1,2}\.$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s?(?:[a-zäöü\d]|(?:Jan|Jän|Feb|Mär|Apr|Ma[iy]|Ju[nl]|Aug|Sep|O[ck]t|Nov|De[cz])\w*)"
)
_NEAR = 24  # characters before a full stop that tell what it is
_MARK = re.compile(r"^(?:[\s>#*+\-•·–—=|~`_]|\d{1,3}[.)](?=\s))+")


def speech(content: str) -> str:
    """No code, shared pictures, comments, tags, logs, quotes, pasted drafts or control marks."""
    text = content[:MAX_MESSAGE].replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("’", "'").replace("‘", "'")
    text = _COMMENT.sub(" ", _FENCED.sub("\n", text))
    text = _LINK.sub(r"\1", _SHARED.sub(" ", text))
    text = _QUOTE.sub(_pasted, _PICTURES.sub(" ", _TAG.sub(" ", text)))
    paste = _PASTE.search(text)
    text = text[: paste.start()] if paste else text
    if not text.replace("\n", "").isprintable():  # which is all that most need
        text = "".join(char for char in text if char == "\n" or _is_printable(char))
    return "\n".join(line for line in text.split("\n") if not _LOG.match(line))


def split(text: str) -> list[str]:
    """Sentences with their marks; "5. März" and "Dr. Olson" end none."""
    found = (text[start:end] for start, end in spans(text))
    return [bare for one in found if (bare := _MARK.sub("", " ".join(one.split())).strip())]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends; one follows the other without a gap."""
    start = 0
    for end in _ENDS.finditer(text):
        if not _is_end(text, start, end.end()):
            continue
        yield start, end.end()
        start = end.end()
    yield start, len(text)


def _is_end(text: str, start: int, end: int) -> bool:
    """A full stop, and not that of "Dr. Nowak", "J. Smith", "No. 5" or "5. März"."""
    before = text[max(start, end - _NEAR) : end]
    if _NO_END.search(before):
        return False
    if _NUMBERED.search(before):
        return re.match(r"\s?\d", text[end:]) is None
    if _INITIAL.search(before):
        return bool(_BEGINS.match(text, end)) or end == len(text)
    if re.search(r"\b\d{1,2}\.$", before):
        return not (_OF_ORDINALS.search(before) or _GOES_ON.match(text, end))
    return True


def unopened(text: str) -> str:
    """Without "Yep, " or "Oh, btw, ", which only answer somebody."""
    bare = _OPENER.sub("", text)
    if bare == text or not bare:
        return text
    return bare[0].upper() + bare[1:] if text[0].isupper() else bare


# A title or an initial is one word with the name after it, with or without its point.
_POINT = re.compile(
    r"\b(?:(?:[Dd]r|[Mm]rs?|[Mm]s|Mx|[Pp]rof|St|\w*[Ss]tr|Hr|Fr|Dipl|Ing|Mt|ca|z|b|B)\.(?=\s?\w)"
    r"|(?:[Nn]o|[Nn]r)\.(?=\s?\d)|[A-Z]\.(?=\s?[A-Z])(?!\s+(?:I|We|My|The|Ich|Wir|Mein)\b))"
)
_EMPHASIS = re.compile(
    r"(?<![\d*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![\d*])|(?<!\w)__?(?=\w)"
    r"|(?<=\w)__?(?!\w)"
)


def plain(text: str) -> str:
    """Without the points of titles and initials, and without emphasis."""
    return _EMPHASIS.sub("", _POINT.sub(lambda found: found[0][:-1], text))


def quotes(text: str) -> bool:
    """It holds what somebody else may have said or written, or code."""
    return bool(_QUOTING.search(text))


def unquoted(text: str) -> str:
    """Without what somebody else said or wrote; titles stay."""
    return _QUOTE.sub(lambda found: found[0] if len(found[0]) <= _TITLE else " … ", text)


def without_voices(text: str) -> str:
    """Without what is quoted of somebody who speaks of themselves."""
    return _QUOTE.sub(lambda found: " … " if _VOICE.search(found[0]) else found[0], text)


def _pasted(found: re.Match[str]) -> str:
    """A quote of several sentences is no part of what is said."""
    is_text = len(found[0]) > 80 or _SENTENCES.search(found[0], 1, len(found[0]) - 1)
    return " … " if is_text else found[0]


def one_line(text: str, longest: int = 300) -> str:
    """A line that can start no Markdown block, cut at a word."""
    line = "".join(char if _is_printable(char) else " " for char in text)
    line = line.replace("`", "").replace("<!--", " ").replace("-->", " ")
    line = _MARK.sub("", " ".join(line.split())).strip()
    if len(line) <= longest:
        return line
    head, space, _ = line[: longest - 1].rpartition(" ")
    return (head if space and len(head) > longest // 2 else line[: longest - 1]).rstrip(
        " ,;:-"
    ) + "…"


def _is_printable(char: str) -> bool:
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
