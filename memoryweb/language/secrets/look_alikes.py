"""What tells a secret from its look-alike, once the format fits."""

import base64
import json
import math
import re
from collections import Counter

from memoryweb.language.secrets import own_token

MIN_BITS = 2.5  # entropy a character; random hex has over 3.3 from 16 characters on, xxxx has 0
_PLACEHOLDER = re.compile(
    r"your[-_ ]?(?:own|api|key|token|secret|bot|access)|placeholder|redacted|x{6,}|0{8,}|\*{3,}"
    r"|\.{3,}|(?:key|token|secret)[-_]?(?:goes[-_]?)?here",
    re.IGNORECASE,
)
_SLOT = re.compile(r"\$?\{.*\}|\$\(.*\)|\$\w+|%\w*%?|%\(\w+\)s|<.*>|\[.*\]|\*+|[xX]+|\.+|…+")


def looks_random(text: str) -> bool:
    """Neither a placeholder nor made of a few letters, as examples are."""
    if _PLACEHOLDER.search(text):
        return False
    return entropy(_body(text)) >= MIN_BITS


def is_our_token(text: str) -> bool:
    """A token of this product carries its own checksum."""
    return own_token.is_well_formed(text)


def is_aws_key(text: str) -> bool:
    """The keys of AWS's documentation end with what they are: AKIA…EXAMPLE, …EXAMPLEKEY."""
    return looks_random(text) and not text.endswith(("EXAMPLE", "EXAMPLEKEY"))


def is_labelled_key(text: str) -> bool:
    """Forty characters behind a label; a commit's hash is forty characters too."""
    return is_aws_key(text) and not re.fullmatch(r"[0-9a-f]{40}|[0-9A-F]{40}", text)


def is_basic_password(text: str) -> bool:
    """The password of a URL, unless a slot stands where it would be."""
    return not _SLOT.fullmatch(text) and not _PLACEHOLDER.search(text)


def is_json_header(text: str) -> bool:
    """The first part of a JWT is JSON that names its algorithm."""
    head = text.split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except ValueError:
        return False
    return isinstance(header, dict) and "alg" in header


def entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts) if text else 0.0


def _body(text: str) -> str:
    """What stands behind the fixed prefix, which has some entropy of its own."""
    parts = re.split(r"[-_.:]", text)
    return max(parts, key=len)
