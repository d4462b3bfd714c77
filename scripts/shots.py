"""Pictures of every page of the demo, light and dark, wide and narrow, into `shots/`.

    python -m scripts.shots [FOLDER]

It makes a demo of its own in a temporary home, follows every link as the demo's first admin and
takes the first page of each kind. Pages that a link cannot reach are not pictured.
"""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import urlopen

import django
from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, Page, sync_playwright

from scripts.chromium import found

SIZES = {"wide": (1440, 900), "narrow": (360, 780)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
EMAIL = "marta@northwind.example"
LEFT_OUT = {"account_logout", "openapi-json"}
# What must be on a page for it to be the one that is pictured, where the first may show little.
TELLING = {"agents_file": ".machine", "agents_conversations": "td", "agents_run": ".story"}


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "shots")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    password = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory(prefix="memoryweb-shots-") as home:
        os.environ |= {"MEMORYWEB_HOME": home, "MEMORYWEB_ADMIN_PASSWORD": password}
        django.setup()
        with _server() as base, sync_playwright() as playwright:
            sandbox = [] if os.geteuid() else ["--no-sandbox"]
            browser = playwright.chromium.launch(executable_path=found(), args=sandbox)
            state = _signed_in(browser, base, password)
            pages = _pages(browser, base, state)
            _take(browser, base, state, folder, pages)
            _take(browser, base, None, folder, {"account_login": "/accounts/login/"})
            browser.close()
    print(f"{len(pages) + 1} pages in {folder}/, {len(SIZES) * len(SCHEMES)} pictures each.")
    return 0


@contextmanager
def _server() -> Iterator[str]:
    for arguments in (
        ["migrate", "--no-input", "--verbosity", "0"],
        ["createcachetable", "--verbosity", "0"],
        ["collectstatic", "--no-input", "--verbosity", "0"],
        ["first_start"],
    ):
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    granian = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--no-ws"]
    server = subprocess.Popen(
        [*granian, "--port", str(port), "--log-level", "error", "memoryweb.wsgi:application"]
    )
    try:
        _wait_for(f"{base}/accounts/login/")
        yield base
    finally:
        server.terminate()
        server.wait()


def _wait_for(url: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            urlopen(url, timeout=5).close()
        except OSError:  # refused, or too slow to answer
            time.sleep(0.2)
        else:
            return
    raise SystemExit("The server did not start.")


def _signed_in(browser: Browser, base: str, password: str) -> str:
    page = browser.new_page()
    page.goto(f"{base}/accounts/login/")
    page.fill("input[name=login]", EMAIL)
    page.fill("input[type=password]", password)
    page.click("form.sheet button")
    page.wait_for_url("**/t/**")
    kept = Path(os.environ["MEMORYWEB_HOME"], "signed-in.json")
    page.context.storage_state(path=kept)
    page.context.close()
    return str(kept)


def _pages(browser: Browser, base: str, state: str) -> dict[str, str]:
    """One path of each kind of page that links lead to, the kinds in the order they are met."""
    context = browser.new_context(storage_state=state)
    page = context.new_page()
    pages: dict[str, str] = {}
    done: set[str] = set()
    waiting = ["/"]
    seen = {"/"}
    while waiting:
        path = waiting.pop(0)
        name = _kind(path)
        if not name or name in done | LEFT_OUT or not _shows_a_page(page, base + path):
            continue
        pages[name] = path
        if page.query_selector(TELLING.get(name, "body")):
            done.add(name)
        fresh = [link for link in dict.fromkeys(_links(page, base)) if link not in seen]
        seen.update(fresh)
        waiting += fresh
    context.close()
    return pages


def _kind(path: str) -> str:
    """The name of its route; empty for what is none of our pages."""
    try:
        return resolve(urlsplit(path).path).url_name or ""
    except Resolver404:
        return ""


def _shows_a_page(page: Page, url: str) -> bool:
    response = page.request.get(url)
    if not response.ok or "text/html" not in response.headers.get("content-type", ""):
        return False
    page.goto(url)
    return True


def _links(page: Page, base: str) -> list[str]:
    hrefs = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
    return [href.removeprefix(base).split("#")[0] for href in hrefs if href.startswith(base)]


def _take(
    browser: Browser, base: str, state: str | None, folder: Path, pages: Mapping[str, str]
) -> None:
    for (size, (width, height)), scheme in product(SIZES.items(), SCHEMES):
        context = browser.new_context(
            storage_state=state,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
        )
        page = context.new_page()
        for name, path in pages.items():
            page.goto(base + path, wait_until="load")
            page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
        context.close()


if __name__ == "__main__":
    sys.exit(main())
