"""How far a reader has to go: the folders that a noun lives in, and the way of one click.

python -m scripts.room_paths

Prints for each noun the folders below the faces with a module of its name, and for *Not true* on a
statement's page the files of ours that its POST executes and the modules of ours that stand on the
stack at its deepest SQL.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django_scopes import scopes_disabled

from scripts.installation import fresh_installation

ROOT = Path(__file__).parents[1] / "memoryweb"
NOUNS = ("statement", "forgetting", "reverting", "review", "snapshot", "prompt")
FACES = ("web", "api", "commands")


def folders(noun: str) -> set[str]:
    """With a module or folder that is called by the noun, but for the faces."""
    found = set()
    for path in (*ROOT.rglob("*.py"), *(one for one in ROOT.rglob("*") if one.is_dir())):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if _is_named(parts[-1], noun) and parts[0] not in FACES and "migrations" not in parts:
            room = parts if path.is_dir() else parts[:-1]
            named = [n for n, part in enumerate(room) if _is_named(part, noun)]
            found.add("/".join(room[: named[0] + 1] if named else room))
    return found


def _is_named(name: str, noun: str) -> bool:
    return not {noun, f"{noun}s"}.isdisjoint(name.split("_"))


class Way:
    """Of a call: files of ours that ran, and the deepest stack of them that asked the database."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.deepest: list[str] = []

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and (name := _ours(frame)):
            self.files.add(name)

    def ask(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        """A wrapper of Django's `execute_wrapper`."""
        stack, frame = [], sys._getframe()
        while frame := frame.f_back:  # type: ignore[assignment]
            if name := _ours(frame):
                stack.append(name)
        modules = list(dict.fromkeys(stack))
        self.deepest = max(self.deepest, modules, key=len)
        return execute(*arguments)


def _ours(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""


def not_true() -> Way:
    """As the demo team's admin, on the first statement that they may take back."""
    call_command("first_start", verbosity=0)
    client, way = Client(SERVER_NAME="localhost"), Way()
    with scopes_disabled():
        client.force_login(get_user_model().objects.get(email="marta@northwind.example"))
        facts = apps.get_model("memory", "Fact").objects
        found = facts.filter(state="active", owner=None, file__path="MEMORY.md")[:2]
        warm, address = (
            f"/t/{fact.team.slug}/agents/{fact.agent_id}/statements/{fact.pk}/not-true/"
            for fact in found
        )
    client.post(warm)  # what is loaded once is not of the way
    sys.setprofile(way.profile)
    with connection.execute_wrapper(way.ask):
        answer = client.post(address)
    sys.setprofile(None)
    assert answer.status_code == 302, answer.status_code
    return way


def main() -> int:
    for noun in NOUNS:
        rooms = sorted(folders(noun))
        print(f"{noun:<12}{len(rooms):3}  {', '.join(rooms)}")
    with fresh_installation():
        way = not_true()
    print(f"Not true: {len(way.files)} files of ours; {len(way.deepest)} at the deepest SQL")
    print("  " + " < ".join(way.deepest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
