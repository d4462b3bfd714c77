"""Plain text in and out: what markup, pastes and control characters leave behind."""

import re
import unicodedata

MAX_MESSAGE = (
    8_000  # a window carries at most 2 000 characters a message; pastes beyond are not speech
)
MAX_LINE = 300

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
_PICTURE_LETTERS = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\ufe0e\ufe0f\u200d\u20e3\U000e0020-\U000e007f]+"
)
_PICTURE_ENDS = re.compile(rf"(?<=[a-z]) ?{_PICTURE_LETTERS.pattern}\s+(?=[A-Z])")
_LOG = re.compile(
    r"^\s*(?:[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[\[(]?\d\d:\d\d:\d\d|(?:DEBUG|INFO"
    r"|WARN(?:ING)?|ERROR|FATAL|TRACE)\b"
    r"|Traceback \(|File \"|at [\w.$]+\(|[$#>] \w|\+\+\+ |--- |@@ |diff --git|\{|\}|\||import "
    r"|from \w+ import |def \w+\(|class \w+[(:])"
)
_QUOTED = re.compile(r"^\s*>")
_MARK = re.compile(r"^(?:[\s>#*+\-•·–—=|~`_]|\d{1,3}[.)](?=\s))+")


def plain(content: str) -> str:
    """Speech only: no code, shared pictures, comments, tags, logs, quotes or control characters."""
    text = content[:MAX_MESSAGE].replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    text = _COMMENT.sub(" ", _FENCED.sub("\n", text))
    text = _LINK.sub(r"\1", _SHARED.sub(" ", text))
    text = _PICTURE_LETTERS.sub(" ", _PICTURE_ENDS.sub(".\n", _TAG.sub(" ", text)))
    text = "".join(char for char in text if char == "\n" or _is_printable(char))
    kept = (line for line in text.split("\n") if not _QUOTED.match(line) and not _LOG.match(line))
    return "\n".join(kept)


def one_line(text: str) -> str:
    """A line that can start no Markdown block and is at most MAX_LINE characters long."""
    line = "".join(char if _is_printable(char) else " " for char in text)
    line = line.replace("`", "").replace("<!--", " ").replace("-->", " ")
    line = _MARK.sub("", " ".join(line.split())).strip()
    if len(line) <= MAX_LINE:
        return line
    cut = line[: MAX_LINE - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > MAX_LINE // 2 else cut).rstrip(" ,;:-") + "…"


def unbulleted(line: str) -> str:
    return _MARK.sub("", line).strip()


def _is_printable(char: str) -> bool:
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
