import pytest

from memoryweb.language.categories import Category
from tests.extraction.rules_talk import notes, texts


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Please remember that I am allergic to latex.", "The user is allergic to latex."),
        ("Remember: my flight leaves on 3 June.", "The user's flight leaves on 3 June."),
        ("Keep in mind that we deploy on Tuesdays.", "The user's team deploys on Tuesdays."),
        (
            "Please note that invoices go to billing@acme.example.",
            "Invoices go to billing@acme.example.",
        ),
        ("From now on use metric units.", "The user asked to use metric units from now on."),
        ("Always answer in French.", "The user asked to always answer in French."),
        ("Never email me on Sundays.", "The user asked to never email them on Sundays."),
        (
            "Remind me to call Ana on Monday.",
            "The user asked to be reminded to call Ana on 2024-05-13.",
        ),
    ],
)
def test_what_the_person_asks_to_keep_is_asked_and_durable(said: str, line: str) -> None:
    (note,) = notes(("user", said), ("assistant", "Noted."))
    assert (note.text, note.asked, note.durable) == (line, True, True)


def test_how_someone_wants_to_be_called_is_identity() -> None:
    (note,) = notes(("user", "You can call me Sam."), ("assistant", "Hi Sam"))
    assert (note.text, note.category) == ("The user wants to be called Sam.", Category.IDENTITY)


@pytest.mark.parametrize(
    "advice", ["Don't forget to rest!", "Remember, you're great.", "Never give up!"]
)
def test_advice_to_a_friend_is_no_request(advice: str) -> None:
    assert texts(("Ben", "I'm tired."), ("Ada", advice)) == []


def test_settings_written_as_a_list_are_kept_as_they_are() -> None:
    lines = texts(("user", "My settings:\n- **Deploy day**: Thursday\n- **Language**: English"))
    assert lines == ["Deploy day: Thursday", "Language: English"]


def test_a_line_of_a_log_is_no_setting() -> None:
    pasted = "09:11:22 ERROR db: timeout\nINFO: started\n{'key': 'value'}\nhost: {broken"
    assert texts(("user", pasted)) == []


def test_a_tool_proposed_is_a_decision() -> None:
    (note,) = notes(("Ben", "Which one?"), ("Ada", "Let's use Terraform for the new cluster."))
    assert note.text == "Ada proposed to use Terraform for the new cluster."
    assert note.category == Category.DECISION
