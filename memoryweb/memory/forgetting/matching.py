"""What of one memory somebody means who asks to forget something in a few words.

Statements are counted once, wherever they stand: a message, the note line and the fact made of it
say one thing.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Q

from memoryweb.agents.models import Agent, Owner
from memoryweb.language.extraction_rules import Claim, Kind
from memoryweb.language.forget_requests import Fit, Meaning, fit, forgets
from memoryweb.language.normal_form import normalise, read
from memoryweb.memory.forgetting.hiding import Asked
from memoryweb.memory.forgetting.targets import (
    Found,
    fact_place,
    facts_of,
    line_place,
    of_facts,
    said_place,
)
from memoryweb.memory.index import fulltext
from memoryweb.memory.index.indexing import TEXT, scope_key
from memoryweb.memory.models import Fact, Message, Passage
from memoryweb.memory.models.forgetting import Meant
from memoryweb.memory.visible.text_matching import says, sentences

MOST = 5  # statements that are hidden at once; of more a person picks
OFFERED = 50
_AT_ONCE = 500  # that are read from the database
_SPEAKING = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass
class Matches:
    """`facts` are statements that are meant, `said` lines and sentences that say so beside them;
    `history` and `echoes` go with them and are no statements by themselves: values of before, and
    what the assistant said, or who asked before. `near` is offered where nothing is meant."""

    facts: list[Fact] = field(default_factory=list)
    history: list[Fact] = field(default_factory=list)
    said: list[Meant] = field(default_factory=list)
    echoes: list[Meant] = field(default_factory=list)
    near: list[Meant] = field(default_factory=list)

    @property
    def statements(self) -> list[str]:
        """Each once: what two places say is counted for one."""
        found = [fact.raw_text for fact in self.facts]
        for one in self.said:
            if not any(says(one.text, text) or says(text, one.text) for text in found):
                found.append(one.text)
        return found or [fact.raw_text for fact in self.history]

    @property
    def places(self) -> list[Meant]:
        """Each statement where it stands first."""
        return unique([*map(fact_place, self.facts or self.history), *self.said])

    def everywhere(self, agent: Agent, owner: Owner | None) -> tuple[list[Meant], list[Meant]]:
        """All places of it, and what comes near it."""
        facts = [*self.facts, *self.history]
        found = of_facts(agent, owner, facts) if facts else Found(())
        meant = unique([*found.meant, *self.said, *self.echoes])
        meant = unique([*meant, *_repeated(meant)])
        keys = {one.key for one in meant}
        return meant, [one for one in found.candidates if one.key not in keys]


def match(asked: Asked, meanings: Iterable[Meaning], said_at: datetime) -> Matches:
    """Nothing that was said later than the request itself."""
    found, names = Matches(), _names(asked.owner)
    for meaning in meanings:
        if meaning.is_last:
            _add_last(found, asked.message)
            continue
        for fact in facts_of(asked.agent, asked.owner, _may_fit(meaning)):
            claim = Claim(Kind(fact.kind), subject=fact.subject, attribute=fact.attribute)
            claim = replace(claim, durable=True)
            _add_fact(found, fact, fit(meaning, fact.raw_text, claim=claim, names=names), said_at)
        if not meaning.is_all:
            for passage in _passages(asked.agent, asked.owner, meaning):
                _add_passage(found, passage, meaning, said_at, asked.message)
    return found


def _may_fit(meaning: Meaning) -> Q:
    """For the database: more than what fits, as far as words tell it."""
    if meaning.is_all or meaning.stubs is None:
        return Q()
    found = Q(pk__in=[])
    for stub in meaning.stubs:
        found |= Q(raw_text__icontains=stub) | Q(subject__icontains=stub)
    if meaning.topics:  # their names are patterns, and kinds have no words
        found |= ~Q(attribute="") | Q(
            kind__in={kind for one in meaning.topics for kind in one.kinds}
        )
    return found


def echoes_of(meanings: Collection[Meaning], texts: Sequence[str], message: Message) -> list[Meant]:
    """What an assistant repeats of it."""
    return [
        said_place(message, first, last)
        for first, last, said in sentences(message.raw_content)
        if any(fit(one, said) is Fit.YES for one in meanings)
        or any(_repeats(said, text) for text in texts)
    ]


def _repeats(said: str, text: str) -> bool:
    """ "At 62 kilos you can …" repeats "I weigh 62 kilos": its numbers and names tell it."""
    one, two = read(said), read(text)
    marks = two.numbers | two.names
    return says(said, text) or (bool(marks) and marks <= {*one.words, *one.numbers, *one.names})


def _repeated(meant: Iterable[Meant]) -> Iterator[Meant]:
    """What an assistant answered to what is hidden, in the same conversations."""
    heard = [(one.message, one.text) for one in meant if one.message is not None]
    texts = list(dict.fromkeys(text for _message, text in heard))
    for talk in {message.conversation_id for message, _text in heard}:
        first = min(m.position for m, _text in heard if m.conversation_id == talk)
        answers = Message.objects.filter(conversation=talk, role=Message.Role.ASSISTANT)
        answers = answers.filter(position__gt=first).select_related("conversation")
        for message in answers.order_by("position").iterator(_AT_ONCE):
            yield from echoes_of((), texts, message)


def unique(places: Iterable[Meant]) -> list[Meant]:
    return list({one.key: one for one in reversed([*places])}.values())[::-1]


def _add_fact(found: Matches, fact: Fact, how: Fit, said_at: datetime) -> None:
    if how is Fit.NO or (fact.said_at is not None and fact.said_at > said_at):
        return
    if how is Fit.MAYBE:
        found.near += [fact_place(fact)] if fact.state not in Fact.OVER else []
    elif fact.state in Fact.OVER:
        found.history.append(fact)
    else:
        found.facts.append(fact)


def _add_passage(
    found: Matches, row: Passage, meaning: Meaning, said_at: datetime, asked: Message | None
) -> None:
    if row.file is not None:
        if row.file.note_date is not None and row.file.note_date > said_at.date():
            return
        for line in row.raw_text.split("\n"):
            _add_said(found, meaning, line_place(row.file, line), line)
    elif row.message is not None and _is_before(row.message, asked, said_at):
        for first, last, said in sentences(row.message.raw_content):
            one = said_place(row.message, first, last)
            if row.message.role == Message.Role.USER and not any(forgets(said)):
                _add_said(found, meaning, one, said)
            elif fit(meaning, said) is Fit.YES:
                found.echoes.append(one)


def _names(owner: Owner | None) -> list[str]:
    """As memory may call them, folded."""
    name = normalise(owner.person.name) if owner and owner.person else ""
    return [name, *name.split()]


def _add_said(found: Matches, meaning: Meaning, one: Meant, text: str) -> None:
    if not meaning.may_be_in(text):
        return
    how = fit(meaning, text)
    if how is Fit.YES:
        found.said.append(one)
    elif how is Fit.MAYBE:
        found.near.append(one)


def _add_last(found: Matches, asked: Message | None) -> None:
    """What its owner had said just before, and what was made of it."""
    if asked is None or asked.pk is None:
        return
    earlier = asked.conversation.messages.filter(role=Message.Role.USER)
    last = earlier.filter(position__lt=asked.position).order_by("-position").first()
    if last is None:
        return
    found.said += [said_place(last, at, end) for at, end, _text in sentences(last.raw_content)]
    found.facts += Fact.objects.filter(evidence__message=last).select_related("file").distinct()


def _is_before(message: Message, asked: Message | None, said_at: datetime) -> bool:
    if message.role not in _SPEAKING or message.pk == (asked.pk if asked else None):
        return False
    if asked is not None and asked.pk and message.conversation_id == asked.conversation_id:
        return message.position < asked.position
    return message.timestamp <= said_at


def _passages(agent: Agent, owner: Owner | None, meaning: Meaning) -> Iterator[Passage]:
    """Those of this very memory that have a word of it."""
    reach = scope_key(agent.pk, owner.pk if owner else None)
    (there,) = fulltext.find([[f"{reach}{TEXT}{word}" for word in meaning.searched]])
    own = Passage.objects.filter(agent=agent, owner=owner)
    found = set[int]().union(*there.postings.values())
    if meaning.signs:
        said = (
            Q(raw_text__contains=one) | Q(message__raw_content__contains=one)
            for one in meaning.signs
        )
        found.update(own.filter(reduce(or_, said)).values_list("pk", flat=True))
    keys = sorted(found, reverse=True)
    for some in (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE)):
        rows = own.filter(pk__in=some).defer("raw_tokens")
        yield from rows.select_related("file", "message__conversation").order_by("-pk")
