import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.ending import ended_in
from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.statement_comparison import (
    Lookup,
    cited,
    clean,
    contradicts,
    covers,
    fingerprint,
    normalise,
    restates,
    says_the_same,
    tells_value,
)

WORDS = [
    *("Ines", "Tom", "likes", "tea", "green", "not", "never", "moves", "to", "Lisbon", "on"),
    *(
        "2026-03-01",
        "7",
        "will",
        "moved",
        "walks",
        "dog",
        "the",
        "her",
        "请",
        "不",
        "吃肉",
        "茶です",
    ),
]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
texts = st.one_of(sentences, st.text(max_size=40))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("- 09:15 Ships on Thursdays.", "ships on thursdays"),
        ("* Ｓｈｉｐｓ　ｏｎ Thursdays!", "Ships on Thursdays"),
        ("1. Don’t call before 9", "don't call before 9"),
        ("Budget: 1,200 €", "budget 1200 €"),
        ("- [x] Ordered the *blue* lamp", "Ordered the blue lamp"),
        ("山田さんは紅茶が好き。", "山田さんは紅茶が好き"),
    ],
)
def test_same_wording_has_the_same_fingerprint(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 3.5", "Room 35"),
        ("It is -5 degrees", "It is 5 degrees"),
        ("Uses C++", "Uses C"),
        ("Opens at 9:30", "Opens at 930"),
        ("!!!", "???"),
    ],
)
def test_punctuation_that_carries_meaning_is_kept(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_a_time_without_a_bullet_is_part_of_the_statement() -> None:
    assert clean("10:30 is the stand-up") == "10:30 is the stand-up"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ships on Thursdays", "We ship on Thursday."),
        ("Ines visited the harbour on 2026-03-01", "On 2026-03-01 Ines visited the harbour"),
        ("Tom has two cats", "Tom has 2 cats"),
        ("Ines rides her old red bicycle to work", "Ines rides her red bicycle to work"),
        (
            "Tom is looking for a flat (as of May 2026)",
            "Tom is looking for a flat (as of June 2026)",
        ),
    ],
)
def test_near_duplicates_say_the_same(one: str, other: str) -> None:
    assert says_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom has 2 cats", "Tom has 3 cats"),
        ("Tom left on 2026-03-01", "Tom left on 2026-03-02"),
        ("Ines rides her red bicycle to the office", "Ines rides her red bicycle to the school"),
        (
            "Ines calls Tom every single Friday evening",
            "Ines calls Ann every single Friday evening",
        ),
        ("Ines likes Tom", "Tom likes Ines"),
        ("Tom eats meat", "Tom doesn't eat meat"),
        ("Ines lives in Lisbon", "Ines lived in Lisbon"),
        ("Ines moves to Lisbon", "Ines might move to Lisbon"),
        ("Tom drinks red tea", "Tom drinks green tea"),
        ("小林喜欢红茶", "小林喜欢绿茶"),
        ("小林吃肉", "小林不吃肉"),
        ("The train is from Porto", "The train is to Porto"),
    ],
)
def test_another_fact_is_no_duplicate(one: str, other: str) -> None:
    assert not says_the_same(one, other)


@given(texts, texts)
def test_saying_the_same_is_symmetric(one: str, other: str) -> None:
    assert says_the_same(one, other) == says_the_same(other, one)


@given(texts)
def test_every_text_says_the_same_as_itself(text: str) -> None:
    assert says_the_same(text, text)
    assert covers(text, text)
    assert not contradicts(text, text)


@given(texts, texts)
def test_contradiction_is_symmetric(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)


@given(st.lists(sentences, max_size=12), sentences)
def test_a_lookup_finds_whatever_comparing_with_each_finds(held: list[str], text: str) -> None:
    found = set(Lookup(held).covering(text))
    assert found == {other for other in held if covers(other, text)}


def test_the_fuller_statement_covers_the_shorter_one() -> None:
    assert covers("Ines plays the violin in a quartet", "Ines plays the violin")
    assert not covers("Ines plays the violin", "Ines plays the violin in a quartet")


def test_a_denial_covers_no_claim() -> None:
    assert not covers("Ines never plays the violin in public", "Ines plays the violin")


def test_a_newer_wording_restates_an_older_one() -> None:
    older = "Ines has been looking at pottery courses more"
    newer = "Ines is still looking at pottery courses in Porto. Tom may come along."
    assert restates(newer, older)
    assert not restates(older, newer)


def test_the_same_wish_in_other_words_is_restated() -> None:
    older = "Ines is keen on teaching or working in marine biology"
    newer = "Ines is still looking into teaching and marine biology jobs (as of July 2026)."
    assert restates(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Ines is into teaching marine biology", "Ines hates teaching marine biology"),
        ("Ines looks at pottery courses", "Ines looks at cooking courses"),
        ("Ines looks at pottery courses", "Ines looked at 3 pottery courses"),
        ("Ines does not look at pottery courses", "Ines looks at pottery courses"),
        ("Ines looks at pottery courses", "Ines wants to look at pottery courses"),
    ],
)
def test_what_would_be_lost_is_not_restated(newer: str, older: str) -> None:
    assert not restates(newer, older)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Ships on Thursdays", "Ships on Fridays", True),
        ("Ships on Thursdays", "Ships on Thursdays, never on Fridays", False),
        ("Ines lives in Lisbon", "Tom lives in Porto", False),
        ("Ines eats meat", "Ines no longer eats meat", True),
        ("Ines eats meat", "Ines doesn't eat meat", True),
        ("Ines drinks tea", "Ines drinks tea, not coffee", False),
        ("小林吃肉", "小林不吃肉", True),
        ("Tom left in 2019", "Tom did not leave in 2020", False),
    ],
)
def test_contradictions(one: str, other: str, expected: bool) -> None:
    assert contradicts(one, other) is expected


def test_one_value_in_more_words_is_the_same_value() -> None:
    assert tells_value("Ships on Thursdays, never on Fridays", "Ships on Thursdays")
    assert not tells_value("Ships on Thursdays", "Ships on Fridays")


TEMPLATES = [
    *("{0} ships on {1}", "{0} moved to {1}", "On {1} {0} moved from {0} to {1}"),
    *(
        "{0} moved to Faro in the week of {1}",
        "{0}在{1}发布{0}",
        "{0}は{1}に変更",
        "{0}从{1}改到{0}了",
    ),
    *("{0}の誕生日は{1}です", "{0}'s manager is now {1} instead of {0}", "{0} is {1} years old"),
]
PIECES = [
    *(
        "Ines",
        "Ines's team",
        "Fridays",
        "10:00",
        "25:99",
        "2026-13-45",
        "March 2026",
        "2026",
        "十十点",
    ),
    *(
        "周五",
        "金曜日",
        "半",
        "noon",
        "12 pm",
        "every Monday and Friday",
        "Porto, Portugal",
        "",
        ", so",
    ),
]


@given(st.sampled_from(TEMPLATES), st.sampled_from(PIECES), st.sampled_from(PIECES), texts)
def test_any_value_can_be_read(template: str, one: str, other: str, more: str) -> None:
    first, second = template.format(one, other), template.format(one, other + more)
    assert tells_value(first, first) or claim_of(first).key is None
    assert contradicts(first, second) == contradicts(second, first)


@pytest.mark.parametrize(
    ("message", "said", "expected"),
    [
        ("Hi there! We moved to Leeds. How are you?", "We moved to Leeds.", "We moved to Leeds."),
        ("It rains. I moved yesterday.", "I moved yesterday (2026-11-20).", "I moved yesterday."),
        ("Ja. Ich wohne seit dem 5. März in Graz.", "Ich wohne seit dem 5. März in Graz.", None),
        ("你好！我住在上海。天气很好。", "我住在上海。", "我住在上海。"),
        ("I have a dog. He is called Rex. Bye!", "I have a dog. He is called Rex.", None),
        ("Leeds. We went there last year.", "Maria lives in Leeds with two cats.", ""),
        ("Nothing of the kind.", "We moved to Leeds.", ""),
        ("", "We moved to Leeds.", ""),
    ],
)
def test_a_statement_cites_the_sentences_it_was_made_of(
    message: str, said: str, expected: str | None
) -> None:
    first, last = cited(message, said) or (0, 0)
    assert message[first:last] == (said if expected is None else expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My car is a blue Golf.", "My wife's car is a blue Golf."),
        ("The piano lesson is on 4 May.", "The piano exam is on 14 May."),
        ("I like coffee.", "I like iced coffee."),
        ("I ran the Berlin marathon in 2023.", "I ran the Berlin half marathon in 2023."),
        ("My name is Robert.", "Please call me Bob."),
        ("I work at the harbour.", "My brother works at the harbour."),
        ("Oscar is my godson.", "Oscar's brother Finn is my godson."),
        ("My anniversary is on 12 September.", "My parents' anniversary is on 30 September."),
        ("My winter tyres are in the garage.", "My summer tyres are in the cellar."),
        ("We pay 30 euros a month for the gym.", "We pay 45 euros a month for the school."),
        ("Mein Sohn hat dienstags Judo.", "Meine Tochter hat donnerstags Judo."),
        ("Mein Auto ist ein Golf.", "Das Auto meiner Frau ist ein Golf."),
        ("Der Fitnessclub kostet 40 Euro im Monat.", "Der Vertrag kostet 25 Euro im Monat."),
        ("事務所の家賃は12万円です。", "自宅の家賃は15万円です。"),
        ("母は京都に住んでいます。", "祖母は京都に住んでいます。"),
        ("私の血液型はA型です。", "夫の血液型はB型です。"),
    ],
)
def test_what_is_said_of_somebody_or_something_else_is_another_fact(one: str, other: str) -> None:
    for newer, older in ((one, other), (other, one)):
        assert not covers(newer, older)
        assert not restates(newer, older)
        assert not contradicts(newer, older)
        assert not tells_value(newer, older)
        assert not ended_in(newer, older)
