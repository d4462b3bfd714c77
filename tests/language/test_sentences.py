"""Where a sentence ends, and what of it is only dress."""

import pytest

from memoryweb.language.sentences import plain, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("We fly on October 9. My sister comes.", ["We fly on October 9.", "My sister comes."]),
        ("Ich bin 34. Meine Frau auch.", ["Ich bin 34.", "Meine Frau auch."]),
        ("No. We moved to Leeds.", ["No.", "We moved to Leeds."]),
        ("I take vitamin D. We live here.", ["I take vitamin D.", "We live here."]),
        ("Am 5. März ist Ostern.", ["Am 5. März ist Ostern."]),
        ("Im 3. Stock wohnt z. B. Tom.", ["Im 3. Stock wohnt z. B. Tom."]),
        ("I live at No. 5 Mill Lane.", ["I live at No. 5 Mill Lane."]),
        ("My teacher is Mr. J. Smith.", ["My teacher is Mr. J. Smith."]),
        ("Ich wohne Galler Str. 5.", ["Ich wohne Galler Str. 5."]),
    ],
)
def test_a_full_stop_ends_a_sentence_but_not_that_of_a_title(
    text: str, sentences: list[str]
) -> None:
    assert split(text) == sentences


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Dr. Nowak, J. Smith and St. Mary's", "Dr Nowak, J Smith and St Mary's"),
        ("Always *provide* __nice_names__ and **bold**", "Always provide nice_names and bold"),
        ("5*3 and snake_case * 2", "5*3 and snake_case * 2"),
    ],
)
def test_points_of_titles_and_emphasis_are_no_part_of_a_text(text: str, bare: str) -> None:
    assert plain(text) == bare
