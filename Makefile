# Needs Python 3.11 or newer, pip and make; everything else is brought into .venv, each package held against its hash.
#
#   make demo    a persona in the browser that asks before it writes: no token, no key, no network once installed
#   make test    the tests (make test ARGS="-k approval" for some of them)
#   make check   format, lint, types, import contracts
#   make bench   throughput and latencies
#   make lock    work the locks out anew from pyproject.toml (needs uv)
#   make clean   remove .venv and every cache; ./data stays

PYTHON ?= python3
UV ?= uv
ARGS ?=

RUN := .venv/bin/python -m
LOCKED := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header
COMPILE := $(UV) pip compile pyproject.toml scripts/build.in $(LOCKED)

.PHONY: demo test check bench lock clean

demo:
	@$(PYTHON) scripts/venv.py demo
	@$(RUN) bot demo $(ARGS)

test:
	@$(PYTHON) scripts/venv.py dev
	@$(RUN) scripts.services
	@$(RUN) scripts.mcp_servers
	@$(RUN) pytest --numprocesses 2 --dist loadfile $(ARGS)

check:
	@$(PYTHON) scripts/venv.py dev
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy bot channels scripts skills tests
	.venv/bin/lint-imports

bench:
	@$(PYTHON) scripts/venv.py dev
	@$(RUN) scripts.services
	@$(RUN) scripts.mcp_servers
	@$(RUN) tests.bench $(ARGS)

lock:
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --output-file requirements-dev.lock --constraint requirements.lock \
		--extra openai --extra anthropic --extra postgres --group dev
	$(UV) pip compile tests/fakes/mcp/python/servers.in $(LOCKED) --output-file tests/fakes/mcp/python/servers.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info build dist
	find bot channels skills tests scripts -name __pycache__ -type d -exec rm -rf {} +
