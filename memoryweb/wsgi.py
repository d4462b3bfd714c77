import os

from django.core.wsgi import get_wsgi_application

from memoryweb.core import home_lock

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")

application = get_wsgi_application()

from memoryweb.audit import keys  # noqa: E402 - it needs the registry of models

home_lock.share()
keys.check_start()  # ends the process with what is wrong
