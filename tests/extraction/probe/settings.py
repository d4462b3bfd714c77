from memoryweb.settings import *  # noqa: F403
from memoryweb.settings import INSTALLED_APPS as OURS

INSTALLED_APPS = [*OURS, "tests.extraction.probe.apps.ProbeConfig"]
