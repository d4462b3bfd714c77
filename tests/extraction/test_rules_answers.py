import pytest

from tests.extraction.rules_talk import notes, texts


@pytest.mark.parametrize(
    ("question", "reply", "line"),
    [
        (
            "How long have you been married?",
            "5 years already!",
            "Ada has been married for 5 years (as of May 2024).",
        ),
        (
            "Wow! How long have you been playing chess?",
            "Since I was seven.",
            "Ada has been playing chess since they were seven.",
        ),
        ("Where are you from?", "From Lebanon.", "Ada is from Lebanon."),
        ("Where do you live?", "Oslo!", "Ada lives in Oslo."),
        ("What do you do for a living?", "I'm a vet.", "Ada works as a vet."),
        ("What's your favorite colour?", "Probably teal.", "Ada's favorite colour is teal."),
        ("Do you have any kids?", "Yes, two girls.", "Ada has two girls."),
        ("Do you have any allergies?", "Nope!", "Ada has no allergies."),
        ("Do you play chess?", "Yes!", "Ada plays chess."),
        ("Do you eat meat?", "No.", "Ada does not eat meat."),
        ("How old are you?", "I'm 31.", "Ada is 31 years old (as of May 2024)."),
    ],
)
def test_a_short_answer_is_made_whole_by_its_question(question: str, reply: str, line: str) -> None:
    (note,) = notes(("Ben", question), ("Ada", reply))
    assert (note.text, note.message_ids) == (line, ("m1", "m2"))


def test_the_assistant_may_ask_too() -> None:
    assert texts(("assistant", "What is your name?"), ("user", "It's Rosa.")) == [
        "The user's name is Rosa."
    ]


def test_names_go_to_the_pets_just_spoken_of() -> None:
    lines = texts(
        ("Ada", "We have a dog and a cat."),
        ("Ben", "So sweet! What are their names?"),
        ("Ada", "Pip and Momo!"),
    )
    assert lines[-1] == "Ada's dog and cat are called Pip and Momo."


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("How long have you been doing that?", "Three years!"),
        ("Do you like it?", "Yes!"),
        ("What's your favorite colour?", "I can't say."),
        ("Where are you from?", "It's a long story."),
        ("How long have you been married?", "Too long, haha!"),
    ],
)
def test_an_answer_that_stays_unclear_is_dropped(question: str, reply: str) -> None:
    assert texts(("Ben", question), ("Ada", reply)) == []


def test_one_does_not_answer_oneself() -> None:
    assert texts(("Ada", "Where are you from?"), ("Ada", "Norway!")) == []


def test_it_stands_for_what_the_other_spoke_of() -> None:
    lines = texts(
        ("Ben", "Running is a good way to relax."), ("Ada", "Yeah! It has been great for my sleep.")
    )
    assert lines == ["Running has been great for Ada's sleep."]
