from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.agents.owners import find_for_command
from memoryweb.commands import base
from memoryweb.memory import memory_tests
from memoryweb.memory.memory_tests import ListedTest
from memoryweb.memory.models.writer import Memory


class Command(base.TeamCommand):
    help = "Run an agent's memory tests. Exits 1 if one fails."
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--owner", help="whose; default: the shared ones")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit's XML, too")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        owner = find_for_command(team, options["owner"]) if options["owner"] else None
        ran = memory_tests.run(Memory(options["agent"], owner))
        red = [one for one in ran if not one.passed]
        if options["junit"]:
            whose = owner.shown_as if owner else "shared"
            suite = _suite(f"{options['agent'].name}, {whose}", ran)
            ElementTree.ElementTree(suite).write(options["junit"], "utf-8", xml_declaration=True)
        told = [f"  {one.test.question}: {_why(one)}" for one in red]
        said = f"{len(ran) - len(red)} of {len(ran)} memory tests pass."
        data = {"passed": len(ran) - len(red), "failed": [str(one.test.pk) for one in red]}
        return base.Outcome("\n".join([said, *told]), data, ok=not red)


def _suite(name: str, ran: list[ListedTest]) -> ElementTree.Element:
    failures = sum(not one.passed for one in ran)
    counts = {"name": name, "tests": str(len(ran)), "failures": str(failures)}
    suite = ElementTree.Element("testsuite", counts)
    for one in ran:
        asked = {"classname": name, "name": one.test.question}
        case = ElementTree.SubElement(suite, "testcase", asked)
        if not one.passed:
            ElementTree.SubElement(case, "failure", {"message": _why(one)})
    return suite


def _why(one: ListedTest) -> str:
    """Without the text of the memory, which logs of builds would keep."""
    return "what it must not hold is said" if one.said else "what it must hold isn't there"
