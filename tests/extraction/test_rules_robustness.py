import re
from datetime import UTC, datetime

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from memoryweb.extraction.rules_extractor import NoteLine, Utterance, extract
from tests.extraction.rules_talk import notes, texts, window
from tests.pace import assert_linear
from tests.tables import every_row

UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
PIECES = (
    "I live in Oslo.", "My wife and I have a dog named Rex.", "yesterday", "I bought a boat",
    "We", "it", "that", "because I", "Thanks, Ben!", " - ", "```", "# ", "- **key**: value",
    "<!-- x -->", "[shares a picture: x]", "我叫小明，", "昨天我去了北京。", "私は", "好きです。",
    "来週の金曜日", "How long have you been married?", "5 years!", "next Friday", "\n", "  ",
    "\u202e", "🎉", "https://example.org/a?b=c", "I", "'s", "31 February",
    "in 999 years", "remember that",
)  # fmt: skip
CONTENT = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=12).map(
    " ".join
)
SPOKEN = st.builds(
    Utterance,
    id=st.uuids().map(str),
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    name=st.one_of(st.sampled_from(["", "Ada", "Benjamin", "小王", "**x**"]), st.text(max_size=8)),
    content=CONTENT,
    at=st.datetimes(timezones=st.just(UTC)),
)
WINDOW = st.lists(SPOKEN, max_size=8, unique_by=lambda spoken: spoken.id)


@settings(max_examples=settings().max_examples * 2, deadline=None, phases=UNSHRUNK)
@given(WINDOW)
@example(window(("user", "\ud800 I live in \x00 Oslo.\u2028# I have a dog named Rex")))
def test_every_line_is_one_plain_line_that_cites_given_messages(talk: list[Utterance]) -> None:
    for line in extract(talk):
        assert_plain(line)
        assert line.message_ids
        assert set(line.message_ids) <= {spoken.id for spoken in talk}


@settings(max_examples=settings().max_examples * 2, deadline=None, phases=UNSHRUNK)
@given(WINDOW)
def test_what_was_found_is_not_found_again(talk: list[Utterance]) -> None:
    assert extract(talk, already=[line.text for line in extract(talk)]) == []


@settings(max_examples=settings().max_examples, deadline=None, phases=UNSHRUNK)
@given(WINDOW)
def test_the_same_window_gives_the_same_lines(talk: list[Utterance]) -> None:
    assert extract(talk) == extract(talk)


@every_row(["", "   ", "12345 67890", "🎉🎉🎉", "???", "!!!", "\x00\x01", "-----",
     "```\nI live in Oslo.\n```",
     "https://example.org/i-live-in-oslo", "a" * 5000, "I " * 3000, "(" * 3000, "- " * 3000,
     "> I live in Oslo."])  # fmt: skip
def test_what_is_no_speech_leaves_nothing(content: str) -> None:
    assert texts(("user", content)) == []


@pytest.mark.parametrize(
    "unit",
    ["I live in Oslo and ", "a, b - c; ", "x" * 50 + " ", "I went, ", "**a**: b\n", "it's ",
     "我喜欢", "私は", "[shares a",
     "yesterday ", "<!-- ", "so ", "my dog "],
)  # fmt: skip
def test_time_grows_with_length_only(unit: str) -> None:
    def said(times: int) -> list[Utterance]:
        return [Utterance("m", "user", "Ada", unit * times, datetime(2024, 5, 8, tzinfo=UTC))]

    assert_linear(extract, said, least=64)


def test_markup_in_a_name_does_not_reach_the_line() -> None:
    (line,) = notes(("# <!-- Ada\n```", "I live in Oslo."), shared=True)
    assert line.text == "Ada: I live in Oslo."


def assert_plain(line: NoteLine) -> None:
    assert len(line.text) <= 400
    assert line.text == line.text.strip()
    assert len(line.text.splitlines()) == 1
    assert not re.match(r"[#>*+\-=|~`]|\d+[.)] |<!--", line.text)
    assert "```" not in line.text
    assert "<!--" not in line.text
    assert re.search(r"\w", line.text)
