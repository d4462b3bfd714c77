"""What people took back, and which texts that keeps out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.language.extraction_rules import Claim
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import Lookup, says_the_same
from memoryweb.memory.models import Fact


class Corrections:
    """Of one reach; ask `blocking` of a text whether a person took it back."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_text: dict[str, list[Fact]] = defaultdict(list)
        self._by_value: dict[tuple[tuple[str, str], str], list[Fact]] = defaultdict(list)
        for fact in facts:
            self._by_text[fact.raw_text].append(fact)
            if fact.attribute:
                key = (fact.subject, fact.attribute)
                self._by_value[key, normalise(fact.raw_value)].append(fact)
        self._lookup = Lookup(self._by_text)

    def blocking(self, text: str, claim: Claim) -> Fact | None:
        """The newest correction of that text, in nearly its words, or of that value of its key.
        It keeps out nothing that stands in its place."""
        found = [one for one in self._near(text, claim) if not _is_successor(one, text, claim)]
        return max(found, key=lambda one: (one.corrected_at, one.pk), default=None)

    def _near(self, text: str, claim: Claim) -> Iterator[Fact]:
        for other in (*self._lookup.covering(text), *self._lookup.within(text)):
            yield from self._by_text[other]
        if claim.key:
            yield from self._by_value.get((claim.key, normalise(claim.value)), ())


def _is_successor(correction: Fact, text: str, claim: Claim) -> bool:
    newer = correction.superseded_by
    if newer is None:
        return False
    has_key = bool(newer.attribute) and claim.key == (newer.subject, newer.attribute)
    is_value = has_key and normalise(newer.raw_value) == normalise(claim.value)
    return is_value or says_the_same(newer.raw_text, text)


def corrections(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Fact]":
    """What people took back in one workspace, each with what stands in its place."""
    found = Fact.objects.of(agent_id, owner_id).filter(corrected_at__isnull=False)
    return found.select_related("superseded_by")
