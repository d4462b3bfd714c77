from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from tests.tables import every_row


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("KNOWLEDGE.md", "KNOWLEDGE.md"),
        ("memory/2026-11-20.md", "memory/*.md"),
        ("memory/dreams/2026-11.md", "memory/dreams/**"),
        ("memory/of/2026.md", "**"),
        ("HISTORY-2026-11.md", "HISTORY-**"),
        ("skills/deploy/SKILL.md", "skills/**"),
        ("structured/people.md", "structured/**"),
        ("客户/周报.md", "**"),
    ],
)
def test_a_path_says_what_the_file_is(text: str, kind: str) -> None:
    assert paths.kind_of(paths.parse(text).text).name == kind


@every_row(
    [
        "",
        "../x.md",
        "a/../x.md",
        "/etc/x.md",
        "C:\\x.md",
        "C:/x.md",
        "a//b.md",
        "./a.md",
        "a.md/",
        "a.txt",
        "a.MD",
        ".md",
        "a/.md",
        "memory/2026-02-30.md",
        "memory/notes.md",
        "memory/2026-2-3.md",
        "memory/dreams/november.md",
        "a\0.md",
        "a\u202eb.md",
        "a\u200b.md",
        "a\n.md",
        "cafe\u0301.md",
        "ＭＥＭＯＲＹ.md",
        "МEMORY.md",
        "memory.md",
        "Agents.md",
        "mеmory/2026-11-20.md",
        "a" * 254 + ".md",
        "a/b/c/d/e/f/g.md",
        " a.md",
        "a /b.md",
        "..%2f..%2fx.md",
        "a%2Fb.md",
        "%00.md",
        "memory/2026-11-22.md/x.md",
        "notes.MD/x.md",
        "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/x.md",
    ]
)
def test_it_refuses_a_path_with_a_reason(text: str) -> None:
    with pytest.raises(PathRefused, match=r"\w+ .*\."):
        paths.parse(text)


@pytest.mark.parametrize("text", ["50% off.md", "100%.md", "a%/b.md", "md/x.md", "notes.md.md"])
def test_a_name_like_it_is_none_of_those(text: str) -> None:
    assert paths.parse(text).text == text


def test_a_note_knows_its_date() -> None:
    assert paths.parse("memory/2024-02-29.md").note_date == date(2024, 2, 29)


@given(st.text(max_size=300))
def test_whatever_passes_stays_inside_the_workspace(text: str) -> None:
    try:
        path = paths.parse(text)
    except PathRefused:
        return
    segments = path.text.split("/")
    assert path.text.endswith(".md")
    assert not path.text.startswith("/")
    assert ".." not in segments
    assert "" not in segments


def test_a_path_that_grows_too_long_when_folded_is_refused() -> None:
    with pytest.raises(PathRefused):
        paths.parse("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 20 + ".md")
