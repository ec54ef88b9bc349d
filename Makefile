# Every target sets up what it needs in .venv the first time, and is quick from then on.
# It wants Python 3.11 or later; `make PYTHON=/path/to/python play` says which one.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Stamps of what is installed; both are made again when pyproject.toml changes.
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help play test test-all check bench docs clean

help:
	@echo "make play      play Emerald in the terminal against bots"
	@echo "make test      the tests, in some minutes"
	@echo "make test-all  the tests that take long, too"
	@echo "make check     ruff and mypy"
	@echo "make bench     how fast it is"
	@echo "make docs      write the generated pages of docs/ again"
	@echo "make clean     remove .venv and what the tools have left"

play: $(RUN)
	@$(BIN)/ludex play emerald

# The tests are bound by the processor and know nothing of one another: some six minutes of
# processor time, which two processes halve. `PYTEST_ARGS="-n 0 -k heap"` runs some of them in one.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4

test: $(DEV)
	$(PYTEST) -m "not long" $(PYTEST_ARGS)
	$(MAKE) check

test-all: $(DEV)
	$(PYTEST) $(PYTEST_ARGS)
	$(MAKE) check

check: $(DEV)
	$(BIN)/ruff check
	$(BIN)/mypy

bench: $(DEV)
	$(BIN)/python tests/benchmarks/run.py

docs: $(DEV)
	$(BIN)/python tests/docs/api_reference.py
	$(BIN)/python tests/docs/sizes_page.py
	$(BIN)/python tests/docs/gallery_page.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find engine tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "ludex needs Python 3.11 or later: make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV); this is done once."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(RUN): pyproject.toml | $(BIN)/python
	@$(PIP) install -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@$(PIP) install -e '.[dev]'
	@touch $(RUN) $@
