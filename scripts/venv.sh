#!/bin/sh
# Makes .venv with a Python that is new enough. Some systems split ensurepip off Python: there
# the pip of the system puts one into the environment.
set -eu

[ -x .venv/bin/pip ] && exit 0

new_enough() {
    command -v "$1" >/dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'
}

for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if new_enough "$candidate" 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "${python:-}" ]; then
    echo "memoryweb needs Python 3.11 or newer. Install it, or name one: make PYTHON=/path/to/python" >&2
    exit 1
fi

echo "Making .venv with $("$python" --version)."
if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv .venv
else
    "$python" -m venv --without-pip .venv
    "$python" -m pip --quiet --disable-pip-version-check --python .venv/bin/python install pip
fi
