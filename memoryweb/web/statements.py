"""A statement as every page tells it: what happened to it, who said it, what may be done now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.night_results import NightResult
from memoryweb.dreaming.operations import Why, day_told
from memoryweb.language.extraction_rules.relative_dates import days_meant
from memoryweb.language.extraction_rules.speakers import is_own_word
from memoryweb.markdown.diff import Span, paired
from memoryweb.markdown.marks import Ended, part
from memoryweb.memory import questions
from memoryweb.memory.models import Evidence, Fact, Message, Revision
from memoryweb.memory.statements.validity import state_on, today
from memoryweb.memory.visible.hidden import MARK
from memoryweb.memory.visible.readable import Look, ReadableFact, To
from memoryweb.web.access import TeamRequest
from memoryweb.web.pages import to
from memoryweb.web.wording import erased, owner_query, talk_url, trust_in_words

_SIGNS = {
    "learned": ("add", gettext_lazy("Learned")),
    "changed": ("change", gettext_lazy("Changed")),
    "ended": ("retire", gettext_lazy("Ended")),
    "waits": ("ask", gettext_lazy("Waits for a person")),
    "rejected": ("retire", gettext_lazy("Rejected")),
}
_APART = 3  # words that stand between two changes and are read by themselves
_LIVING = frozenset({Fact.State.ACTIVE, Fact.State.DISPUTED})


@dataclass(frozen=True)
class Piece:
    """Some words. `kind`: empty, `old` (struck), `new` or `read`; `ended`: struck, too."""

    text: str
    kind: str = ""
    ended: Ended | None = None


@dataclass(frozen=True)
class Source:
    """Who said it, when, and where that can be read."""

    who: str
    initial: str
    at: datetime | None
    url: str
    quote: str


@dataclass(frozen=True)
class Act:
    """A button. `key` is the letter that presses it; `text` is what it sends as `field`."""

    label: str | Promise
    url: str
    key: str
    style: str = ""
    text: str = ""
    field: str = "text"


@dataclass(frozen=True)
class StatementRow:
    """`text` is what the editor starts with; `edit_url` is empty where it can't be edited. Where a
    person is asked about it, `open_url` leads there and `answers` answer it. `forgets` is what
    forgetting it means; empty where an admin decides on that. `speaker` is who "I" is in shared
    memory, and `days` what "last Friday" means."""

    id: str
    sign: str
    label: str | Promise
    pieces: tuple[Piece, ...]
    why: str = ""
    note: str = ""
    is_new: bool = False
    source: Source | None = None
    trust: str = ""
    url: str = ""
    text: str = ""
    edit_url: str = ""
    forgets: str = ""
    acts: tuple[Act, ...] = ()
    undo: Act | None = None
    open_url: str = ""
    answers: tuple[Act, ...] = ()
    speaker: str = ""
    days: str = ""


def undoable(told: StatementRow, before: Sequence[str]) -> StatementRow:
    """For the page of what was done: all that can be done is to take it back. What stood `before`
    is a person's word from then on, so that no dream brings in again what was undone."""
    undo = told.undo
    for act in told.acts:
        if told.sign == "change" and act.key == "n" and len(before) == 1:
            undo = undo or Act(_("Undo"), told.edit_url, "u", text=before[0])
        elif act.key == {"add": "n", "retire": "c"}.get(told.sign):
            label = _("Undo") if told.sign == "add" else act.label
            undo = undo or replace(act, label=label, key="u")
    return replace(told, acts=(), undo=undo, edit_url="", trust="")


def foretold(one: Operation) -> StatementRow:
    """Of what is not done yet."""
    sign, label = _SIGNS[one.kind]
    return StatementRow(f"said-{one.position}", sign, label, _pieces(one), one.reason)


def statement_rows(
    request: TeamRequest, learned: Iterable[NightResult], asked: Mapping[UUID, str] | None = None
) -> dict[UUID, list[StatementRow]]:
    """By report. `asked`: how a question is put, where that is known."""
    those = list(learned)
    tells_new = not all(one.is_new for one in those)  # else it is the morning's first visit
    found: dict[UUID, list[StatementRow]] = {}
    look = Look(
        To.PAGE,
        facts=[fact for one in those for fact in (one.fact, one.was) if fact],
        messages=[
            said.message
            for one in those
            for said in (one.said, one.replaces)
            if said and said.message
        ],
    )
    if asked is None:
        about = (one.fact.contradiction for one in those if one.fact and _is_question(one))
        asked = questions.sentences([*about])
    for one in those:
        row = _statement_row(request, one, look, tells_new)
        if row.pieces and one.is_disputed and _changes(request, one.fact):
            row = _asking(request, row, one, asked)
        found.setdefault(one.report.pk, []).append(row)
    return found


def _is_question(one: NightResult) -> bool:
    """Whether it still holds, which a person is asked."""
    about = one.fact.contradiction if one.fact and one.is_disputed else None
    return one.kind != "waits" and bool(about and about.is_question)


def changed_words(old: str, new: str) -> tuple[Piece, ...]:
    """One sentence with what left it struck and what came marked, one after the other and not word
    by word; where they have too little in common, the old one whole before the new one."""
    rows = list(paired([old], [new]))
    if len(rows) != 1 or rows[0].kind != "changed":
        return (Piece(old, "old"), Piece(" "), Piece(new, "new"))
    left, came, pieces = "", "", list[Piece]()
    stretches = _stretches(rows[0].old, rows[0].new)
    for at, (was, now, is_same) in enumerate(stretches):
        is_inside = 0 < at < len(stretches) - 1
        if not is_same or (is_inside and len(now.split()) < _APART):
            left, came = left + was, came + now
            continue
        pieces += [*_changed(left, came), Piece(now)]
        left, came = "", ""
    return (*pieces, *_changed(left, came))


def struck(sentence: str, ended: Iterable[Ended]) -> tuple[Piece, ...]:
    """A sentence with the words struck that hold no longer."""
    at, pieces = 0, list[Piece]()
    found = {sentence.find(one.words, 0): one for one in ended}
    for start in sorted(found):
        if start >= at:
            one = found[start]
            pieces += [Piece(sentence[at:start]), Piece(one.words, "old", one)]
            at = start + len(one.words)
    return (*pieces, Piece(sentence[at:]))


def _stretches(old: Sequence[Span], new: Sequence[Span]) -> list[tuple[str, str, bool]]:
    """What was, what is, and whether that is the same: between two that are, what changed."""
    olds, found = list(old), list[tuple[str, str, bool]]()
    for span in new:
        if span.marked:
            was = olds.pop(0).text if olds and olds[0].marked else ""
            found.append((was, span.text, False))
            continue
        if olds and olds[0].marked:
            found.append((olds.pop(0).text, "", False))
        found.append((olds.pop(0).text, span.text, True))
    return found + [(one.text, "", False) for one in olds]


def _changed(left: str, came: str) -> Iterator[Piece]:
    """Spaces at their ends belong to the sentence."""
    first, last = left if left.strip() else came, came if came.strip() else left
    yield Piece(first[: len(first) - len(first.lstrip())])
    if left.strip():
        yield Piece(left.strip(), "old")
    if left.strip() and came.strip():
        yield Piece(" ")
    if came.strip():
        yield Piece(came.strip(), "new")
    yield Piece(last[len(last.rstrip()) :])


def _statement_row(
    request: TeamRequest, one: NightResult, look: Look, tells_new: bool
) -> StatementRow:
    operation, fact = one.operation, one.fact
    sign, label = _SIGNS[one.kind]
    told: dict[str, Any] = {"id": f"said-{operation.pk}", "sign": sign, "label": label}
    told["is_new"] = tells_new and one.is_new
    if fact and fact.is_hidden:
        note = erased(fact.erase_at) if fact.erase_at else _("Forgotten.")  # not under a hold
        undo = _undo(request, fact) if _changes(request, fact) else None
        return StatementRow(**told, pieces=(), note=note, undo=undo)
    if one.was is not None and fact:
        return _reworded(request, told, look.fact(one.was), fact, look)
    about = _of_fact(request, fact, one.said, look) if fact else {}
    why = _why(request, one, look)
    return StatementRow(**told, pieces=_pieces(operation), why=why, **about)


def _asking(
    request: TeamRequest, row: StatementRow, one: NightResult, asked: Mapping[UUID, str]
) -> StatementRow:
    """It waits in Review, and what can be said in a word is said here."""
    fact: Any = one.fact
    about = fact.contradiction
    url = to(request, "review_item", "contradiction", about.pk)
    if _is_question(one):
        said = _("Is this still true?") if about.is_about(fact) else asked.get(about.pk, "")
        note = said or _("A question about it waits for you.")
        decide = to(request, "review_decide", "contradiction", about.pk)
        words = {"IGNORE": _("Still true"), "KEEP_B": _("No longer")}
        answers = [Act(word, decide, "", "", code, "decision") for code, word in words.items()]
        may = said and request.visit.decides(fact.owner_id, Permission.DECIDE)
        return replace(row, note=note, open_url=url, answers=tuple(answers) if may else ())
    if one.kind != "waits":
        return replace(row, note=row.note or _("Something else says otherwise."), open_url=url)
    why = _("{agent} uses “{text}” until you decide.")
    why = why.format(agent=fact.agent.name, text=one.operation.against)
    return replace(row, why=why, acts=(), undo=None, edit_url="", trust="", open_url=url)


def _why(request: TeamRequest, one: NightResult, look: Look) -> str:
    operation, fact = one.operation, one.fact
    last = fact.valid_to if fact and operation.why == Why.EXPIRED else None
    if last := next((it.on for it in operation.ended), last):
        return _("Ended on {day}.").format(day=day_told(last))
    before = source_of(request, one.replaces, look) if one.replaces else None
    if before is None or before.at is None:
        return str(operation.reason)
    is_own = before.who == _("You")
    said = (
        _("Replaces what you said on {day}.") if is_own else _("Replaces what {who} said on {day}.")
    )
    return said.format(who=before.who, day=day_told(timezone.localtime(before.at).date()))


def _pieces(operation: Operation) -> tuple[Piece, ...]:
    before = " ".join(operation.before)
    if operation.ended:
        return struck(*part(operation.after))
    if not operation.after:
        return (Piece(before, "old"),)
    if before and operation.outcome != "back":
        return changed_words(before, operation.after)
    return (Piece(part(operation.after)[0]),)


def _reworded(
    request: TeamRequest, told: dict[str, Any], was: ReadableFact, now: Any, look: Look
) -> StatementRow:
    """In the person's words; Undo brings back those before."""
    about = _of_fact(request, now, None, look)
    if about.get("edit_url") and not was.is_hidden:
        about["undo"] = Act(_("Undo"), about["edit_url"], "u", text=was.text)
    is_mine = now.confirmed_by == request.user
    since = _("You changed this.") if is_mine else _("Put in other words since then.")
    about.setdefault("note", since)
    old = MARK if was.is_hidden else was.text
    return StatementRow(**told, pieces=changed_words(old, about["text"]), **about)


def _of_fact(request: TeamRequest, fact: Any, said: Evidence | None, look: Look) -> dict[str, Any]:
    visit = request.visit
    state = state_on(fact, today(visit.now, fact.agent.zone))
    about: dict[str, Any] = {
        "source": source_of(request, said, look) if said else None,
        "url": to(request, "agents_fact", fact.agent_id, fact.pk, query=_query(request, fact)),
        "text": look.fact(fact).text,
    }
    if state in _LIVING:
        about |= _read_out(request, fact, said, about["source"], about["text"])
        about["trust"] = trust_in_words(fact, visit)
    if fact.why == Fact.Why.NOT_TRUE:
        about["note"] = _("Marked as not true.")
    elif fact.why == Fact.Why.REWORDED:
        about["note"] = _("Put in other words since then.")
    if _changes(request, fact):
        about |= _acts(request, fact, state)
        about["forgets"] = forgets_in_words(fact.agent) if _forgets(request, fact) else ""
    return about


def _read_out(
    request: TeamRequest, fact: Any, said: Evidence | None, source: Source | None, text: str
) -> dict[str, str]:
    """What its words mean for whoever didn't hear them."""
    zone, told = fact.agent.zone, {"speaker": "", "days": ""}
    is_shared = fact.owner_id is None or fact.owner_id in request.visit.shared_owners
    if is_shared and source and said and said.message and is_own_word(text):
        told["speaker"] = str(request.user) if source.who == _("You") else source.who
    if source and source.at:
        days = days_meant(text, source.at.astimezone(zone).date())
        told["days"] = " – ".join(date_format(day, _("D j M")) for day in days)
    return told


def _acts(request: TeamRequest, fact: Any, state: Fact.State) -> dict[str, Any]:
    """What this reader may do about it now."""
    query = _query(request, fact)

    def url(name: str) -> str:
        return to(request, f"agents_fact_{name}", fact.agent_id, fact.pk, query=query)

    forget = Act(_("Forget"), to_forget(request, fact), "f", "bad")
    if fact.why == Fact.Why.NOT_TRUE and not fact.file_id:
        return {"undo": Act(_("Undo"), url("restore"), "u"), "acts": (forget,)}
    if fact.why == Fact.Why.REWORDED:
        return {}
    if state not in _LIVING:
        return {"acts": (Act(_("Bring it back"), url("restore"), "c"), forget)}
    acts = [Act(_("Not true"), url("not_true"), "n"), forget]
    if not fact.is_persons_word:
        acts.insert(0, Act(_("Confirm"), url("confirm"), "c", "yes"))
    is_mine = fact.confirmed_at and fact.confirmed_by == request.visit.user
    undo = Act(_("Undo"), url("unconfirm"), "u") if is_mine else None
    return {"acts": tuple(acts), "undo": undo, "edit_url": url("edit")}


def to_forget(request: TeamRequest, fact: Any) -> str:
    query = _query(request, fact)
    return to(request, "agents_fact_forget", fact.agent_id, fact.pk, query=query)


def source_of(request: TeamRequest, said: Evidence, look: Look) -> Source | None:
    """None where this reader may not see the conversation."""
    message = said.message
    if message is None:
        return _writer_of(request, said.root) if said.root else None
    if not request.visit.reads(message.conversation.owner_id):
        return None
    talk, who = message.conversation, speaker_of(request, message)
    initial = (str(request.user) if who == _("You") else who)[:1].upper()
    at, quote = said.said_at or message.timestamp, look.quote(said)
    return Source(who, initial, at, talk_url(request, talk, message.position), quote)


def speaker_of(request: TeamRequest, message: Message) -> str:
    is_own = message.role == "user" and message.conversation.owner_id in request.visit.mine
    return _("You") if is_own else str(message.name or message.get_role_display())


def _writer_of(request: TeamRequest, root: Revision) -> Source | None:
    """Who wrote it down by hand, and where."""
    file = root.file
    if not request.visit.reads(file.owner_id):
        return None
    who = _("You") if root.user == request.user else str(root.user or file.agent.name)
    initial = str(root.user or file.agent.name)[:1].upper()
    query = owner_query(request.visit, file.owner_id)
    url = to(request, "agents_revision", file.agent_id, file.path, root.number, query=query)
    return Source(who, initial, root.created_at, url, "")


def _changes(request: TeamRequest, fact: Any) -> bool:
    return request.visit.decides(fact.owner_id, Permission.WRITE)


def forgets_in_words(agent: Agent) -> str:
    return _("{name} stops using it now; it is erased in 10 minutes.").format(name=agent.name)


def _forgets(request: TeamRequest, fact: Any) -> bool:
    """Everybody else asks for it."""
    return request.visit.decides(fact.owner_id, Permission.FORGET)


def _query(request: TeamRequest, fact: Any) -> str:
    return owner_query(request.visit, fact.owner_id)


def _undo(request: TeamRequest, fact: Any) -> Act | None:
    """An owner's own request about a shared statement is theirs to undo."""
    if not _forgets(request, fact) or fact.asked_by != fact.owner_id:
        return None
    url = to(request, "agents_fact_unforget", fact.agent_id, fact.pk, query=_query(request, fact))
    return Act(_("Undo"), url, "u")
