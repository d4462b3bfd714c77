"""What is worth a line of memory: something concrete, not how somebody feels about it."""

import pytest

from tests.extraction.rules_talk import notes, said


def lasting(text: str) -> list[str]:
    """What is noted for good when Ada tells it to Ben."""
    return [note.text for note in notes(("Ben", "Hi Ada."), ("Ada", text)) if note.durable]


@pytest.mark.parametrize(
    "text",
    [
        "My health is important to me.",
        "Music helps me feel calm.",
        "Gardening gives me so much joy.",
        "I'm lucky to have my brother.",
        "I cherish the time with my parents.",
        "I'm thrilled to help people who need it.",
        "I'm passionate about making a difference.",
        "I want to help make a difference.",
        "My family has been great, their support means a lot to me.",
        "My nephews are so excited about the summer.",
        "The lighthouse symbolizes hope, and it reminds me to stay strong.",
        "I'm volunteering and making a difference.",
        "I want to be brave for my family.",
        "My dream is to give people a safe place.",
        "I'm learning that patience is really important.",
        "I'm working hard to make everything just right.",
    ],
)
def test_what_is_only_felt_is_not_for_good(text: str) -> None:
    assert lasting(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I want to help make a difference.",
        "I'm passionate about helping people and making a positive impact.",
        "I just want to share my story and help others.",
    ],
)
def test_a_good_intention_without_a_thing_is_not_even_noted(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I love baking rye bread.", "Ada loves baking rye bread."),
        ("I loved reading \"Moominland\".", 'Ada loved reading "Moominland".'),
        ("I'm passionate about sailing.", "Ada is passionate about sailing."),
        ("I play the oboe.", "Ada plays the oboe."),
        ("My boss is from Ghent.", "Ada's boss is from Ghent."),
        ("I opened a bicycle shop.", "Ada opened a bicycle shop."),
        ("I want to start a choir so I can bring joy to my street.",
         "Ada wants to start a choir so they can bring joy to their street."),
        ("I just got accepted for a nursing course!",
         "Ada got accepted for a nursing course (around 2024-05-08)."),
    ],
)  # fmt: skip
def test_what_names_a_thing_is_for_good(text: str, line: str) -> None:
    assert lasting(text) == [line]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I run every day, which has been great for my headspace.", "Ada runs every day."),
        ("I joined a rowing club yesterday - such a great way to unwind!",
         "Ada joined a rowing club on 2024-05-07."),
        ("Blue is my favorite, it makes me feel relaxed.", "Blue is Ada's favorite."),
        ("I got a lamp yesterday, which reminds me of love.", "Ada got a lamp on 2024-05-07."),
    ],
)  # fmt: skip
def test_a_tail_that_only_judges_is_cut(text: str, line: str) -> None:
    assert said(text) == [line]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I went to the lake with my three sons.", "Ada has three sons."),
        ("This ring is from my aunt in my home country, Latvia.", "Ada's home country is Latvia."),
        ("The series shows my days as a single mother.", "Ada is a single mother."),
        ("My dog, Biscuit, ate the cake.", "Ada's dog is called Biscuit."),
    ],
)
def test_what_is_mentioned_in_passing_is_a_statement_too(text: str, line: str) -> None:
    assert line in lasting(text)


def test_what_follows_an_aside_is_not_taken_for_its_explanation() -> None:
    lines = said("Wow, my days as a nurse! It was a long walk to the clinic in the hills.")
    assert lines == ["Ada is a nurse."]


def test_how_long_friends_are_known_is_kept() -> None:
    assert lasting("I've known these friends for six years, since I moved to Ghent.") == [
        "Ada has known their friends for six years, since Ada moved to Ghent (as of May 2024)."
    ]


def test_what_was_shown_becomes_something() -> None:
    assert lasting("Yeah, I made it in my weaving class yesterday.") == [
        "Ada made something in their weaving class on 2024-05-07."
    ]


def test_the_day_named_in_a_sentence_of_its_own_is_that_of_the_next() -> None:
    assert lasting("Yesterday was great! We opened the boathouse with a concert.") == [
        "Ada and others opened the boathouse with a concert on 2024-05-07."
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I will be on holiday from 20 May until 2 June.",
         "Ada will be on holiday from 20 May until 2 June."),
        ("I will show the new brochure, in Welsh.", "Ada will show the new brochure, in Welsh."),
        ("Old customers keep their prices until June.",
         "Old customers keep their prices until June."),
        ("The minutes go out in Welsh and English.", "The minutes go out in Welsh and English."),
        ("Ines covers for me during my holiday.", "Ines covers for Ada during their holiday."),
        ("My accountant needs the receipts as PDF.", "Ada's accountant needs the receipts as PDF."),
        ("We use the Copperline Press 3.", "Ada and others use the Copperline Press 3."),
    ],
)  # fmt: skip
def test_what_is_arranged_at_work_is_for_good(text: str, line: str) -> None:
    assert lasting(text) == [line]


def test_how_often_one_goes_somewhere_stays_with_the_place() -> None:
    assert said("I love the lido in Hull. We go often, about twice a month.") == [
        "Ada loves the lido in Hull. Ada and others go often, about twice a month."
    ]
    assert said("We don't go often, maybe twice a month.") == []


def test_a_photo_of_what_one_made_is_a_statement() -> None:
    assert said("Here's a photo of my sheep drawing I did last week.") == [
        "Ada did their sheep drawing in the week of 2024-04-29."
    ]


def test_the_work_shown_without_its_name_is_something() -> None:
    assert said("I painted this after I visited a lighthouse.") == [
        "Ada painted something after they visited a lighthouse."
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('I\'m reading "Moominland" to my niece.',
         'Ada is reading "Moominland" to their niece (as of May 2024).'),
        ("The kids had their first judo lesson yesterday.",
         "Ada's kids had their first judo lesson on 2024-05-07."),
        ("I just adopted a puppy! His name is Toby.",
         "Ada adopted a puppy (around 2024-05-08). His name is Toby."),
        ("The board meets on the first Monday of every month.",
         "The board meets on the first Monday of every month."),
    ],
)  # fmt: skip
def test_what_is_under_way_and_whose_it_is(text: str, line: str) -> None:
    assert lasting(text) == [line]
