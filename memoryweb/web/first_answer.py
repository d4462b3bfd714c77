"""The first answer of a memory: what was just said, found by a question, with its message."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from secrets import token_hex

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Integration, User
from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.agents.owners import person_owner, trial_owner
from memoryweb.extraction import requests
from memoryweb.language.ending_parts import claims_of
from memoryweb.language.note_line import without_time
from memoryweb.memory import forgetting
from memoryweb.memory.conversations import NewMessage, add_messages
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.index.terms import terms_of
from memoryweb.memory.lines.origins import origins_on
from memoryweb.memory.models import File, Message, SourceClass
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.search import search
from memoryweb.memory.visible.readable import To, readable_file, readable_messages
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest
from memoryweb.web.markdown import plain
from memoryweb.web.pages import told_to
from memoryweb.web.wording import talk_url

TRIAL_LASTS = timedelta(hours=1)
_LONGEST = 300  # characters of a question
_LINES = 6
_QUESTIONS = 3


@dataclass(frozen=True)
class Answer:
    """`sentence` is empty where nothing was found. `noted`: what the next dream reads."""

    asked: str
    questions: Sequence[str]
    noted: Sequence[str]
    seconds: float
    sentence: str = ""
    is_noted: bool = False
    said: str = ""
    at: datetime | None = None
    url: str = ""


def speaker(tx: Transaction, request: TeamRequest, program: Integration | None) -> Owner:
    """Oneself, or a test customer of that program who is erased after an hour."""
    visit = request.visit
    if program is None:
        return person_owner(visit.team, request.user)
    for owner in visit.mine.values():
        if str(owner.pk) == request.POST.get("owner") and owner.integration_id == program.pk:
            return owner
    made = trial_owner(visit.team, program, request.user, visit.actor)
    forgetting.erase_later(tx, made, TRIAL_LASTS, request.user)
    return made


def keep(tx: Transaction, agent: Agent, owner: Owner, user: User, said: str) -> None:
    """A conversation of one message, read at once."""
    said = said.replace("\r\n", "\n")
    kept = add_messages(
        tx,
        agent=agent,
        owner=owner,
        conversation_id=f"connect-{token_hex(4)}",
        messages=[NewMessage(Message.Role.USER, said)],
    )
    if not kept.skipped:
        by, talk = Run.Trigger.CONVERSATION, kept.conversation
        requests.request(
            tx, agent=agent, owner=owner, trigger=by, conversation=talk, user=user, immediate=True
        )


def found(
    request: TeamRequest, agent: Agent, owner: Owner | None, since: datetime | None
) -> Answer | None:
    """To the question of the address, or to one about what was noted since then."""
    asked = request.GET.get("ask", "").strip()[:_LONGEST]
    note = _note(agent, owner, since) if owner and (since or asked) else None
    lines = _lines(note) if note else []
    claims = [claim for line in lines for claim in claims_of(line) or [line]]
    questions = list(dict.fromkeys(filter(None, map(question, claims))))[:_QUESTIONS]
    asked = asked or next(iter(questions), "")
    if not asked:
        return None
    began, hits = time.perf_counter(), []
    with told_to(request):
        hits = list(search(Reader(agent, owner), asked, kinds=("file",)).hits)
    seconds = time.perf_counter() - began
    hit = next((one for one in hits if one.source != SourceClass.SYSTEM), None)
    waits = note and not agent.reports.filter(owner=owner, dreamt_at__gt=note.updated_at).exists()
    answer = Answer(asked, questions, lines if waits else (), seconds)
    return answer if hit is None else _told(request, owner, hit, answer)


def _note(agent: Agent, owner: Owner, since: datetime | None) -> File | None:
    """The latest one: what was made of what arrived."""
    notes = agent.files.of(agent.pk, owner.pk).filter(note_date__isnull=False, deleted_at=None)
    if since:
        notes = notes.filter(updated_at__gte=since)
    return notes.order_by("-note_date").first()


def _lines(note: File) -> list[str]:
    lines = [line for line in readable_file(note, To.PAGE).lines if line.startswith("- ")]
    return [without_time(line.removeprefix("- ")) for line in lines[-_LINES:]]


_NAME = re.compile(r"(?<=\w[ ,])\s?[^\W\d_a-zà-öø-ÿ][^\W\d_]{2,}")
_LAST = re.compile(r"[^\W\d_]{3,}(?=\W*$)")
_SCRIPT = re.compile("[\u30a0-\u30ff]{3,}|[\u3400-\u9fff]{2,}")


def question(said: str) -> str:
    """About the first name in it, or else its last word."""
    found = _SCRIPT.search(said) or _NAME.search(said) or _LAST.search(said)
    return _("What do you know about {topic}?").format(topic=found[0].strip()) if found else ""


def _told(request: TeamRequest, owner: Owner | None, hit: Hit, answer: Answer) -> Answer:
    """With the message, where it is this owner's own."""
    sentence = _clause(without_time(hit.snippet.removeprefix("- ")), answer.asked)
    is_noted = bool(hit.file and hit.file.note_date)
    answer, message = replace(answer, sentence=sentence, is_noted=is_noted), _behind(hit)
    if message is None or owner is None or message.conversation.owner_id != owner.pk:
        return answer
    [said] = readable_messages([message], To.PAGE)
    url = talk_url(request, message.conversation, message.position)
    return replace(answer, said=_marked(said.shown, sentence), at=message.created_at, url=url)


def _clause(said: str, asked: str) -> str:
    """The one that answers, of a sentence with several."""
    wanted = set(chain(*terms_of(asked)))
    fit = {one: len(wanted & set(chain(*terms_of(one)))) for one in claims_of(said)}
    return max(fit, key=lambda one: fit[one]) if any(fit.values()) else said


def _behind(hit: Hit) -> Message | None:
    if hit.file is None:
        return None
    rows = origins_on([hit.file.pk], range(hit.line, hit.end_line + 1))
    return next((row.message for row in rows if row.message), None)


def _marked(said: str, sentence: str) -> SafeString:
    words = re.escape(sentence.rstrip(".。!！ "))
    parts = re.split(f"({words})", said, maxsplit=1, flags=re.IGNORECASE)
    shown = map(plain, parts)
    return format_html("{}<mark>{}</mark>{}", *shown) if len(parts) == 3 else plain(said)
