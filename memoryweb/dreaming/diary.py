"""DREAMS.md: what each night looked at, what it saw, what it changed and why not more."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from itertools import chain

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.dreaming import operations, story
from memoryweb.dreaming.gates import DECIDED, GATES, Text, Verdict, decisive
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.story import Tally
from memoryweb.language.statement_comparison import clean
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.writing import put_back

CAP = 20_000  # characters of DREAMS.md
KEPT_DAYS = 30
HEAD = gettext_lazy("# Dreams\n\nWhat each night read and what it changed, the newest first.")
_ENTRY = re.compile(r"(?m)^## (?=\d{4}-(?:0[1-9]|1[0-2])-\d\d \d\d:\d\d[ \t]*$)")
_HEADING = re.compile(r"(?m)^#{1,2}(?= )")
_LONGEST_ENTRY = 4_000

# Why statements did not get in, as they are counted.
_CAUSES = {row.name: row.counted for row in GATES} | {
    "full": gettext_lazy("{n} without room in MEMORY.md"),
    "known": gettext_lazy("{n} already known"),
    "rival": gettext_lazy("{n} contradicting another statement"),
    "outside": gettext_lazy("{n} from outside the team"),
    "test": gettext_lazy("{n} held back by a memory test"),
    "untaken": gettext_lazy("{n} skipped by the model"),
    "unfit": gettext_lazy("{n} unfit for MEMORY.md"),
}


@dataclass(frozen=True)
class DiaryParts:
    """`archives`: month (YYYY-MM) → entries to append to memory/dreams/<month>.md, oldest first."""

    diary: str
    archives: dict[str, str]


def entry(
    at: datetime,
    *,
    note_dates: Collection[date],
    blocks: int,
    verdicts: Sequence[Verdict],
    done: Sequence[Operation] = (),
    held: str = "",
    told_by_model: str = "",
) -> str:
    """One night, headed by `at` (the agent's local time). `held`: why all of it waits for a
    person, so that it is told instead of the changes."""
    parts = [
        f"## {at:%Y-%m-%d %H:%M}",
        _looked_at(note_dates, blocks, len(verdicts)),
        _demoted(told_by_model),
        _patterns(verdicts),
        _held_back(held),
        _changes(verdicts, done, is_held=bool(held)),
        _left(verdicts) if any(v.verdict == "promoted" for v in verdicts) else "",
    ]
    return _cut("\n\n".join(part for part in parts if part), _LONGEST_ENTRY) + "\n"


def cited(
    entry: str, behind: Mapping[str, Collection[Source]], *, told_by_model: str = ""
) -> dict[int, Origin]:
    """Line of an entry → what stands behind the statements that it quotes, of those in `behind`.
    What a model tells stands on all of them."""
    told = set(_demoted(told_by_model).split("\n"))
    found = {}
    for number, line in enumerate(entry.split("\n"), start=1):
        tells_all = bool(line.strip()) and line in told
        quoted = (behind[text] for text in behind if tells_all or story.bare(text) in line)
        if sources := tuple(dict.fromkeys(chain.from_iterable(quoted))):
            found[number] = Origin(sources, sums_up=tells_all)
    return found


def add(diary: str, new: str, *, today: date) -> DiaryParts:
    """The diary with the new entry on top, at most CAP characters unless its head alone is
    longer. Entries older than 30 days move to their month's archive, and the oldest of the
    others as long as there is no room for them."""
    head, *old = _ENTRY.split(diary)
    entries = [f"## {text.strip()}\n" for text in old]
    entries = [
        _cut(new.strip(), CAP // 2) + "\n",
        *(e for e in entries if e.strip() != new.strip()),
    ]
    entries.sort(key=_time_of, reverse=True)
    top = f"{head.strip() or HEAD}\n"
    moved: list[str] = []
    while entries and _must_move(entries[-1], today, len(top) + sum(len(e) + 1 for e in entries)):
        moved.append(entries.pop())
    archives: dict[str, str] = {}
    for text in moved:
        month = _time_of(text)[:7]
        archives[month] = "\n".join(filter(None, [archives.get(month), text]))
    return DiaryParts("\n".join([top, *entries]), archives)


def is_told(diary: str, month: str, today: date) -> bool:
    """A month is over, and the diary has none of its entries any more."""
    kept = any(f"## {text}".startswith(f"## {month}-") for text in _ENTRY.split(diary)[1:])
    return "0001" <= month < f"{today:%Y-%m}" and not kept


def summed_up(archive: str, month: str, did: Tally, dreams: int) -> str:
    """A month's archive with its summary on top, in place of an earlier one."""
    _head, *entries = _ENTRY.split(archive)
    said = _(
        "Dreams: {n}. Statements learned: {learned}, changed: {changed}, ended: {ended}, left "
        "to a person: {asked}."
    ).format(n=dreams, **asdict(did))
    title = _("Dreams of {month}").format(month=month)
    return f"# {title}\n\n{said}\n\n" + "".join(f"## {text}" for text in entries)


def latest(diary: str) -> str:
    """The newest entry, or nothing."""
    entries = _ENTRY.split(diary)[1:]
    return f"## {entries[0].strip()}" if entries else ""


def archive_of(entry: str) -> str:
    """Where an entry moves when it is old."""
    return f"memory/dreams/{_time_of(entry)[:7]}.md"


def reverted(diary: str, entry: str, sentence: str) -> str:
    """The diary or an archive with the sentence below the heading of that entry."""
    head, *old = _ENTRY.split(diary)
    entries = [f"## {text}" for text in old]
    at = [n for n, text in enumerate(entries) if _time_of(text) == _time_of(entry)]
    same = [n for n in at if entries[n].split() == entry.split()]
    for n in (same or at)[:1]:
        heading, _newline, rest = entries[n].partition("\n")
        entries[n] = f"{heading}\n\n{sentence}\n{rest}"
    return "".join([head, *entries])


def untold(entry: str, gone: Collection[str]) -> str:
    """An entry without the lines that are among `gone`, or that quote one of them."""
    quotes = [quote for text in gone if (quote := story.bare(clean(text)))]
    lines = enumerate(entry.split("\n"), start=1)
    numbers = [n for n, line in lines if line in gone or any(one in line for one in quotes)]
    return put_back.untold(entry, numbers)


def _must_move(text: str, today: date, length: int) -> bool:
    # Compared as text: a heading that a person typed may name a day that no calendar has.
    oldest = (today - timedelta(days=KEPT_DAYS)).isoformat()
    return length > CAP or _time_of(text)[:10] < oldest


def _time_of(text: str) -> str:
    return text[3:19]


def _looked_at(dates: Collection[date], blocks: int, candidates: int) -> str:
    if not dates:
        return _("There were no notes to read.")
    first, last = min(dates).isoformat(), max(dates).isoformat()
    one = _("I read the note of {first}: {blocks}, {statements}.")
    said = (
        one if first == last else _("I read {n} notes, {first} to {last}: {blocks}, {statements}.")
    )
    return said.format(
        n=len(dates),
        first=first,
        last=last,
        blocks=ngettext("{n} line", "{n} lines", blocks).format(n=blocks),
        statements=ngettext(
            "{n} different statement", "{n} different statements", candidates
        ).format(n=candidates),
    )


def _patterns(verdicts: Sequence[Verdict]) -> str:
    candidates = [verdict.candidate for verdict in verdicts if not verdict.candidate.waits]
    often = sorted((c for c in candidates if c.days > 1), key=lambda c: (-c.days, c.key))[:3]
    lines = [
        _("“{text}” was said on {days} days.").format(text=story.bare(c.text), days=c.days)
        for c in often
    ]
    return "\n".join(lines)


def _held_back(why: str) -> str:
    """Instead of the changes, where a person decides about all of them; empty where not."""
    said = _("MEMORY.md was not changed: the proposal waits for a person.")
    return f"{said} {operations.WAITS[why]}" if why else ""


def _changes(verdicts: Sequence[Verdict], done: Sequence[Operation], *, is_held: bool) -> str:
    told = story.told([one for one in done if one.code] if is_held else done)
    if is_held or any(one.kind != "skipped" and not one.code for one in done):
        return told
    nothing = f"{_('MEMORY.md stays as it is.')} {_why_nothing(verdicts)}"
    return "\n\n".join(filter(None, [nothing, told]))


def _why_nothing(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return _("There was nothing new in the notes.")
    return _left(verdicts)


def _left(verdicts: Sequence[Verdict]) -> str:
    """What became of the statements that did not get in, by the words of its cause."""
    counts = Counter(str(_cause(one)) for one in verdicts if one.verdict != "promoted")
    causes = "; ".join(cause.format(n=n) for cause, n in counts.most_common())
    return _("Not learned: {causes}.").format(causes=causes) if causes else ""


def _cause(verdict: Verdict) -> Text:
    """The gate that decided; without one, what the consolidator said."""
    failed = [asdict(gate) for gate in verdict.gates if not gate.passed]
    last = decisive(failed) if failed else {"name": verdict.reason.partition(" ")[0]}
    code = last["code"] if last["name"] == DECIDED else last["name"]
    return _CAUSES.get(code, _CAUSES["unfit"])


def _demoted(text: str) -> str:
    """Told by a model: its headings must not look like the heading of an entry."""
    return _HEADING.sub("###", text.strip())


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit - 40)
    kept = text[: end if end > 20 else limit - 40]
    more = _("… ({n} more characters)").format(n=len(text) - len(kept))
    return f"{kept.rstrip()}\n{more}"
