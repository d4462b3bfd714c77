import os
import subprocess
import sys

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


def test_none_waits_for_the_rules_of_dates() -> None:
    """Django is set up for every command; only an extraction needs them."""
    said = "import sys, django; django.setup(); print('dateparser' in sys.modules)"
    answered = subprocess.run(
        [sys.executable, "-c", said],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answered.stdout.strip() == "False"
