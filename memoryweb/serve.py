"""granian, with the product loaded before its workers are forked, so that they share its memory."""

import gc
import os
from importlib import import_module

import django
from django.conf import settings
from django.db import connections
from granian.cli import entrypoint

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    django.setup()
    import_module(settings.ROOT_URLCONF)
    connections.close_all()
    gc.collect()
    gc.freeze()
    entrypoint()
