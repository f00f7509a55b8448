# Everything here works on a machine that has only Python (3.11 or newer) and make.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev
SLOW ?= tests
JOBS ?= auto
WORKERS ?= auto
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test test-slow test-all test-corpus lint types layers check clean
help:
	@echo "make demo      set up and show the five rulesets loaded, drawn, played and cross-checked"
	@echo "make test      set up and run the test suite"
	@echo "make test-slow run the long tests; make test-all runs both"
	@echo "make test-corpus  all published rule files in lockstep on every back end; JOBS=16"
	@echo "make check     lint, types and layers"
	@echo "make clean     remove what the other targets made"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; say make PYTHON=python3.12, for instance"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/gdl demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto -m 'not slow'

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(SLOW)

test-all: $(STAMP)
	$(BIN)/python -m pytest -n auto

test-corpus: $(STAMP)
	GDL_CORPUS=all $(BIN)/python -m pytest -n $(JOBS) -m slow tests/native/test_lockstep.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy gdl engine tests examples

layers: $(STAMP)
	$(BIN)/lint-imports

check: lint types layers

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
