"""What reports quote of a source that was taken back: from then on, nothing."""

from collections.abc import Callable, Collection, Mapping
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memoryweb.agents.models import Agent
from memoryweb.language.normal_form import normalise
from memoryweb.memory.lines.sources import Source
from memoryweb.memory.models import Evidence, Fact, File

_QUOTING: list[Callable[[Agent, UUID | None, Collection[str]], None]] = []


def register_quotes(untell: Callable[[Agent, UUID | None, Collection[str]], None]) -> None:
    """What quotes an owner's lines and statements, and is given those to quote no longer."""
    _QUOTING.append(untell)


def untell(source: Source, reach: Q, gone: Mapping[UUID | None, Collection[str]]) -> None:
    """`gone`: lines that the files of each owner lost. With them go statements of the past that
    stood on the source alone; what still stands somewhere stays."""
    texts = {owner_id: set(lines) for owner_id, lines in gone.items()}
    owners = File.objects.filter(reach, agent=source.agent).values_list("owner", flat=True)
    for key in set(owners):
        known = Fact.objects.of(source.agent.pk, key).filter(_stands_alone_on(source))
        texts.setdefault(key, set()).update(known.values_list("raw_text", flat=True))
    for owner_id, told in texts.items():
        contents = File.objects.of(source.agent.pk, owner_id).present().values_list("raw_content")
        stands = {normalise(line) for [content] in contents for line in content.split("\n")}
        for quoting in _QUOTING:
            quoting(source.agent, owner_id, {one for one in told if normalise(one) not in stands})


def _stands_alone_on(source: Source) -> Q:
    theirs = Q(message__in=source.messages) | Q(root__in=source.revisions.values("pk"))
    said = Evidence.objects.filter(fact=OuterRef("pk"))
    return Q(Exists(said.filter(theirs))) & ~Q(Exists(said.exclude(theirs)))
