# `make run` and `make test` need Python 3.11 or newer and nothing else.

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PORT ?= 8000
# Modules are compiled once, not by each of the processes: some environments forbid that.
export PYTHONDONTWRITEBYTECODE :=
PIP := .venv/bin/python -m pip install --quiet --disable-pip-version-check
CODE := memoryweb tests scripts plugins manage.py
TEST_HOME := $(CURDIR)/.venv/test-home

.PHONY: run test lint types fmt bench bench-memory bench-recall shots soak soak-ops clean \
	checks quick format imports templates sqlite walls rooms postgres browser

run: .venv/run.stamp
	@exec python manage.py start

# What runs here and what in `soak` alone: docs/testing.md.
test: .venv/dev.stamp
	@python scripts/cpu_seconds.py 720 $(MAKE) --no-print-directory checks

# What is quick comes first. Then two cores are busy to the end: while the browser or a killed worker
# is waited for, the others go on.
checks: .venv/dev.stamp
	@$(MAKE) --no-print-directory -j 2 $(SYNC) quick
	@$(MAKE) --no-print-directory -j 3 $(SYNC) types sqlite postgres browser
	@echo "All checks passed."

# Each suite's output in one piece, where make can do so.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

quick: format lint imports templates

test checks format lint types imports templates sqlite walls rooms postgres browser soak: export MEMORYWEB_HOME := $(TEST_HOME)

format: .venv/dev.stamp
	ruff format --check $(CODE) clients

lint: .venv/dev.stamp
	ruff check $(CODE) clients

types: .venv/dev.stamp
	mypy $(CODE)

imports: .venv/dev.stamp
	lint-imports

templates: .venv/dev.stamp
	djlint --quiet --lint templates

# A process for each half: were the tests given to two by a third, each would collect all of them,
# and what the three say to each other would cost a twentieth more.
WALLS := tests/walls tests/stories tests/forgetting tests/upgrade

sqlite: walls rooms

walls: .venv/dev.stamp
	pytest -q $(WALLS) -m "not slow"

rooms: .venv/dev.stamp
	pytest -q tests $(WALLS:%=--ignore=%) --ignore=tests/browser -m "not slow"

# Only what can differ there (tests/walls/databases.py); the rest is in `make soak`.
postgres: .venv/dev.stamp
	python scripts/postgres.py pytest -q --database marked -m "not browser and not slow"

browser: .venv/dev.stamp
	python scripts/chromium.py
	pytest -q tests/browser -m "not slow"

# Before an issue is called resolved: everything, on both databases, with more examples.
soak: .venv/dev.stamp
	HYPOTHESIS_PROFILE=soak pytest -q -n 3 -m "not browser and not kill"
	python scripts/postgres.py pytest -q -n 2 --dist worksteal --database all -m "not browser and not kill"
	python scripts/chromium.py
	pytest -q tests/browser
	python -m scripts.mcp_conformance $(TEST_HOME)/mcp
	python -m scripts.mcp_oauth $(TEST_HOME)/mcp-oauth
	python -m scripts.openclaw_plugin $(TEST_HOME)/openclaw
	python -m scripts.python_client $(TEST_HOME)/python-client
	python -m scripts.mem0_clients $(TEST_HOME)/mem0-clients
	python -m scripts.chat_clients $(TEST_HOME)/chat-clients
	for round in 1 2 3 4 5; do pytest -q -m kill || exit 1; done
	for round in 1 2 3 4 5; do python scripts/postgres.py pytest -q -m kill || exit 1; done

# Two hosts on PostgreSQL that are killed at random, for an hour, or SECONDS=…
soak-ops: .venv/dev.stamp
	python -m scripts.soak_ops

fmt: .venv/dev.stamp
	ruff format $(CODE) clients
	ruff check --fix $(CODE) clients

# With BASE=<commit> only what changed since: rows of both, by turns.
bench: .venv/dev.stamp
ifdef BASE
	python -m scripts.bench_pairs $(BASE)
else
	python -m scripts.bench
	python -m scripts.bench_snapshot
	python -m scripts.bench_search
	python -m scripts.bench_forget
endif

# How well search finds, by the questions in ../shared/data/locomo.
# With EMBEDDINGS=URL by meaning, too: an embedding endpoint, or random, constant or zero.
bench-recall: .venv/dev.stamp
	python -m scripts.bench_recall

# What memory holds of three people after a month, and what other memories of that size would; and
# what it makes of the sample sets of talk.
bench-memory: .venv/dev.stamp
	python -m scripts.bench_memory

shots: .venv/dev.stamp
	python scripts/chromium.py
	python -m scripts.shots

clean:
	rm -rf .venv shots .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip comes last into an environment: one without it was cut short.
.venv/bin/pip:
	scripts/venv.sh

.venv/run.stamp: requirements.txt constraints.txt | .venv/bin/pip
	$(PIP) -r requirements.txt
	@touch $@

.venv/dev.stamp: requirements-dev.txt requirements.txt constraints.txt | .venv/bin/pip
	$(PIP) -r requirements-dev.txt
	@touch $@ .venv/run.stamp
