import os

from django.core.wsgi import get_wsgi_application

from memoryweb import presence

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")

application = get_wsgi_application()
presence.share()
