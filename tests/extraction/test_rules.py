import pytest

from memoryweb.extraction.rules import extract
from memoryweb.language.categories import Category
from tests.extraction.rules_talk import notes, said, texts, window


@pytest.mark.parametrize(
    "small_talk",
    [
        "Hey Ben! How are you?",
        "Thanks so much, Ben! That means a lot.",
        "Wow, that's amazing! Congrats!",
        "I'm so proud of you, keep it up!",
        "I totally agree, Ben.",
        "It was so powerful and inspiring.",
        "Can't wait to see you!",
        "Let's keep chasing our dreams together.",
        "What a lovely picture! [shares a picture: a photo of my new house in Spain]",
        "I hope you have a great weekend.",
        "Take care of yourself and don't give up!",
        "You should visit Lisbon, it's lovely.",
        "I'll let you know.",
        "Did you know that I work at a bakery?",
    ],
)
def test_small_talk_leaves_nothing(small_talk: str) -> None:
    assert said(small_talk) == []


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("I'm from Norway.", "Ada is from Norway."),
        ("My husband Tom and I have two sons.", "Ada and their husband Tom have two sons."),
        ("My sister lives in Quito.", "Ada's sister lives in Quito."),
        ("We've got a parrot named Kiwi.", "Ada and others have got a parrot named Kiwi."),
        ("I work as a nurse at a clinic.", "Ada works as a nurse at a clinic."),
        ("I'm studying marine biology.", "Ada is studying marine biology (as of May 2024)."),
        ("I love hiking and old films.", "Ada loves hiking and old films."),
        ("I can't stand olives.", "Ada can't stand olives."),
        ("I play the cello.", "Ada plays the cello."),
        ("I'm allergic to peanuts.", "Ada is allergic to peanuts."),
        ("I have type 1 diabetes.", "Ada has type 1 diabetes."),
        ("I decided to sell my boat.", "Ada decided to sell their boat."),
        ("I want to become a pilot.", "Ada wants to become a pilot."),
        ("I'm gonna open a bakery.", "Ada is going to open a bakery."),
        ("My order number is 44-1192.", "Ada's order number is 44-1192."),
    ],
)
def test_lasting_things_are_kept_and_durable(sentence: str, line: str) -> None:
    (note,) = notes(("Ben", "Hello Ada."), ("Ada", sentence))
    assert (note.text, note.durable, note.message_ids) == (line, True, ("m2",))


def test_openers_and_judgements_are_cut_from_a_statement() -> None:
    assert said(
        "Wow, thanks Ben! By the way, I bought a canoe yesterday - it was so much fun!"
    ) == ["Ada bought a canoe on 2024-05-07."]


def test_a_nickname_called_out_is_no_part_of_the_statement() -> None:
    lines = texts(("Katherine", "Hi."), ("Ben", "Yeah, Kath, I grew up in Malta."))
    assert lines == ["Ben grew up in Malta."]


def test_a_sentence_that_points_back_stays_with_the_one_it_points_to() -> None:
    line = "Ada bought a violin on 2024-05-07. It belonged to a famous soloist from Prague."
    assert said("I bought a violin yesterday. It belonged to a famous soloist from Prague.") == [
        line
    ]


def test_a_sentence_that_points_outside_the_message_is_dropped() -> None:
    assert said("I took it there for them.") == []


def test_we_means_the_family_just_named() -> None:
    assert said("I took my kids to the zoo yesterday. We fed the penguins and the seals.") == [
        "Ada took their kids to the zoo on 2024-05-07.",
        "Ada and their kids fed the penguins and the seals.",
    ]


def test_we_at_work_is_the_team() -> None:
    (line,) = said("We ship on Thursdays, never on Fridays.")
    assert line == "Ada's team ships on Thursdays, never on Fridays."


def test_a_fact_about_the_world_needs_no_speaker() -> None:
    assert said("The staging database refreshes every Monday.") == [
        "The staging database refreshes every Monday."
    ]


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("The client wants invoices in PDF, not Word.", None),
        ("Code freeze is on 24 June.", "Code freeze is on 24 June."),
        (
            "Kim is leaving the team at the end of May.",
            "Kim is leaving the team at the end of May.",
        ),
        ("Marta prefers to be contacted by phone.", None),
        ("My deadline is Friday at noon.", "Ada's deadline is on 2024-05-10 at noon."),
        (
            "We decided yesterday to move the launch to 3 July.",
            "Ada and others decided on 2024-05-07 to move the launch to 3 July.",
        ),
        ("We don't deploy during the holidays.", "Ada's team doesn't deploy during the holidays."),
    ],
)
def test_what_a_team_says_about_its_work(sentence: str, line: str | None) -> None:
    assert said(sentence) == [line or sentence]


def test_a_correction_is_kept() -> None:
    assert said("Correction: the release day is Tuesday, not Thursday.") == [
        "The release day is Tuesday, not Thursday."
    ]


def test_a_correction_of_one_word_says_the_whole_again() -> None:
    lines = texts(
        ("Ada", "My flight leaves on 3 June."),
        ("Ben", "OK"),
        ("Ada", "Sorry, it's 4 June, not 3 June."),
    )
    assert lines == ["Ada's flight leaves on 3 June.", "Ada's flight leaves on 4 June."]


def test_a_correction_of_nothing_known_is_dropped() -> None:
    assert said("Actually, it's Tuesday, not Thursday.") == []


def test_what_the_assistant_says_is_never_kept() -> None:
    assert texts(("assistant", "I live in Oslo and I love tea."), ("system", "I work here.")) == []


def test_someone_without_a_name_is_the_user() -> None:
    assert texts(("user", "I live in Leeds.")) == ["The user lives in Leeds."]


def test_the_given_name_is_used_for_messages_without_one() -> None:
    assert texts(("user", "I live in Leeds."), speaker="Rosa") == ["Rosa lives in Leeds."]


def test_you_is_the_other_of_two_speakers() -> None:
    lines = texts(("Ben", "Hi"), ("Ada", "I'm reading that book you recommended about bees."))
    assert lines == ["Ada is reading that book Ben recommended about bees (as of May 2024)."]


def test_the_same_said_twice_is_one_line_that_cites_both() -> None:
    (note,) = notes(("Ada", "I live in Lyon."), ("Ben", "Nice."), ("Ada", "I live in Lyon!"))
    assert note.message_ids == ("m1", "m3")


def test_a_different_number_is_not_the_same() -> None:
    lines = texts(("Ada", "I have two cats at home."), ("Ada", "I have three cats at home."))
    assert len(lines) == 2


def test_what_is_noted_already_is_not_noted_again() -> None:
    talk = window(("Ada", "I live in Lyon."), ("Ada", "I work as a cook."))
    found = [line.text for line in extract(talk, already=["- 09:12 Ada lives in Lyon."])]
    assert found == ["Ada works as a cook."]


def test_a_shown_piece_of_work_is_a_statement() -> None:
    assert said("Here's a photo of my canoe I built last year!") == [
        "Ada built their canoe in 2023."
    ]


def test_the_friendly_chat_gives_a_readable_handful() -> None:
    found = notes(
        ("Omar", "Hey Priya! Long time no see. How have you been?"),
        ("Priya", "Hey Omar! I just moved to Denver for a new job at a hospital."),
        ("Omar", "Congrats! My band had its first gig two weeks ago. I play bass."),
        ("Priya", "That's awesome! I adopted a rescue greyhound named Juno in March."),
        ("Omar", "Aww, she must be lovely! I was diagnosed with celiac disease five years ago."),
    )
    assert [(line.text, line.category) for line in found] == [
        ("Priya moved to Denver for a new job at a hospital (around 2024-05-08).", Category.EVENT),
        ("Omar's band had its first gig in the week of 2024-04-22.", Category.EVENT),
        ("Omar plays bass.", Category.PREFERENCE),
        ("Priya adopted a rescue greyhound named Juno in March.", Category.RELATION),
        ("Omar was diagnosed with celiac disease in 2019.", Category.EVENT),
    ]
