"""`memory://` links of Markdown lead to the files of the workspace that they stand in."""

import pytest

from memoryweb.web.markdown import render, render_text

HOME = "/t/files/"


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("memory://root/skills/a/SKILL.md", "/t/files/skills/a/SKILL.md?owner=me"),
        ("memory://root/MEMORY.md", "/t/files/MEMORY.md?owner=me"),
        ("memory://root", "/t/files/memory_summary.md?owner=me"),
        ("memory://root/a&b.md", "/t/files/a&amp;b.md?owner=me"),
        ("memory://root/../../people/", ""),
        ("memory://root/a?owner=b", ""),
        ("Memory://elsewhere.example/a", ""),
        ("memory:javascript:alert(1)", ""),
        ("m&#101;mory://elsewhere.example/a", ""),
        ("memory://root%22onclick=x/a.md", ""),
    ],
)
def test_a_link_leads_below_the_files_or_nowhere(link: str, leads_to: str) -> None:
    [block] = render(f"See [this]({link}).", HOME, "?owner=me").blocks
    found = f'<a href="{leads_to}" rel' if leads_to else "<a rel"
    assert found in block.html
    assert "memory:" not in block.html.replace(">memory:", "")
    assert "href" not in render(f"See [this]({link}).").blocks[0].html
    assert found in render_text(f"See [this]({link}).", HOME, "?owner=me")


@pytest.mark.parametrize(
    "said", [' href="memory://root/x"', '`<a href="memory://root/x">`', '[a](b ">memory://root/x")']
)
def test_what_only_looks_like_a_link_stays_as_it_was_written(said: str) -> None:
    shown = f"See {said} there."
    for html in (render_text(shown, HOME), render(shown, HOME).blocks[0].html):
        assert "memory://root/x" in html
        assert HOME not in html
