"""German and Japanese say everything that English says, and say it with the same values."""

import re
from functools import cache

import pytest

from scripts import catalogues

_VALUE = re.compile(r"%\(\w+\)[sd]|%[sd]|%%|\{\w*(?::[^}]*)?\}|</?\w+>|`[^`]*`")

wanted = cache(catalogues.wanted)
there = cache(catalogues.read)
both = pytest.mark.parametrize("language", catalogues.PLURALS)


def _values(text: str) -> list[str]:
    return sorted(_VALUE.findall(text))


@both
def test_a_catalogue_has_what_the_sources_say_and_nothing_else(language: str) -> None:
    texts = {(one.id, one.plural) for one in wanted().values()}
    kept = {(one.id, one.plural) for one in there(language).values()}
    assert sorted(texts ^ kept) == [], "run `python -m scripts.catalogues`, then translate"


@both
def test_nothing_is_untranslated_or_unsure(language: str) -> None:
    messages = there(language).values()
    assert [one.id for one in messages if one.is_fuzzy or not one.said or not all(one.said)] == []
    forms = catalogues.FORMS[language]
    assert [one.id for one in messages if len(one.said) != (forms if one.plural else 1)] == []


@both
def test_a_translation_has_the_values_and_the_edges_of_its_text(language: str) -> None:
    wrong = []
    for one in there(language).values():
        texts = [one.id, one.plural] if one.plural else [one.id]
        for said in one.said:
            # One thing may be told in words: “one line” for “1 line”.
            fits = any(_values(said) == _values(text) for text in texts)
            if not fits or [said[:1].isspace(), said[-1:].isspace()] != [
                one.id[:1].isspace(),
                one.id[-1:].isspace(),
            ]:
                wrong.append((one.id, said))
    assert wrong == []


@both
def test_what_runs_is_what_is_written(language: str) -> None:
    assert catalogues.mo(language).read_bytes() == catalogues.compiled(language, there(language))
