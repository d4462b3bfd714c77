"""The journal that the rules write: people's own words, with what of them is durable."""

import re
from datetime import UTC, datetime

import pytest

from memoryweb.extraction.rules_extractor import extract
from memoryweb.language.extraction_rules import Kind
from tests.extraction.rules_talk import durable, notes, said, texts, window
from tests.tables import every_row


def test_a_line_is_what_was_said() -> None:
    assert said("Morning! I moved to Leeds, finally. How are you?") == [
        "I moved to Leeds, finally."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We retooled the shop and I set the admin password's owner to 'admin'.",
        "I have been to Rome, but my brother John hasn't.",
        "Our launch slipped to March 3rd.",
        "I'm starting the course on March 20.",
        "I read it to the kids, and we put them to bed.",
    ],
)
def test_no_verb_name_or_year_is_put_into_what_was_said(text: str) -> None:
    at = datetime(2025, 9, 10, 9, tzinfo=UTC)
    assert said(text, at) == [text]


def test_nothing_is_joined_across_speakers() -> None:
    lines = texts(
        ("John", "We're having a baby!"),
        ("Maria", "Wow! What will you call him?"),
        ("John", "Thanks, Maria! We don't know yet."),
        ("Maria", "How long have you been married?"),
        ("John", "5 years already!"),
    )
    assert not any(
        "Maria" in line and line.startswith("John") and "called" in line for line in lines
    )
    assert not any("baby" in line and "Thanks" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I saw my aunt yesterday.", "I saw my aunt yesterday (2024-05-07)."),
        ("I saw my aunt last Friday.", "I saw my aunt last Friday (2024-05-03)."),
        ("I have an exam tomorrow at 9.", "I have an exam tomorrow (2024-05-09) at 9."),
        ("I saw my aunt last month.", "I saw my aunt last month (2024-04)."),
        ("I have an exam next Friday.", "I have an exam next Friday."),
        ("I have an exam next Monday.", "I have an exam next Monday (2024-05-13)."),
        ("I have therapy every Tuesday at 4.", "I have therapy every Tuesday at 4."),
        ("My exam is on May 20.", "My exam is on May 20 (2024-05-20)."),
        ("I met Ben on Tuesday, March 10.", "I met Ben on Tuesday, March 10."),
        ("Wir waren gestern in Graz.", "Wir waren gestern (2024-05-07) in Graz."),
        ("我昨天去了外滩。", "我昨天(2024-05-07)去了外滩。"),
        ("下周三我要考试。", "下周三(2024-05-15)我要考试。"),
        ("来週の火曜に面接がある。私は緊張する", "来週の火曜(2024-05-14)に面接がある。"),
    ],
)
def test_a_relative_date_is_told_where_only_one_can_be_meant(text: str, line: str) -> None:
    assert said(text)[0] == line


@pytest.mark.parametrize(
    "text",
    [
        "We ship on Fridays, so please never plan a call with me on a Friday afternoon.",
        "Freitags liefern wir aus, da bin ich im Lager.",
    ],
)
def test_a_habit_has_no_date(text: str) -> None:
    assert said(text) == [text]


def test_a_sentence_that_needs_the_one_before_takes_it_along() -> None:
    assert said("I finally adopted a dog. Her name is Biscuit. It was great!") == [
        "I finally adopted a dog. Her name is Biscuit."
    ]
    assert said("Eau Claire, baby! As of today, March 7, we officially live here.") == [
        "Eau Claire, baby! As of today, March 7, we officially live here."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I hired Tomás Varga, he starts on 1 December as a support engineer.",
        "My sister called me and she lives in Rome now.",
        "これからは週報を毎週月曜日に送ってください。",
    ],
)
def test_a_sentence_that_names_whom_it_is_about_stands_alone(text: str) -> None:
    before = "私は横浜に住んでいます。" if "週" in text else "We ship on Thursdays."
    assert len(said(f"{before} {text}")) == 2


@pytest.mark.parametrize(
    "text",
    ["Here is one of them that I bought in Rome in 2019.", "I've even married one of those."],
)
def test_what_only_speaks_of_some_of_them_is_nothing_lasting_alone(text: str) -> None:
    assert durable(text) == []


def test_a_correction_is_no_text_to_be_corrected() -> None:
    told = "Correction: we ship on Thursdays now, never on Fridays."
    assert said(told) == [told]
    assert said("Please correct this: I live in Rome.") == []


def test_a_sentence_of_pronouns_alone_is_left_out() -> None:
    assert said("It was great! They loved it. That made me so happy.") == []


@every_row([
        "Hello there!", "Thanks so much, you're the best!", "That's cool, I'm so proud of you.",
        "How do I boil an egg?", "whats the best way to boil an egg", "Can you write me an email?",
        "Write a text to my landlord asking for the keys.", "Good luck, I hope it goes well!",
        "Sounds great, I can't wait!", "Danke dir, gute Nacht!", "Schreib mir bitte eine Mail.",
        "谢谢!", "帮我写一封邮件给我老板", "ありがとう!", "英文メールを書いて",
        "```\nI live in Oslo.\n```", "> I live in Oslo.", "",
    ])  # fmt: skip
def test_small_talk_questions_and_orders_are_left_out(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'Can you proofread: "Hi Dr. Pruitt, I live in Oslo and I am allergic to nuts."',
        "Please improve this draft:\nDear Sir,\nI live in Oslo. I am a nurse.\nYours, Ada",
        "Hi Tom,\nI moved to Oslo.\nBest, Ada",
        "Translate this: I live in Oslo.",
        "帮我润色:我住在奥斯陆。",
    ],
)
def test_pasted_drafts_are_nobody_s_own_words(text: str) -> None:
    assert durable(text) == []


def test_a_request_to_forget_is_no_note() -> None:
    assert said("Please forget that I weigh 62 kilos. I really like green tea a lot.") == [
        "I really like green tea a lot."
    ]


def test_what_the_assistant_says_is_not_the_person_s() -> None:
    assert (
        texts(("user", "Hm."), ("assistant", "You live in Oslo, I remember. I live in Oslo.")) == []
    )


def test_between_friends_every_line_names_who_said_it() -> None:
    assert texts(("Ben", "I live in Oslo."), ("Ada", "My son Tim plays the cello.")) == [
        "Ben: I live in Oslo.",
        "Ada: My son Tim plays the cello.",
    ]


def test_in_a_chat_with_the_assistant_the_owner_s_sentence_has_no_name() -> None:
    assert texts(("Ada", "I live in Oslo."), ("assistant", "Nice.")) == ["I live in Oslo."]


def test_in_shared_memory_a_line_says_whose_it_is() -> None:
    talk = window(("user", "I live in Oslo."), ("assistant", "Nice."))
    assert [line.text for line in extract(talk, speaker="Ada", shared=True)] == [
        "Ada: I live in Oslo."
    ]


def test_friends_instruct_no_assistant() -> None:
    lines = notes(("Ben", "From now on, use your own cup."), ("Ada", "Remember that I love you."))
    assert not any(line.durable or line.asked for line in lines)


def test_a_question_at_the_end_is_left_off_a_fact() -> None:
    assert durable("My rent is 1430 now, is that a lot?") == ["My rent is 1430 now"]
    assert durable("うちは残りが1860万なんだけど、200万入れたらどのくらい変わる?") == [
        "うちは残りが1860万なんだけど"
    ]


def test_a_joke_takes_back_what_was_said_before_it() -> None:
    assert durable("I'm allergic to Mondays. Just kidding!") == []


def test_what_is_asked_to_be_remembered_is_marked() -> None:
    (line,) = notes(
        ("user", "Remember this: the spare key is with Mr. Hallberg."), ("assistant", "Ok.")
    )
    assert (line.durable, line.asked) == (True, True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Remember this. The alarm code is on the fridge.", "The alarm code is on the fridge."),
        ("Keep this in mind. Vera only works mornings.", "Vera only works mornings."),
        ("My mother lives in Cork. Remember that.", "My mother lives in Cork."),
        (
            "Merk dir das bitte. Der Schlüssel liegt bei Frau Huber.",
            "Der Schlüssel liegt bei Frau Huber.",
        ),
        ("これを覚えておいて。鍵は隣の田中さんが持っている。", "鍵は隣の田中さんが持っている。"),
        ("记住这个。备用钥匙在邻居家。", "备用钥匙在邻居家。"),
    ],
)
def test_what_to_remember_may_stand_in_another_sentence(text: str, line: str) -> None:
    (found,) = notes(("user", text))
    assert (found.text, found.durable, found.asked) == (line, True, True)


def test_a_line_has_the_kind_of_its_claim() -> None:
    talk = notes(
        ("user", "I'm allergic to nuts. I went home early, I was tired."), ("assistant", "Ok.")
    )
    assert [(line.kind, line.durable) for line in talk] == [
        (Kind.HEALTH, True),
        (Kind.OTHER, False),
    ]


RULES = """
We use pnpm, never npm
Always run the linter before you commit
Never push to main directly.
Never promise a refund without a ticket number.
Don't ever deploy on a Friday without asking.
Never merge your own pull request.
Always tag the release.
We write tests in pytest, never unittest.
Immer den Linter laufen lassen, bevor du committest.
Nie direkt auf main pushen.
Wir nutzen pnpm, nie npm.
"""
NO_RULES = """
Always happy to help.
Always fresh bread in the morning.
Always nervous before exams.
Never a dull moment with him.
Never been to the office without a badge.
Always look on the bright side of life.
We went to the lake, never the sea.
We like tea, never coffee.
The coffee was great, always the best in town.
Nie etwas davon gehört.
"""


def test_a_rule_of_how_work_is_done_is_an_instruction() -> None:
    for rule in RULES.strip().split("\n"):
        [line] = notes(("user", rule))
        assert (line.text, line.durable, line.kind) == (rule, True, Kind.INSTRUCTION)


def test_several_rules_in_one_message_are_a_line_each() -> None:
    rules = RULES.strip().split("\n")[1:4]
    rules[0] += "."
    found = notes(("user", f"Hi! We have some rules here. {' '.join(rules)} Thanks!"))
    assert [line.text for line in found if line.kind is Kind.INSTRUCTION] == rules


def test_what_only_begins_like_a_rule_is_none() -> None:
    for other in NO_RULES.strip().split("\n"):
        assert Kind.INSTRUCTION not in {line.kind for line in notes(("user", other))}, other


def test_the_same_again_is_one_line_with_both_messages() -> None:
    (line,) = notes(("user", "I live in Oslo."), ("assistant", "Ok."), ("user", "I live in Oslo."))
    assert line.message_ids == ("m1", "m3")


def test_other_languages_are_kept_for_the_journal_alone() -> None:
    (line,) = notes(("user", "J'ai déménagé à Lyon avec ma sœur."), ("assistant", "Bien."))
    assert (line.text, line.durable) == ("J'ai déménagé à Lyon avec ma sœur.", False)


def test_full_width_forms_are_read() -> None:
    assert durable("我住在杨浦，房租３８００。") == ["我住在杨浦，房租３８００。"]


def test_what_only_answers_or_calls_somebody_is_left_out_in_front() -> None:
    assert said("Oh, btw, I had an interview for an internship yesterday!") == [
        "I had an interview for an internship yesterday (2024-05-07)!"
    ]
    assert said("Hey Maria, my brother Otto plays the cello.") == [
        "My brother Otto plays the cello."
    ]
    assert said("Well, Max and I moved to Oslo in May.") == ["Max and I moved to Oslo in May."]


@pytest.mark.parametrize(
    "text",
    [
        "I'm organizing one with my siblings next month.",
        "I'm learning this instrument, which has been quite the journey.",
        "I picked that spot because it had great views.",
        "Im Juni mache ich diesen Kurs.",
    ],
)
def test_what_speaks_of_something_named_elsewhere_stays_in_the_notes(text: str) -> None:
    assert said(text)
    assert not durable(text)


@pytest.mark.parametrize(
    "text",
    [
        "Last week I realized again how much they've done for us.",
        "I love making him happy every Sunday.",
        "His name is Ned.",
        "I had a great accomplishment last week!",
        "I did something new last weekend.",
        "I'm starting next month.",
        "I tried one last week.",
    ],
)
def test_between_friends_nothing_lasts_that_does_not_say_what_or_whom(text: str) -> None:
    assert not any(line.durable for line in notes(("Ada", text), ("Ben", "Nice!")))


def test_between_friends_they_are_kept_with_who_they_are() -> None:
    talk = "My parents live in Turku. I realized {} how much they've done for us."
    found = notes(("Ada", talk.format("yesterday")), ("Ben", "Nice!"))
    assert [line.text for line in found] == [f"Ada: {talk.format('yesterday (2024-05-07)')}"]


def test_what_the_sentence_before_names_is_kept_with_it() -> None:
    text = "I bought a drum kit in May. I'm learning this instrument now."
    assert durable(text) == [text]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("My sister is Clara. She lives in Oslo.", "My sister is Clara. She lives in Oslo."),
        ("Meine Schwester heißt Clara. Sie wohnt in Graz.",
         "Meine Schwester heißt Clara. Sie wohnt in Graz."),
        ("息子が生まれました。名前は紬にします。", "息子が生まれました。名前は紬にします。"),
        ("妹は京都に住んでいる。看護師をしている。", "妹は京都に住んでいる。看護師をしている。"),
    ],
)  # fmt: skip
def test_what_is_said_of_somebody_named_before_is_one_line_with_it(text: str, line: str) -> None:
    assert durable(text) == [line]


@pytest.mark.parametrize(
    "text", ["She lives in Oslo.", "They moved to Leeds.", "Sie wohnt in Graz.", "It is 3 May."]
)
def test_what_is_said_of_somebody_nobody_named_is_for_the_notes_alone(text: str) -> None:
    assert durable(text) == []
    assert durable(f"How do I boil an egg? {text}") == []


@pytest.mark.parametrize(
    "text",
    [
        "This is my sister Clara.",
        "Das ist mein Hund Rex.",
        "It's 62 kilos, not 64.",
        "This Friday I have an exam.",
        "There's a status mail due every Thursday.",
    ],
)
def test_what_names_its_own_matter_needs_no_sentence_before(text: str) -> None:
    assert len(durable(text)) == 1


@pytest.mark.parametrize("text", ["I've got the following:", "My list looks like this:"])
def test_a_lead_in_says_nothing(text: str) -> None:
    assert said(text) == []
    assert said(f"{text}\n- My shoe size is 43.") == ["My shoe size is 43."]
    assert durable("I have two kids:\n- Mia") == ["I have two kids:"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm Captain Zara.",
        "Let's pretend. I'm a surgeon in Leeds. I'm allergic to light.",
        "You're a grumpy innkeeper. I'm Sir Aldric, a knight who can't stand honey.",
        "Du bist ein Drache. Ich bin Lena Hartmann.",
        "ロールプレイしよう。私は医者です。",
        "你来扮演店主。我叫林晓雯。",
    ],
)
def test_who_somebody_plays_is_not_who_they_are(text: str) -> None:
    assert durable(text) == []


def test_a_part_ends_and_praise_gives_out_none() -> None:
    scene = "Let's pretend you're a king."
    assert texts(("", scene), ("", "I'm a nurse in Leeds.")) == ["I'm a nurse in Leeds."]
    assert durable(scene + " My daughter Noor is 6.") == ["My daughter Noor is 6."]
    played = extract(window(("", scene), ("", "I'm a nurse."), ("", "I'm allergic to nuts.")))
    assert [line.text for line in played if line.durable] == ["I'm allergic to nuts."]
    ended = extract(window(("", scene), ("", "ok, back to work. I'm a nurse in Leeds.")))
    assert [line.durable for line in ended][-1:] == [True]
    assert durable("You're a star! I'm allergic to nuts.") == ["I'm allergic to nuts."]


@pytest.mark.parametrize("text", ["I'm Lena Hartmann", "No emojis please.", "please no emojis"])
def test_three_words_are_enough_for_a_name_or_a_wish(text: str) -> None:
    assert durable(text) == [text]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("The wedding is on June 12.", "No, I meant June 19."),
        ("The wedding is on June 12.", "Sorry, June 19."),
        ("My project lead is Torsten.", "Oops, I meant Wanjiru."),
        ("Die Hochzeit ist am 12. Juni.", "Nein, ich meinte den 19. Juni."),
    ],
)
def test_what_puts_a_value_right_stands_with_what_it_is_of(first: str, then: str) -> None:
    """Alone it would be kept, or end the other, and nobody would know of what it speaks."""
    lines = texts(("user", first), ("assistant", "Great!"), ("user", then))
    said = [re.sub(r" \(\d{4}-\d\d-\d\d\)", "", line) for line in lines]
    assert said == [first, f"{first} {then}"]


@pytest.mark.parametrize("then", ["Sorry, I'm tired.", "Oops.", "Sorry."])
def test_an_excuse_puts_nothing_right(then: str) -> None:
    first = "My project lead is Torsten."
    assert texts(("user", first), ("assistant", "Fine."), ("user", then)) == [first]
