"""The statements that hold, to be asked which of them a text has to do with. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memoryweb.dreaming import removal_rules
from memoryweb.dreaming.operations import LivingStatement
from memoryweb.language.extraction_rules import Claim
from memoryweb.language.normal_form import read
from memoryweb.language.statement_comparison import Lookup, fingerprint, says_all_of


class Standing:
    """Of each its latest form in `living`; what is gone from there is found no more."""

    def __init__(self, living: Sequence[LivingStatement]) -> None:
        self.living = {one.id: one for one in living}
        self._by_text: dict[str, list[str]] = {}
        self._by_key: dict[tuple[str, str] | None, list[str]] = {}
        self._lookup = Lookup()
        # What waits for a person stands for nothing: no rival, and nobody's duplicate.
        self._waiting = {fingerprint(one.text): one for one in living if one.is_flagged}
        for one in living:
            if not one.is_flagged:
                self.learn(one)

    def learn(self, one: LivingStatement) -> None:
        self._by_text.setdefault(one.text, []).append(one.id)
        for key in {it.claim.key for it in removal_rules.clauses(one)}:
            self._by_key.setdefault(key, []).append(one.id)
        self._lookup.add(one.text)

    def ended_on(self, text: str) -> Iterator[date]:
        """The days since which all that the text says is no longer so."""
        for one in self.living.values():
            if (ended := removal_rules.again(text, one)) and removal_rules.has_all(one, text):
                yield from (it.on for it in ended)

    def ended_in(self, text: str) -> list[LivingStatement]:
        """Statements of which words that have ended say the text."""
        return [one for one in self.living.values() if removal_rules.again(text, one)]

    def near(self, text: str, claim: Claim) -> list[LivingStatement]:
        """Those that say all of the text, restate it or may contradict it."""
        texts = [
            *self._lookup.covering(text),
            *self._lookup.restating(text),
            *self._lookup.opposing(text),
        ]
        near = {one.id: one for one in self._living(dict.fromkeys(texts))}
        keys = {claim.key, *(it.key for it in removal_rules.claims_in(text))} - {None}
        for key in keys:
            ids = self._by_key.get(key, ())
            near |= {id: self.living[id] for id in ids if id in self.living}
        found = (near | self.living if claim.is_against else near).values()
        return [one for one in found if not one.is_flagged]

    def known(self, text: str, but: Sequence[LivingStatement] = ()) -> LivingStatement | None:
        """Of two that say the same in other words the longer one is the one to keep."""
        said = list(self._lookup.covering(text))
        within = set(self._lookup.within(text))
        mutual = [other for other in within if says_all_of(other, text)]
        close = {*self._lookup.restating(text), *mutual} - set(said)
        said += [one for one in close if one not in within or _length(one) >= _length(text)]
        over = self.ended_in(text)
        known = (
            one
            for one in self._living(said)
            if one not in but and not one.is_hidden and one not in over
        )
        return next(known, None) or self._waiting.get(fingerprint(text))

    def within(self, text: str) -> list[LivingStatement]:
        """Those of which it says all, and that it may take in."""
        return [one for one in self._living(self._lookup.within(text)) if not one.is_fixed]

    def _living(self, texts: Iterable[str]) -> Iterator[LivingStatement]:
        ids = (id for text in texts for id in self._by_text[text])
        return (self.living[id] for id in ids if id in self.living)


def _length(text: str) -> tuple[int, str]:
    return len(read(text).words), text
