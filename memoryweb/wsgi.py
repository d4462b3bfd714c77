import os

from django.core.wsgi import get_wsgi_application

from memoryweb import home_lock

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")

application = get_wsgi_application()
home_lock.share()
