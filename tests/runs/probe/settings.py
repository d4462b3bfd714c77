"""The product's settings plus one kind of run that stops where a test wants it to."""

from memoryweb.settings import *  # noqa: F403
from memoryweb.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.runs.probe"]
