"""What MEMORY.md and the notes say already, to be asked about a candidate. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from memoryweb.dreaming.candidates import Candidate
from memoryweb.dreaming.operations import Living, Said, is_later, meant
from memoryweb.dreaming.removal_rules import is_rival, may_replace
from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.statement_comparison import Lookup


class Known:
    """MEMORY.md as it stands, asked whether it already says a thing."""

    def __init__(self, lines: Sequence[str], living: Sequence[Living]) -> None:
        self._by_key: dict[tuple[str, str] | None, list[Living]] = defaultdict(list)
        for one in living:
            if one.claim.key:
                self._by_key[one.claim.key].append(one)
        self._numbers: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith(("#", "<!--")):
                self._numbers.setdefault(line, number)
        self._lookup = Lookup(self._numbers)

    def has_other(self, candidate: Candidate) -> bool:
        """It says otherwise of the same thing."""
        new = _statement(candidate)
        return any(is_rival(new, one) for one in self._by_key.get(new.claim.key, ()))

    def line(self, candidate: Candidate) -> int | None:
        """Where it says so."""
        line = next(self._lookup.covering(candidate.text), None)
        return None if line is None else self._numbers[line]


class Later:
    """The lines of the notes, asked which of them was said later and says otherwise."""

    def __init__(self, said: Sequence[Said]) -> None:
        self._said: dict[str, list[Said]] = defaultdict(list)
        for one in said:
            self._said[one.text].append(one)
        self._lookup = Lookup(self._said)
        self._against = [one for one in said if one.claim.is_against]

    def against(self, candidate: Candidate) -> Iterator[Said]:
        old = _statement(candidate)
        near = (one for text in self._lookup.opposing(old.text) for one in self._said[text])
        for one in (*near, *self._against):
            new = Living("", one.text, one.claim, one.by)
            is_news = old.by.said_at and is_later(one.by.said_at, old.by.said_at)
            if is_news and may_replace(one.by, old) and is_rival(new, old):
                yield one


def _statement(candidate: Candidate) -> Living:
    last = candidate.mentions[-1]
    claim = meant(claim_of(candidate.text, last.date), candidate.text, last.by, ())
    return Living("", candidate.text, claim, last.by)
