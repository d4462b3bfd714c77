"""The statements that a conversation's last prompt carried: what “that's wrong” aims at first
(SPEC §6.1)."""

from collections import defaultdict
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryweb.conversations.models import Conversation
from memoryweb.facts.models import Fact
from memoryweb.facts.statements import statements_of
from memoryweb.forgetting.queries import hidden_facts
from memoryweb.search.models import InjectedSpan, Injection
from memoryweb.workspace.models import File
from memoryweb.workspace.revisions import contents_of


def last_prompt(conversation: Conversation) -> Injection | None:
    prompts = Injection.objects.filter(conversation=conversation, via=Injection.Via.CONTEXT)
    return prompts.order_by("-at", "-pk").first()


def carried(conversation: Conversation) -> "QuerySet[Fact]":
    """Those that it held, or that were made of the messages it held, and that still stand."""
    prompt = last_prompt(conversation)
    if prompt is None:
        return Fact.objects.none()
    spans = list(prompt.spans.all())
    said = {span.message_id for span in spans if span.message_id is not None}
    found = Q(evidence__message__in=said)
    for file_id, prints in _prints_of(prompt, spans).items():
        found |= Q(file=file_id, fingerprint__in=prints)
    standing = Fact.objects.of(prompt.agent_id, prompt.owner_id).living().standing()
    if prompt.owner_id:
        standing |= Fact.objects.of(prompt.agent_id, None).living().standing()
    given = standing.filter(found, hidden_at=None).exclude(pk__in=hidden_facts())
    return Fact.objects.filter(pk__in=given.values("pk")).order_by("-changed_at", "pk")


def _prints_of(prompt: Injection, spans: list[InjectedSpan]) -> dict[UUID, set[str]]:
    """By file: the statements on the lines that were given, as they were then."""
    wanted: dict[UUID, set[int]] = defaultdict(set)
    for span in spans:
        if span.file_id and span.revision:
            wanted[span.file_id].add(span.revision)
    files = {file.pk: file for file in File.objects.filter(pk__in=wanted, agent=prompt.agent_id)}
    texts = contents_of({pk: wanted[pk] for pk in files})
    found: dict[UUID, set[str]] = defaultdict(set)
    for span in spans:
        if span.file_id in files and span.revision in texts.get(span.file_id, {}):
            text = texts[span.file_id][span.revision]
            for one in statements_of(text, files[span.file_id].path):
                if span.first_line <= one.line <= span.last_line:
                    found[span.file_id].add(one.print)
    return found
