"""What later notes say against a candidate."""

from collections.abc import Sequence

from memoryweb.dreaming.candidates import Candidate, Mention
from memoryweb.dreaming.corrections import Corrections, corrects
from memoryweb.language.statements import matters, overtakes


class Rivals:
    """The candidates of one night, grouped so that each is compared with few."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._groups: dict[str, list[Candidate]] = {}
        self._places: dict[str, list[Mention]] = {}
        for candidate in candidates:
            for group in matters(candidate.text):
                self._groups.setdefault(group, []).append(candidate)
            for mention in candidate.mentions:
                self._places.setdefault(mention.text, []).append(mention)
        self._corrections = Corrections(self._places)

    def newer(self, candidate: Candidate) -> Mention | None:
        """The place of a later statement that can't be true together with this one."""
        for group in sorted(matters(candidate.text)):
            for rival in self._groups.get(group, ()):
                newest = rival.mentions[-1]
                if is_later(newest, candidate.mentions[-1]) and overtakes(
                    rival.text, candidate.text, said=newest.date, older_said=candidate.last_date
                ):
                    return newest
        return None

    def correction(self, candidate: Candidate) -> Mention | None:
        """The place where it was taken back after it was last said."""
        for text in self._corrections.near(candidate.text):
            later = [m for m in self._places[text] if is_later(m, candidate.mentions[-1])]
            if later and corrects(text, candidate.text):
                return later[0]
        return None


def is_later(one: Mention, other: Mention) -> bool:
    if one.path == other.path and one.date == other.date:
        return one.line > other.line
    return one.date > other.date
