"""Which words of an older sentence a newer one of the same speaker ends."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.ending import ended_in, on_day, parts_of, remains, tells_change

SAID, OLDER = date(2026, 6, 2), date(2026, 2, 3)

CHANGES = [
    (
        "I live in Leeds and I play chess on Mondays",
        "moved to Porto last week, still no curtains",
        "I live in Leeds",
    ),
    (
        "I'm an accountant at Barlow & Finch, and I sing alto",
        "handed in my notice at Barlow & Finch",
        "at Barlow & Finch",
    ),
    (
        "I'm a junior developer at Quanta, remote mostly",
        "got promoted, senior dev as of Monday",
        "I'm a junior developer",
    ),
    (
        "We have a beagle called Toffee and a parrot called Kiwi",
        "we had to rehome Toffee, the landlord won't have dogs",
        "We have a beagle called Toffee",
    ),
    ("I smoke about ten a day", "three weeks without a cigarette", "I smoke about ten a day"),
    (
        "book club is on Thursdays at the Nag's Head",
        "book club's moved to Mondays",
        "on Thursdays",
    ),
    ("I pay 620 for my room and 45 for the gym", "rent went up to 660", "I pay 620 for my room"),
    (
        "I write in Word, double spaced",
        "I do all my writing in Scrivener now",
        "I write in Word",
    ),
    ("I'm Ellie Marsh, I sell flowers", "married last week so it's Ellie Novak now", "Marsh"),
    (
        "Ich bin Erzieherin in der Kita Regenbogen und singe im Chor",
        "hab bei der Kita Regenbogen gekündigt",
        "in der Kita Regenbogen",
    ),
    (
        "nehme L-Thyroxin 75 und im Winter Vitamin D",
        "der Arzt hat das L-Thyroxin auf 100 erhöht",
        "nehme L-Thyroxin 75",
    ),
    (
        "Elternabend ist am 4. März um 18 Uhr",
        "der Elternabend wurde auf den 11. März verschoben",
        "am 4. März",
    ),
    (
        "Meine Chefin heißt Petra Lang, sie mag keine langen Mails",
        "Petra Lang geht in Rente",
        "Meine Chefin heißt Petra Lang",
    ),
    ("実家暮らしで、毎日ギターを弾いてます", "ついに一人暮らしはじめました", "実家暮らしで"),
    (
        "犬のチョコは14歳で、毎朝5時に起こしてくる",
        "チョコ、昨日の夜に旅立ちました",
        "犬のチョコは14歳で",
    ),
    ("ヨガは火曜と金曜、英会話は土曜です", "ヨガは水曜だけにしました", "ヨガは火曜と金曜"),
    (
        "インコのピーと柴犬のコロがいます",
        "ピー、先週の金曜(2026-05-29)に天国へ行きました",
        "インコのピー",
    ),
    ("家計簿は紙のノートで、節約中", "家計簿はマネーフォワードに変えた", "家計簿は紙のノートで"),
]
LOOK_ALIKES = [
    (
        "I'm Marta Lindqvist and I lead the support team at Northwind.",
        "My team moved the weekly meeting to Tuesdays at 10:00.",
    ),
    (
        "Please send it to the York shop, 4 Swan Lane.",
        "From now on please write to Arun about the York shop.",
    ),
    ("We have a daughter, Mia, who is 4", "baby boy arrived this morning, Mia is a big sister now"),
    ("I live in York with two cats", "in Lisbon till Sunday, the trams are adorable"),
    ("I'm an electrician in Derby", "thinking about jacking it all in and becoming a sailor"),
    ("I drive a Mini", "should I get a Tesla?"),
    ("I use Notion for everything", "my colleague moved her whole team to Obsidian"),
    ("I'm vegan", "before uni I ate burgers all the time"),
    ("We have a cat named Pixel", "we've adopted a second cat, Byte"),
    ("My car is a Golf", "the Golf is in the garage till Thursday, got a courtesy car"),
    ("I drink three coffees a day", "no coffee today, stomach's upset"),
    ("email me at a@b.example", "the school's new email is office@school.example"),
    ("Ich wohne in Ulm", "bin grad eine Woche in Lissabon, herrlich"),
    ("Miete zahl ich 700", "wenn die auf 800 erhöhen, zieh ich aus"),
    ("Ich bin Lehrerin", "Klar, morgen werd ich Bundeskanzlerin 🙃"),
    ("Ich studiere Jura", "Hausarbeit in Jura abgegeben, endlich"),
    ("娘のさくらは4歳です", "次女が生まれました。さくらはお姉ちゃんに"),
    ("福岡に住んでます", "出張で東京に来てます、人が多い"),
    ("経理の仕事をしています", "宝くじ当たったら仕事辞めるのになあ"),
    ("大学で物理を専攻", "いとこが大学を卒業した"),
]


@pytest.mark.parametrize(("older", "newer", "words"), CHANGES)
def test_a_newer_word_ends_what_it_contradicts_and_nothing_else(
    older: str, newer: str, words: str
) -> None:
    assert ended_in(newer, older, SAID, OLDER) == (words,)


@pytest.mark.parametrize(("older", "newer"), LOOK_ALIKES)
def test_what_only_looks_like_a_change_ends_nothing(older: str, newer: str) -> None:
    assert ended_in(newer, older, SAID, OLDER) == ()


def test_what_was_said_before_ends_nothing() -> None:
    assert ended_in("moved to Porto", "I live in Leeds", OLDER, SAID) == ()


def test_a_correction_mends_what_was_said_last() -> None:
    older = "The optician is on the 17th at 9.15"
    assert ended_in("got that wrong, it's the 27th", older, SAID, SAID) == ("on the 17th",)
    assert ended_in("got that wrong, it's the 27th", older, SAID, OLDER) == ()


@pytest.mark.parametrize(
    ("older", "ended", "stays"),
    [
        ("I live in Leeds and I play chess", "I live in Leeds", True),
        ("I live in Leeds, I think", "I live in Leeds", False),
        ("oh and I'm 52, if it matters for the plan", "I'm 52", False),
        ("She lives in Rome (as of 2026-03-02)", "She lives in Rome", False),
        ("Zahnreinigung ist am 12. Juni um 14 Uhr", "am 12. Juni", True),
        ("Momentan wohne ich in Ulm, glaub ich", "wohne ich in Ulm", False),
        ("ich wohn in Ulm, und freitags bin ich bouldern", "ich wohn in Ulm", True),
        ("卵アレルギーで、あと辛いものもだめ", "卵アレルギー", True),
        ("車は古いN-BOXだと思います", "車は古いN-BOX", False),
    ],
)
def test_a_clause_with_a_value_outside_of_what_ended_remains(
    older: str, ended: str, stays: bool
) -> None:
    assert remains(older, [ended]) is stays


@pytest.mark.parametrize(
    ("newer", "day"),
    [
        ("moved out on Saturday", date(2026, 5, 30)),
        ("since 1 May I'm vegan", date(2026, 5, 1)),
        ("ab 1. Juli arbeite ich bei Bosch", date(2026, 7, 1)),
        ("昨日振られた", date(2026, 6, 1)),
        ("dinner is now on June 20", SAID),
        ("moved out", SAID),
    ],
)
def test_it_is_so_since_the_day_that_is_named_or_since_it_was_said(newer: str, day: date) -> None:
    assert on_day(newer, SAID) == day


@pytest.mark.parametrize("text", ["we split up", "hab gekündigt!", "引っ越しました"])
def test_some_sentences_tell_by_themselves_that_something_changed(text: str) -> None:
    assert tells_change(text)


@pytest.mark.parametrize("text", ["should I move?", "my cousin moved to Rome", "nice weather"])
def test_others_tell_of_no_change(text: str) -> None:
    assert not tells_change(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in Leeds and I play chess", ["I live in Leeds", "I play chess"]),
        (
            "Hannah and I have been together since uni",
            ["Hannah and I have been together since uni"],
        ),
        ("Miete ist 640 warm und Strom zahl ich 70", ["Miete ist 640 warm", "Strom zahl ich 70"]),
        ("歯医者、4月16日に予約した", ["歯医者、4月16日に予約した"]),
        (
            "The case is heavy, I fly on the 31st (2026-10-31)",
            ["The case is heavy", "I fly on the 31st (2026-10-31)"],
        ),
    ],
)
def test_the_clauses_of_a_sentence(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in parts_of(text)] == parts


WORDS = st.sampled_from(sorted({word for row in CHANGES for text in row for word in text.split()}))
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join))


@given(newer=TEXTS, older=TEXTS)
def test_what_ends_stands_in_the_older_sentence_letter_for_letter(newer: str, older: str) -> None:
    ended = ended_in(newer, older, SAID, OLDER)
    assert all(words and words in older for words in ended)
    assert ended == ended_in(newer, older, SAID, OLDER)
    assert remains(older, [older]) is False
    assert all(0 <= start < end <= len(older) for start, end in parts_of(older))


def test_another_amount_ends_that_alone_where_the_clause_says_more() -> None:
    older = "I work 30 hours a week at the library in Leer and sing on Tuesdays."
    assert ended_in("The library gives me 39 hours now.", older, SAID, OLDER) == ("30 hours",)
