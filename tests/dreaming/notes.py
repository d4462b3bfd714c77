"""Short ways to write mentions and verdicts."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from memoryweb.dreaming.candidates import Candidate, Mention, Recall, gather
from memoryweb.dreaming.gates import Verdict, judge
from memoryweb.dreaming.scoring import score

NIGHT = datetime(2026, 3, 10, 2, tzinfo=UTC)


def mention(
    text: str,
    day: int = 9,
    line: int = 3,
    *,
    durable: bool = True,
    asked: bool = False,
    category: str = "",
    month: int = 3,
) -> Mention:
    on = date(2026, month, day)
    return Mention(
        file_id=f"file-{on}",
        path=f"memory/{on}.md",
        revision=1,
        line=line,
        date=on,
        text=text,
        durable=durable,
        asked=asked,
        category=category,
    )


def candidate(text: str, *mentions: Mention, recall: Recall | None = None) -> Candidate:
    places = mentions or (mention(text),)
    recalls = {(place.file_id, place.line): recall for place in places} if recall else {}
    (found,) = gather(places, recalls)
    return found


def verdicts(mentions: Sequence[Mention], memory: str = "", now: datetime = NIGHT) -> list[Verdict]:
    found = gather(mentions, {})
    return judge(found, score(found, now), memory_lines=memory.split("\n"), now=now)
