"""What an owner says against their memory in a conversation counts at once (SPEC §6.1).

Found by pure rules when the message is stored, under no skip rule or cooldown: the old value goes
into no prompt and no search any more, and the next dream writes the file.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.audit.record import target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.clauses import are_of_two
from memoryweb.language.extraction_rules import Act, Claim, claim_of, may_rival, takes_back
from memoryweb.language.forget_requests.detection import LONGEST
from memoryweb.language.sentences import quotes
from memoryweb.markdown.marks import living
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models import Conversation, Fact, Message, SourceClass
from memoryweb.memory.models.writer import Transaction

_AGAINST = frozenset({Act.CHANGES, Act.CORRECTS, Act.CANCELS, Act.ENDS})
_OF_MACHINES = frozenset({Conversation.Source.CRON, Conversation.Source.DREAM})
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def hear(tx: Transaction, conversation: Conversation, messages: Iterable[Message]) -> int:
    """Hide what the owner's own words replace, correct, cancel or end; how many statements.

    Only what was said before counts: a history that is imported later overtakes nothing. The
    messages need not be kept.
    """
    is_talk = conversation.source not in _OF_MACHINES and not conversation.group
    own = [one for one in messages if is_talk and _is_own(conversation, one)]
    memory = (conversation.agent_id, conversation.owner_id)
    if not (own and conversation.owner.is_one_person and _first_of(*memory)):
        return 0
    said = [(message, claim) for message in own for claim in claims_against(message)]
    standing = Fact.objects.of(*memory).living().filter(hidden_at=None)
    hidden = []
    for fact in standing if said else ():
        against = next((one for one, claim in said if _speaks_against(one, claim, fact)), None)
        if against is not None:
            fact.hidden_at, fact.hidden_by = tx.now, against if against.pk else None
            hidden.append(fact)
    Fact.objects.bulk_update(hidden, ["hidden_at", "hidden_by"])
    if hidden:
        tx.record(
            "fact.hidden",
            **target(conversation),
            on_behalf_of=conversation.owner_id,
            details={"hidden": len(hidden)},
        )
    return len(hidden)


def _is_own(conversation: Conversation, message: Message) -> bool:
    """A short message of the owner's own that quotes nobody."""
    is_short = message.role == Message.Role.USER and len(message.raw_content) <= LONGEST
    is_owners = is_short and source_of_message(conversation, message) == SourceClass.OWNER
    return is_owners and not quotes(message.raw_content)


@PreparedQuery
def _first_of(agent_id: UUID, owner_id: UUID) -> QuerySet[Fact, tuple[UUID]]:
    """There is a statement that may be spoken against."""
    standing = Fact.objects.of(agent_id, owner_id).living().filter(hidden_at=None)
    return standing.values_list("pk")[:1]


def claims_against(message: Message) -> Iterator[Claim]:
    """What it may say against something of before: another value of the same thing, or that
    something is over."""
    yield from _claims(message.raw_content, message.said_at.date() if message.said_at else None)


def may_correct(text: str) -> bool:
    return len(text) <= LONGEST and any(_claims(text, None))


def _claims(text: str, said: date | None) -> Iterator[Claim]:
    for sentence in map(str.strip, _SENTENCE.split(text)):
        if sentence and not sentence.endswith(("?", "？")) and may_rival(sentence):
            claim = claim_of(sentence, said)
            if (claim.key or claim.act in _AGAINST) and not _is_ahead(claim, said):
                yield claim


def _is_ahead(claim: Claim, said: date | None) -> bool:
    """What begins another day says nothing against today."""
    return said is not None and claim.valid_from is not None and claim.valid_from > said


def _speaks_against(message: Message, claim: Claim, fact: Fact) -> bool:
    if message.said_at is None or are_of_two(message.raw_content, fact.raw_text):
        return False
    known = [at for at in (fact.said_at, fact.confirmed_at) if at is not None]
    return all(at < message.said_at for at in known) and takes_back(
        claim, living(fact.raw_text, fact.ended)
    )
