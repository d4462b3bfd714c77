"""The form of a line in a daily note, `- HH:MM who: text`, and the text without its time."""

import re
from datetime import datetime

_TIME = re.compile(r"^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s+|$)")


def note_line(at: datetime, text: str) -> str:
    return f"- {at:%H:%M} {text}"


def said_by(who: str, text: str) -> str:
    return f"{who}: {text}" if who else text


def without_time(text: str) -> str:
    """Of a line without its bullet."""
    return _TIME.sub("", text, count=1)
