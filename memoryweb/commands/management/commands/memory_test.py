from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.agents.owners import find_for_command
from memoryweb.commands import base
from memoryweb.memory import memory_tests
from memoryweb.memory.memory_tests import MemoryTestResult
from memoryweb.memory.models.writer import Memory


class Command(base.TeamCommand):
    help = "Run an agent's memory tests. Exits 1 if one fails."
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--owner", help="whose; default: the shared ones")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit's XML, too")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        owner = find_for_command(team, options["owner"]) if options["owner"] else None
        memory = Memory(options["agent"], owner)
        results = memory_tests.run(memory, memory_tests.listed(memory))
        red = [one for one in results if not one.is_green]
        if options["junit"]:
            suite = _suite(memory, results, len(red))
            ElementTree.ElementTree(suite).write(options["junit"], "utf-8", xml_declaration=True)
        said = f"{len(results) - len(red)} of {len(results)} memory tests pass."
        failing = (f"  {one.listed.test.question}: {_why(one)}" for one in red)
        data = {
            "passed": len(results) - len(red),
            "failed": [str(one.listed.test.pk) for one in red],
        }
        return base.Outcome("\n".join([said, *failing]), data, ok=not red)


def _suite(memory: Memory, results: list[MemoryTestResult], red: int) -> ElementTree.Element:
    name = f"{memory.agent.name}, {memory.owner.shown_as if memory.owner else 'shared'}"
    counts = {"name": name, "tests": str(len(results)), "failures": str(red)}
    suite = ElementTree.Element("testsuite", counts)
    for one in results:
        asked = {"classname": name, "name": one.listed.test.question}
        case = ElementTree.SubElement(suite, "testcase", asked)
        if not one.is_green:
            ElementTree.SubElement(case, "failure", {"message": _why(one)})
    return suite


def _why(one: MemoryTestResult) -> str:
    """Without the text of the memory, which logs of builds would keep."""
    return "what it must not hold is said" if one.said else "what it must hold isn't there"
