"""What lives again when a source is reverted: what it alone had ended."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.marks import Ended, marked, part
from memoryweb.markdown.sections import with_bullet
from memoryweb.memory.lines.sources import Lines, Source, leads_to
from memoryweb.memory.models import AuthorKind, Evidence, Fact, File, LineOrigin
from memoryweb.memory.statements.bullets import all_bullets_of, statements_of
from memoryweb.memory.statements.moves import Departure, Whys
from memoryweb.memory.visible.hidden import remembered

Place = tuple[UUID, int | None, int | None]  # a line of a note, at a revision
_FOLLOWED = 20


@dataclass(frozen=True)
class Ending:
    """Words of a statement that ended, and the statement that ended them, if one was kept."""

    owner_id: UUID | None
    print: str
    ended: Ended
    against: str


_ENDINGS: list[Callable[[Mapping[UUID, set[Place]]], Iterable[Ending]]] = []


def register_endings(found: Callable[[Mapping[UUID, set[Place]]], Iterable[Ending]]) -> None:
    """What knows which words ended by lines of notes alone, given as run → lines."""
    _ENDINGS.append(found)


@dataclass
class Freed:
    """Of one file: statements that stand again, and words that hold again."""

    file: File
    facts: list[Fact] = field(default_factory=list)
    endings: set[tuple[str, Ended]] = field(default_factory=set)

    def put_into(self, text: str) -> str:
        lines = text.split("\n")
        for one in all_bullets_of(text, self.file.path):
            line, there = part(lines[one.end - 1])
            left = [it for it in there if (one.print, it) not in self.endings]
            if len(left) < len(there):
                lines[one.end - 1] = marked(line, left)
        text = "\n".join(lines)
        for fact in self.facts:
            if fact.fingerprint not in {one.print for one in statements_of(text, self.file.path)}:
                text = with_bullet(text, fact.heading, f"- {marked(fact.raw_text, fact.ended)}")
        return text


def _theirs(source: Source) -> Q:
    """Evidence from the source, but for what a person put into words of their own."""
    said = Q(message__in=source.messages) & ~Q(root__author_kind=AuthorKind.PERSON)
    return said | Q(root__in=source.revisions.values("pk"))


def _on_others(source: Source) -> Exists:
    """Something else says it, not only a statement that it took in."""
    same = Q(message=OuterRef("message")) | Q(message=None, root=OuterRef("root"))
    taken_in = Evidence.objects.filter(same, fact__superseded_by=OuterRef("fact"))
    said = Evidence.objects.filter(fact=OuterRef("pk")).exclude(_theirs(source))
    said = said.exclude(message__reverted_at__isnull=False)
    return Exists(said.exclude(Exists(taken_in.filter(fact__corrected_at=None))))


def known_of(source: Source, files: Sequence[File]) -> list[Any]:
    """Statements of these files from the source, and those that they replaced; nothing that a
    person took out or wants forgotten."""
    theirs = Exists(Evidence.objects.filter(_theirs(source), fact=OuterRef("pk")))
    old = Q(file=None, corrected_at=None, state__in=Fact.OVER)
    which = Q(theirs, file__in=files) | (old & Q(superseded_by__file__in=files))
    ended = Fact.objects.filter(agent=source.agent, file__isnull=False, raw_ended__isnull=False)
    found = remembered(which).annotate(on_others=_on_others(source), has_marks=Exists(ended))
    return list(found)


def divide(known: Iterable[Any], lines: Mapping[UUID, Lines], files: Iterable[File]) -> None:
    """What a person confirmed, or others said too, stands on more than the source; what took in a
    statement of others doesn't."""
    standing = {(one.file_id, one.fingerprint): one for one in known if one.file_id}
    took_in = {one.superseded_by_id for one in known}
    for file in files if standing else ():
        its = lines.get(file.pk, Lines())
        for one in all_bullets_of(file.raw_content, file.path):
            fact = standing.get((file.pk, one.print))
            there = {*range(one.line, one.end + 1)}
            if fact and (fact.on_others or fact.confirmed_at):
                its.partly |= its.alone & there
                its.alone -= there
            elif fact and fact.pk in took_in:
                its.alone |= its.partly & there
                its.partly -= there


def freed(source: Source, reach: Q, texts: Mapping[File, str], known: Sequence[Any]) -> list[Freed]:
    """By file, where a revert leaves these texts."""
    left = {
        file.pk: {one.print for one in statements_of(text, file.path)}
        for file, text in texts.items()
        if text != file.raw_content
    }
    gone = {
        one.pk for one in known if one.file_id in left and one.fingerprint not in left[one.file_id]
    }
    facts = list(_back(source, gone, known))
    has_marks = any(one.has_marks for one in known)
    noted = _noted(source, left) if left and has_marks else {}
    found = [one for find in _ENDINGS for one in find(noted)] if noted else []
    endings = _over(source.agent.pk, found, gone)
    if not facts and not endings:
        return []
    paths = {"MEMORY.md", "PROFILE.md", *(one.path for one in facts)}
    files = File.objects.filter(reach, agent=source.agent, path__in=paths).present()
    rows = [Freed(file) for file in files.select_related("agent", "owner")]
    for row in rows:
        where = (row.file.owner_id, row.file.path)
        row.facts = [one for one in facts if (one.owner_id, one.path) == where]
        row.endings = {(one.print, one.ended) for one in endings if one.owner_id == where[0]}
    return rows


def _back(source: Source, gone: Collection[UUID], known: Iterable[Any]) -> Iterator[Fact]:
    """What stood in their place before, as far back as something else says it, each as replaced by
    what goes."""
    seen, after = set(gone), {key: key for key in gone}
    rows = [one for one in known if one.file_id is None and one.superseded_by_id in gone]
    while rows:
        earlier = {}
        for one in rows:
            seen.add(one.pk)
            one.superseded_by_id = after[one.superseded_by_id]
            if one.on_others:
                yield one
            else:
                earlier[one.pk] = one.superseded_by_id
        after = earlier
        which = Q(superseded_by__in=after, file=None, corrected_at=None, state__in=Fact.OVER)
        older = remembered(which).annotate(on_others=_on_others(source)).exclude(pk__in=seen)
        rows = list(older) if after else []


def _noted(source: Source, files: Collection[UUID]) -> Mapping[UUID, set[Place]]:
    """Run → lines of notes from the source that it worked with, by lines of these files."""
    rows = LineOrigin.objects.filter(leads_to(source), file__in=files, source_file__isnull=False)
    found: dict[UUID, set[Place]] = defaultdict(set)
    places = rows.values_list("run", "source_file", "source_revision", "source_line")
    for run_id, file_id, revision, line in places:
        if file_id:
            found[run_id].add((file_id, revision, line))
    return found


def _over(agent_id: UUID, endings: Collection[Ending], gone: Collection[UUID]) -> list[Ending]:
    """Those of which neither what ended them stays, nor what took the place of that."""
    prints = {fingerprint(one.against) for one in endings if one.against}
    rows = Fact.objects.filter(agent=agent_id, fingerprint__in=prints) if prints else ()
    stay = {(one.owner_id, one.fingerprint) for one in rows if _stays(one, gone)}
    return [one for one in endings if (one.owner_id, fingerprint(one.against)) not in stay]


def _stays(fact: Fact, gone: Collection[UUID]) -> bool:
    for _turn in range(_FOLLOWED):
        if fact.state not in Fact.OVER or fact.superseded_by is None:
            break
        fact = fact.superseded_by
    return fact.state not in Fact.OVER and fact.pk not in gone


def last_stood(file: File, facts: Iterable[Fact]) -> Iterator[int]:
    """Revisions of the file that still held them."""
    for fact in facts:
        before = file.revisions.filter(created_at__lt=fact.changed_at).order_by("-number")
        yield from before.values_list("number", flat=True)[:1]


def instead(facts: Sequence[Fact]) -> Whys:
    """Why what had taken their place goes: they stand there again."""
    newer = [(one, one.superseded_by) for one in facts]
    return {
        normalise(it.raw_text): Departure(Fact.Why.REVERTED, one.raw_text)
        for one, it in newer
        if it
    }
