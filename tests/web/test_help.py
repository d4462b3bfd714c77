import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from memoryweb.web import help as documentation
from tests.tables import every_row
from tests.web.pages import text, url
from tests.world import World

DOCS = Path(settings.BASE_DIR) / "docs"


def test_a_page_links_to_the_section_about_it(world: World, bob: Client) -> None:
    assert 'href="/help/review/"' in text(bob.get(url(world.team, "review")))
    page = text(bob.get("/help/review/"))
    assert '<section class="card help" id="flagged-lines" lang="en">' in page


@every_row((name, section) for _page, name, section in documentation._ABOUT)
def test_every_section_that_is_linked_stands_there(name: str, section: str) -> None:
    _title, sections = documentation.read(name)
    assert section in {"", *(one.id for one in sections)}


def test_documents_link_each_other_as_they_are_read_here() -> None:
    html = "".join(one.html for one in documentation.read("my-memory")[1])
    assert ".md" not in html.replace("MEMORY.md", "")
    assert "/help/" in html


@pytest.mark.parametrize("name", ["architecture", "nothing", "settings-py"])
def test_nothing_else_is_read(bob: Client, name: str) -> None:
    assert bob.get(f"/help/{name}/").status_code == 404


def test_no_link_in_help_is_dead(bob: Client) -> None:
    pages = {f"/help/{name}/": text(bob.get(f"/help/{name}/")) for name in documentation._names()}
    dead = []
    for here, page in pages.items():
        for link in re.findall(r'href="([^"]+)"', page.partition("<main")[2]):
            path, _, anchor = link.partition("#")
            if link.startswith("http"):
                continue
            if (path or here) not in pages:
                dead += [(here, link)] if bob.get(path).status_code >= 400 else []
            elif anchor and f'id="{anchor}"' not in pages[path or here]:
                dead.append((here, link))
    assert dead == []
