"""The product's settings, with imports that stop where a test wants them to."""

from memoryweb.settings import *  # noqa: F403
from memoryweb.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.memory.stops"]
