"""What was erased stays away: keyed fingerprints of its sentences, one set for each memory."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Value

from memoryweb.agents.owners import memory_of
from memoryweb.audit import keys
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.marks import marked, part
from memoryweb.memory import models
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.visible.hidden import MARK, hiding, text_of
from memoryweb.memory.visible.text_matching import is_telling, says, sentences, units

_ONLY_MARK = re.compile(rf"\W*(?:\d{{1,2}}:\d\d\s+)?{re.escape(MARK)}\W*")


@dataclass(frozen=True)
class Tombstones:
    """Of one memory: the agent's shared one, or one owner's. `is_hiding`: some of it is to be
    forgotten and not erased yet."""

    agent_id: UUID
    owner_id: UUID | None
    prints: frozenset[str]
    is_hiding: bool = False

    def __bool__(self) -> bool:
        return bool(self.prints) or self.is_hiding

    def has(self, text: str) -> bool:
        """It is such a sentence, or has one."""
        return bool(self.prints) and any(self._print(one) in self.prints for one in units(text))

    def kept_out(self, content: str, *, known: str = "") -> str:
        """A text without the lines, and within lines without the sentences, that were erased; nor
        does a line come in that says only that something was. What is `known` stands there already.
        """
        if not self.prints and MARK not in content:
            return content
        stands = set(known.split("\n"))
        lines = (
            (line, line if line in stands else self._line(line)) for line in content.split("\n")
        )
        return "\n".join(left for line, left in lines if left or not line.strip())

    def said(self, text: str) -> str:
        """What somebody said, with the mark in the place of each such sentence."""
        if not self.prints:
            return text
        for first, last, one in reversed(list(sentences(text))):
            if self.has(one):
                text = text[:first] + MARK + text[last:]
        return text

    def lifted(self, said: Iterable[tuple[str, datetime]], now: datetime) -> "Tombstones":
        """Their person wrote this again, at that time: what was erased before it is kept out no
        longer."""
        if not self.prints:
            return self
        times: dict[str, datetime] = {}
        for text, at in said:
            for one in units(text):
                print_ = self._print(one)
                times[print_] = max(at, times.get(print_, at))
        rows = models.Tombstone.objects.filter(
            agent=self.agent_id, owner=self.owner_id, lifted_at=None
        )
        there = rows.filter(fingerprint__in=times.keys() & self.prints)
        lifted = {row.fingerprint for row in there if row.created_at < times[row.fingerprint]}
        if lifted:
            there.filter(fingerprint__in=lifted).update(lifted_at=now)
        return replace(self, prints=self.prints - lifted)

    def _line(self, line: str) -> str:
        """Empty where nothing of it may stand."""
        if _ONLY_MARK.fullmatch(line):
            return ""
        line, ended = part(line)
        whole = units(line)[:2]
        if any(self._print(one) in self.prints for one in whole):
            return ""
        left = line
        for first, last, one in reversed(list(sentences(line))):
            if any(self._print(part) in self.prints for part in units(one)[:2]):
                left = left[:first] + left[last:].lstrip()
        if left != line and not re.search(r"\w{2}", left):
            return ""
        return marked(left, [one for one in ended if one.words in left])

    def _print(self, text: str) -> str:
        return _fingerprint(self.agent_id, self.owner_id, text)


def of(agent_id: UUID, owner_id: UUID | None) -> Tombstones:
    prints = {print_ for (print_,) in _prints(agent_id, owner_id)}
    return Tombstones(agent_id, owner_id, frozenset(prints - {""}), "" in prints)


@PreparedQuery
def _prints(agent_id: UUID, owner_id: UUID | None) -> QuerySet[models.Tombstone, tuple[str]]:
    """In one statement with "", where a request hides something."""
    rows = models.Tombstone.objects.filter(agent=agent_id, owner=owner_id, lifted_at=None)
    asked = models.ForgetRequest.objects.hiding().of(agent_id, owner_id).values_list(Value(""))
    return rows.values_list("fingerprint").union(asked, all=True)


def bury(
    team_id: UUID, agent_id: UUID, owner_id: UUID | None, texts: Collection[str], now: datetime
) -> int:
    """Keep these texts, and each sentence of them, out of that memory from now on."""
    there = of(agent_id, owner_id).prints
    parts = {part for text in texts for part in units(text) if is_telling(part)}
    prints = {_fingerprint(agent_id, owner_id, part) for part in parts} - there
    models.Tombstone.objects.bulk_create(
        models.Tombstone(
            team_id=team_id,
            agent_id=agent_id,
            owner_id=owner_id,
            fingerprint=one,
            created_at=now,
        )
        for one in sorted(prints)
    )
    return len(prints)


def new_lines(content: str, known: str) -> Iterator[str]:
    stands = set(known.split("\n"))
    return (line for line in content.split("\n") if line.strip() and line not in stands)


def _fingerprint(agent_id: UUID, owner_id: UUID | None, text: str) -> str:
    said = f"{agent_id}/{owner_id or 'shared'}/{normalise(text)}"
    return keys.print_of("memoryweb.forgetting", said)


# What is to be forgotten is written down once more, by a program, an import or an older message,
# before it is erased: hidden with the rest, it comes back with an undo and goes with the erasure.


def in_files(files: Iterable[models.File], before: Iterable[str]) -> None:
    """Their lines that did not stand in the texts before."""
    for file, text in zip(files, before, strict=True):
        fresh = list(new_lines(file.raw_content, text))
        for request, texts in hidden_texts(file.agent_id, file.owner_id).items() if fresh else ():
            prints = {fingerprint(line) for line in fresh if _says(line, texts)}
            for fact in models.Fact.objects.filter(file=file, fingerprint__in=prints):
                _hide(
                    request,
                    models.Target.Kind.FACT,
                    fact=fact,
                    file=file,
                    fingerprint=fact.fingerprint,
                )
            for print_ in prints:
                _hide(request, models.Target.Kind.LINE, file=file, fingerprint=print_)


def in_messages(
    conversation: models.Conversation, rows: Iterable[models.Message], anew: Mapping[str, datetime]
) -> None:
    """But for what the owner says `anew`, after the request: that is news."""
    said = [(row, *sentence) for row in rows for sentence in sentences(row.raw_content)]
    asked = hidden_texts(conversation.agent_id, memory_of(conversation.owner))
    for request, texts in asked.items():
        news = {text for text, at in anew.items() if at > request.created_at}
        for row, first, last, text in said:
            is_news = row.role == models.Message.Role.USER and text in news
            if not is_news and _says(text, texts):
                _hide(request, models.Target.Kind.MESSAGE, message=row, first=first, last=last)


def _says(text: str, hidden: Collection[str]) -> bool:
    return any(says(text, one) for one in hidden)


def hidden_texts(
    agent_id: UUID, owner_id: UUID | None
) -> Mapping[models.ForgetRequest, Mapping[str, Collection[int]]]:
    """The requests of one memory with what each of them hides, but for its own sentence: texts,
    each with its targets."""
    asked = models.ForgetRequest.objects.of(agent_id, owner_id)
    rows = hiding(Q(request__in=asked))
    found: dict[models.ForgetRequest, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.select_related("request", "fact", "file", "message"):
        is_own = row.message_id is not None and row.message_id == row.request.message_id
        if not is_own and (text := text_of(row)):
            found[row.request][text].append(row.pk)
    return found


def _hide(request: models.ForgetRequest, kind: models.Target.Kind, **place: Any) -> None:
    models.Target.objects.get_or_create(
        request=request, kind=kind, **place, is_hidden=True, defaults={"team_id": request.team_id}
    )


# What a person says once more after they asked to forget it is theirs to have remembered.


def lifted(tx: Transaction, buried: Tombstones, anew: Mapping[str, datetime]) -> Tombstones:
    """Their own words and when they said them: what was erased before it is kept out no longer,
    and what is hidden since before it is offered instead."""
    if buried.is_hiding and anew:
        _offer(tx, buried, anew)
    return buried.lifted(anew.items(), tx.now)


def _offer(tx: Transaction, buried: Tombstones, anew: Mapping[str, datetime]) -> None:
    for request, texts in hidden_texts(buried.agent_id, buried.owner_id).items():
        later = (said for said, at in anew.items() if at > request.created_at)
        again = [said for said in later if any(_states(said, one) for one in texts)]
        keys = {pk for one in texts if any(says(one, said) for said in again) for pk in texts[one]}
        if not keys or request.run_id or request.is_everything:
            continue
        request.targets.filter(pk__in=keys).update(is_hidden=False)
        if keys == {pk for found in texts.values() for pk in found}:
            request.state, request.erase_at, request.decided_at = (
                models.ForgetRequest.State.OPEN,
                None,
                tx.now,
            )
            request.save(update_fields=["state", "erase_at", "decided_at"])
        follow(Kind.FORGET, [request.pk])
        tx.record(
            "memory.forget_undone",
            target_kind="forget_request",
            target_id=str(request.pk),
            agent_id=request.agent_id,
            on_behalf_of=request.owner_id,
            details={"via": str(request.via), "said_again": len(keys)},
        )


def _states(said: str, hidden: str) -> bool:
    """A question that has its words, or a complaint, is no such statement."""
    is_asked = said.rstrip().endswith(("?", "？"))
    return not is_asked and says(said, hidden) and says(hidden, said)
