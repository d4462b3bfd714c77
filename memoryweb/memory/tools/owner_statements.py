"""Statements of one owner by their ids: stated, reworded, and what was said of them before."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Integration
from memoryweb.agents.models import Agent, Owner
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import Fact
from memoryweb.memory.models.refusals import ContentRefused, FileMissing
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.search import Found, kept_back, known
from memoryweb.memory.statements.bullets import bullets_of, statements_of
from memoryweb.memory.statements.moves import Went
from memoryweb.memory.tools import files, statements
from memoryweb.memory.tools.files import Acting
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine, Writer

_FOLLOWED = 50  # statements that took the place of one another


def own(acting: Acting) -> "QuerySet[Any]":
    """What holds of this owner alone, what changed last first."""
    mine = known(acting.sees, acting.now).filter(owner=acting.reader.owner)
    return mine.order_by("-changed_at", "pk")


def search(acting: Acting, query: str, limit: int) -> list[Found]:
    return statements.search_facts(acting, query, limit, Q(owner=acting.reader.owner))


def counted(agent: Agent, program: Integration) -> list[tuple[Owner, int]]:
    """End users of a program of whom something holds, with how many statements."""
    living = Fact.objects.filter(agent=agent, owner__integration=program).living()
    counts = dict(living.exclude(kept_back()).values_list("owner").annotate(Count("pk")).order_by())
    owners = Owner.objects.filter(pk__in=counts).order_by("external_id")
    return [(owner, counts[owner.pk]) for owner in owners]


def current(acting: Acting, fact: Fact) -> Any:
    """As it holds now, or what took its place. None: nothing that may be told."""
    for _turn in range(_FOLLOWED):
        if fact.superseded_by_id is None:
            break
        fact = Fact.objects.of(fact.agent_id, fact.owner_id).get(pk=fact.superseded_by_id)
    return own(acting).filter(pk=fact.pk).first()


def values(fact: Fact) -> "QuerySet[Fact]":
    """What was said before it took its place, and itself, the earliest first."""
    told = Fact.objects.of(fact.agent_id, fact.owner_id).exclude(kept_back())
    chain = earlier = {fact.pk}
    for _turn in range(_FOLLOWED):
        earlier = {*told.filter(superseded_by__in=earlier).values_list("pk", flat=True)} - chain
        if not earlier:
            break
        chain = chain | earlier
    return told.filter(pk__in=chain).select_related("owner").order_by("created_at", "pk")


def check(texts: Iterable[str]) -> None:
    """Raises ContentRefused where there is nothing to state."""
    if not all(bullets_of(f"- {' '.join(text.split())}") for text in texts):
        raise ContentRefused(_("There is nothing to remember: the content is empty."))


def state(
    tx: Transaction, acting: Acting, texts: Sequence[str], *, writer: Writer
) -> list[Fact | None]:
    """Each a statement of its own in the owner's MEMORY.md, written at once. None where it may not
    be told as one."""
    said = {fingerprint(one): one for one in (" ".join(text.split()) for text in texts)}
    there = own(acting).filter(fingerprint__in=said)
    known = set(there.values_list("fingerprint", flat=True))
    if new := [text for key, text in said.items() if key not in known]:
        place = files.place_of(acting, "MEMORY.md")
        lines = [NewLine(f"- {text}", Origin(asked=True)) for text in new]
        write.append(tx, place, lines, writer=writer)
    found = {fact.fingerprint: fact for fact in there.all()}
    return [found.get(fingerprint(" ".join(text.split()))) for text in texts]


def reword(tx: Transaction, acting: Acting, fact: Fact, text: str, *, writer: Writer) -> Any:
    """The statement that takes its place. A person's word stays. Raises EditRefused."""
    said = " ".join(text.split())
    if fact.file is None or not bullets_of(f"- {said}"):
        raise ContentRefused(_("This can't be written in its place."))

    def change(shown: str) -> str:
        there = {one.print: one for one in statements_of(shown, fact.path)}
        if fact.fingerprint not in there:
            raise FileMissing(fact.path)
        one, lines = there[fact.fingerprint], shown.split("\n")
        lines[one.line - 1 : one.end] = [f"- {said}"]
        return "\n".join(lines)

    whys = {normalise(fact.text): Went(Fact.Why.SUPERSEDED, said)}
    files.change_file(tx, acting, fact.path, change, writer=writer, whys=whys)
    return own(acting).filter(fingerprint=fingerprint(said)).first()
