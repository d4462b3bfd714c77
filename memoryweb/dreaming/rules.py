"""The consolidator that needs no model: what the gates let through, as operations."""

from collections.abc import Iterable, Iterator, Sequence

from memoryweb.dreaming.candidates import Candidate, as_line
from memoryweb.dreaming.conflicts import correction_in, corrects
from memoryweb.dreaming.gates import Verdict
from memoryweb.dreaming.operations import Does, Living, Material, Operation, is_later
from memoryweb.language.normal_form import clean, read
from memoryweb.language.statements import Lookup


def operations(material: Material, verdicts: Sequence[Verdict]) -> list[Operation]:
    """What happens to memory, in the order in which things were said."""
    living = _Living(material.living)
    passed = [one.candidate for one in verdicts if _passes(one)]
    return [_operation(living, one) for one in sorted(passed, key=_said)]


def _passes(verdict: Verdict) -> bool:
    """What comes from outside the team is proposed, where nothing else is wanting."""
    return all(gate.passed or gate.name == "vouched" for gate in verdict.gates)


def _said(candidate: Candidate) -> tuple[bool, str, str]:
    at = candidate.mentions[-1].by.said_at
    return at is not None, str(at), candidate.key


class _Living:
    """The statements that hold, to be asked which of them a text has to do with."""

    def __init__(self, living: Iterable[Living]) -> None:
        self._by_text = {one.text: one for one in living if not one.is_pinned}
        self._lookup = Lookup(self._by_text)

    def corrected(self, candidate: Candidate) -> Iterator[Living]:
        for mention in candidate.mentions:
            correction = correction_in(mention.text)
            if correction is None:
                continue
            dropped = read(correction.dropped).words
            near = self._lookup.with_all(dropped) if dropped else list(self._by_text)
            for other in near:
                is_news = is_later(mention.by.said_at, self._by_text[other].by.said_at)
                if is_news and corrects(mention.text, clean(other)):
                    yield self._by_text[other]


def _operation(living: _Living, candidate: Candidate) -> Operation:
    text = as_line(candidate.text)
    olds = dict.fromkeys(one.id for one in living.corrected(candidate))
    return Operation(
        Does.REPLACE if olds else Does.ADD,
        text,
        tuple(olds),
        tuple(one.ref for one in candidate.mentions if candidate.outside or not one.outside),
        kind=candidate.kind,
    )
