"""Memory tests: a question, and what an answer from a memory must and must not hold."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import lru_cache
from itertools import islice
from unicodedata import category
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from memoryweb.agents.models import Reader
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.normal_form import clean, is_cjk, read
from memoryweb.language.statement_comparison import says_all_of, tells_value
from memoryweb.markdown import marks
from memoryweb.memory import prompt
from memoryweb.memory.facts import check_person
from memoryweb.memory.index.query_syntax import plain
from memoryweb.memory.models import Contradiction, Fact, MemoryTest
from memoryweb.memory.models.facts import BY_HAND
from memoryweb.memory.models.refusals import ContentRefused
from memoryweb.memory.models.writer import Memory, Transaction, Writer
from memoryweb.memory.search import search
from memoryweb.memory.visible import text_matching
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import To, statement
from memoryweb.memory.writing import screening, tombstones
from memoryweb.runs.models import Run

MOST = 200  # of one memory
LONGEST = 600  # characters of each text
YEARS = range(2000, 2101)  # of the day that it asks of
_TEXTS = ("question", "must", "must_not")

# What a line says. Pure.


def says(line: str, words: str) -> bool:
    """A sentence of it has these words, or says all that they do, of the same; what it denies it
    doesn't say."""
    if not words or not read(words).heavy <= _words(line):
        return bool(words) and tells_value(line, words)
    parts = (line, *(said for _first, _last, said in text_matching.sentences(line)))
    return any(_has(one, words) or _says_all_of(one, words) for one in dict.fromkeys(parts))


def breaks(test: MemoryTest, line: str) -> bool:
    """It says what an answer must not hold. One word or name alone has to be said of what was
    asked."""
    if not says(line, test.must_not):
        return False
    asked, kept_out = read(test.question).heavy, read(test.must_not).heavy
    return len(kept_out) > 1 or not asked or bool(asked & read(line).heavy - kept_out)


@lru_cache(maxsize=16_384)
def _words(text: str) -> frozenset[str]:
    return frozenset(read(text).words)


def _says_all_of(line: str, words: str) -> bool:
    one, two = claim_of(line), claim_of(words)
    is_of_same = one.subject == two.subject or not (one.key and two.key)
    return is_of_same and says_all_of(line, words)


def _has(line: str, words: str) -> bool:
    one, two = read(line), read(words)
    if one.negated != two.negated or not two.normal:
        return False
    is_spaced = not is_cjk(two.normal)
    return f" {two.normal} " in f" {one.normal} " if is_spaced else two.normal in one.normal


# The tests of a memory: made by people, and those that follow from what people took back.


class MemoryTestRefused(ContentRefused):
    field = "question"


@dataclass(frozen=True)
class ListedTest:
    """`fact`: a statement that a person marked as not true, of which no row tells but its own.
    `is_retired`: what its owner said later holds, or its time is over. Once it was run, whether it
    `passed`, and a line that was `said` and must not be."""

    test: MemoryTest
    fact: Fact | None = None
    is_retired: bool = False
    passed: bool | None = None
    said: str = ""


def add(
    tx: Transaction,
    memory: Memory,
    question: str,
    must: str = "",
    must_not: str = "",
    as_of: date | None = None,
    *,
    writer: Writer,
) -> MemoryTest:
    """The same one where it is there already. Raises WriteRefused, ContentRefused."""
    check_person(writer)
    said = dict(zip(_TEXTS, map(_line, (question, must, must_not)), strict=True))
    made = MemoryTest(team=tx.team, agent=memory.agent, owner=memory.owner, as_of=as_of, **said)
    made.made_by, made.created_at = writer.user, tx.now
    check(made)
    its = _rows(*memory.key)
    if (known := its.filter(_is_active(), **said, as_of=as_of).first()) is not None:
        return known
    if its.count() >= MOST:
        raise MemoryTestRefused(_("A memory has at most 200 tests. Delete one first."))
    made.save(force_insert=True)
    _record(tx, "test.made", made)
    return made


def about_fact(fact: Fact) -> dict[str, str]:
    """What a test asks so that a statement stays, or that its correction does."""
    if fact.state not in Fact.OVER:
        return _asked([fact, *fact.supersedes.filter(corrected_at__isnull=False)])
    return _asked([one for one in (fact.superseded_by, fact) if one])


def about_contradiction(found: Contradiction) -> dict[str, str]:
    """The same of how it was decided."""
    return _asked(found.facts.all())


def _asked(facts: Iterable[Fact]) -> dict[str, str]:
    """The first that holds, and the first that doesn't; nothing of what is to be forgotten."""
    read = [(one, statement(one, To.PAGE)) for one in facts]
    said = [(one.state in Fact.OVER, text) for one, text in read if not text.is_hidden]
    must, must_not = (next((it for over, it in said if over is way), None) for way in (False, True))
    about, texts = must or must_not, {"must": must, "must_not": must_not}
    question = about.text.replace(about.value or "…", "…", 1) if about else ""
    return {"question": question} | {name: it.text if it else "" for name, it in texts.items()}


def remove(tx: Transaction, memory: Memory, test_id: UUID) -> bool:
    found = _rows(*memory.key).filter(pk=test_id).first()
    if found is not None:
        _record(tx, "test.deleted", found)
        found.delete()
    return found is not None


def listed(memory: Memory) -> list[ListedTest]:
    """The newest first; then what was marked as not true, the latest first."""
    away = _away(*memory.key)
    rows = [one for one in _rows(*memory.key).select_related("retired_by") if not away(one)]
    facts = Fact.objects.of(*memory.key)
    since = min((one.created_at for one in rows), default=None)
    later = Q(corrected_at__gt=since) | Q(source__in=BY_HAND, created_at__gt=since)
    words = [*_told(facts.filter(later).select_related("superseded_by"))] if since else []
    untrue = facts.filter(why=Fact.Why.NOT_TRUE, corrected_at__isnull=False)
    return [
        *(ListedTest(one, is_retired=_is_retired(one, words)) for one in rows),
        *(
            ListedTest(MemoryTest(pk=fact.pk, question=text, must_not=text), fact)
            for fact, text in _told(untrue.order_by("-corrected_at", "pk"))
        ),
    ]


def standing(agent_id: UUID, owner_id: UUID | None) -> list[MemoryTest]:
    """That a night keeps to: it changes nothing of what was."""
    if not (rows := list(_standing(agent_id, owner_id))):
        return []
    away = _away(agent_id, owner_id)
    return [one for one in rows if not away(one)]


def retire(tx: Transaction, run: Run, tests: Iterable[MemoryTest]) -> None:
    for one in tests:
        MemoryTest.objects.filter(pk=one.pk).update(retired_by=run)
        _record(tx, "test.retired", one)


@PreparedQuery
def _standing(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[MemoryTest]":
    return _rows(agent_id, owner_id).filter(_is_active(), as_of=None)


def _rows(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[MemoryTest]":
    rows = MemoryTest.objects.filter(agent=agent_id, owner=owner_id)
    return rows.order_by("-created_at", "pk")


def _is_active() -> Q:
    return Q(retired_by=None) | Q(retired_by__reverted_at__isnull=False)


def _is_retired(test: MemoryTest, words: Iterable[tuple[Fact, str]]) -> bool:
    """`words`: what people took back or wrote, of which what came after the test counts."""
    by, at = test.retired_by, test.created_at
    if test.as_of or (by is not None and by.reverted_at is None):
        return by is not None
    for fact, text in words:
        if fact.corrected_at and fact.corrected_at > at and says(text, test.must):
            newer = fact.superseded_by
            if newer is None or not says(statement(newer, To.PAGE).text, test.must):
                return True
        elif not fact.corrected_at and fact.created_at > at and breaks(test, text):
            return True
    return False


def _told(facts: "QuerySet[Fact]") -> Iterator[tuple[Fact, str]]:
    for fact in remembered_of(facts):
        yield fact, statement(fact, To.PAGE).text


def check(made: MemoryTest) -> None:
    if not made.question or not (made.must or made.must_not):
        said = _("Give a question, and what an answer must or must not hold.")
        raise MemoryTestRefused(said)
    if any(len(text) > LONGEST for text in made.texts):
        raise MemoryTestRefused(_("Each text of a test has at most 600 characters."))
    if made.as_of and made.as_of.year not in YEARS:
        raise MemoryTestRefused(_("Choose a day between 2000 and 2100."))
    if says(made.must, made.must_not):
        said = _("No answer can hold this: what it must and what it must not say are the same.")
        raise MemoryTestRefused(said)
    screening.check_words(*made.texts)
    if any(map(tombstones.of(made.agent_id, made.owner_id).has, made.texts)):
        raise MemoryTestRefused(_("This was erased, and stays out of this memory."))


def _line(text: str) -> str:
    kept = (" " if category(one) in {"Cc", "Cs"} else one for one in text[: LONGEST * 10])
    return " ".join("".join(kept).split())


def _away(agent_id: UUID, owner_id: UUID | None) -> Callable[[MemoryTest], bool]:
    """Whether one speaks of what is to be forgotten."""
    hidden = tombstones.hidden_texts(agent_id, owner_id).values()
    texts = [text for its in hidden for text in its]
    return lambda one: any(
        text_matching.asks_for(one.question, (one.must, one.must_not), text) for text in texts
    )


def _record(tx: Transaction, action: str, test: MemoryTest) -> None:
    its = {"target_kind": "memory_test", "target_id": str(test.pk), "agent_id": test.agent_id}
    tx.record(action, **its, on_behalf_of=test.owner_id)


# What a memory answers: all that an agent would be given for the question.


def run(memory: Memory) -> list[ListedTest]:
    """Its tests, run without a model, but for those that are retired; of many the first 200."""
    active = (it for it in listed(memory) if not it.is_retired)
    return [_run(Reader(memory.agent, memory.owner), one) for one in islice(active, MOST)]


def _run(reader: Reader, one: ListedTest) -> ListedTest:
    lines = _carried(reader, one.test)
    said = next((line for line in lines if breaks(one.test, line)), "")
    has_all = not one.test.must or any(says(line, one.test.must) for line in lines)
    return replace(one, passed=has_all and not said, said=clean(said))


def _carried(reader: Reader, test: MemoryTest) -> list[str]:
    if test.as_of:
        at = datetime.combine(test.as_of, time.max, reader.agent.zone)
        found = search(reader, replace(plain(test.question), at=at), limit=50, by_meaning=False)
        return [marks.living(hit.text, hit.ended) for hit in found.hits]
    given = prompt.build(reader, test.question)
    texts = (given.system, *(turn.content for turn in given.memory))
    return [marks.untold(line) for text in texts for line in text.split("\n")]
