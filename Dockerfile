# memoryweb: web server and worker in one image. docs/compose starts them with PostgreSQL and nginx.
FROM python:3.12-slim-trixie
# For backups: of the version of docs/compose.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17 && rm -r /var/lib/apt/lists/*
WORKDIR /app
COPY requirements.txt constraints.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY manage.py LICENSE ./
COPY plugins plugins
COPY docs docs
COPY locale locale
COPY static static
COPY templates templates
COPY memoryweb memoryweb
ENV PYTHONUNBUFFERED=1 MEMORYWEB_HOME=/data MEMORYWEB_SHARED=/shared MEMORYWEB_STATIC=/app/collected
RUN MEMORYWEB_HOME=/tmp/build MEMORYWEB_SHARED=/tmp/build python manage.py collectstatic --no-input \
    && chmod -R a+rX /app/collected && rm -r /tmp/build
RUN python -m compileall -q memoryweb
RUN useradd memoryweb && install --directory --mode 700 --owner memoryweb /data /shared
USER memoryweb
EXPOSE 8000
CMD ["python", "-m", "memoryweb.serve", "--interface", "asginl", "--http", "1", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--no-ws", "--workers-kill-timeout", "4", "memoryweb.asgi:application"]
