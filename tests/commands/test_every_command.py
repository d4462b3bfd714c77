import pytest
from django.core.management import get_commands, load_command_class

# `migrate` is Django's, but for when it checks.
OURS = sorted({n for n, app in get_commands().items() if app == "memoryweb.commands"} - {"migrate"})


@pytest.mark.parametrize("name", OURS)
def test_it_explains_itself(name: str) -> None:
    command = load_command_class("memoryweb.commands", name)
    assert command.help in command.create_parser("manage.py", name).format_help().replace("\n", " ")


@pytest.mark.parametrize("name", OURS)
def test_it_answers_in_json(name: str) -> None:
    parser = load_command_class("memoryweb.commands", name).create_parser("manage.py", name)
    assert "--json" in parser.format_help()
