# Everything here works on a machine that has only Python (3.11 or newer) and make.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev
JOBS ?= auto
WORKERS ?= auto
LEFT ?= slow or later
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
COMMA := ,
STAMP := $(VENV)/.installed-$(subst $(COMMA),-,$(EXTRAS))
PYTEST := $(BIN)/python -m pytest

.PHONY: help install demo test test-slow test-all test-random test-corpus coverage lint types layers check site site-version man boards playground editor package clean
help:
	@echo "make demo      set up and show the five rulesets loaded, drawn, played and cross-checked"
	@echo "make test      set up and run the quick tests: two minutes"
	@echo "make test-slow run what make test leaves out"
	@echo "make test-all  run all tests, the long ones too; EXTRAS=all installs what they can use"
	@echo "make test-random  run what hypothesis draws examples for, many and each time others"
	@echo "make test-corpus  all published rule files in lockstep on every back end, and their mutants; JOBS=16"
	@echo "make coverage  run the quick tests and those a little slower, and say which branches they leave out"
	@echo "make check     lint, types and layers"
	@echo "make site      build the documentation in build/site; EXTRAS=docs,dev installs what it takes"
	@echo "make site-version VERSION=0.2.0  build it, and put it beside the versions in SITES (build/sites)"
	@echo "make man       write manual pages to build/man, for man -M build/man"
	@echo "make boards GAMES=FOLDER  draw the boards of all rule files of a folder on the sheet of docs/boards.md"
	@echo "make playground  write static files to build/playground: rules checked and played in a browser; needs npm"
	@echo "make editor    bundle the rule editor of the page again, after a change of gdl/web/editor; needs npm"
	@echo "make package   build the wheel in dist"
	@echo "make clean     remove what the other targets made"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; say make PYTHON=python3.12, for instance"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

install: $(STAMP)

demo: $(STAMP)
	@$(BIN)/gdl demo

test: $(STAMP)
	$(PYTEST) -n $(WORKERS) -m 'not slow and not later'

# What measures time runs by itself, all else on all cores.
test-slow: $(STAMP)
	GDL_TESTS=thorough $(PYTEST) -m alone
	GDL_TESTS=thorough $(PYTEST) -n $(WORKERS) --dist worksteal -m '($(LEFT)) and not alone'

test-all: $(STAMP)
	GDL_TESTS=thorough $(PYTEST) -n $(WORKERS) -m 'not alone'
	GDL_TESTS=thorough $(PYTEST) -m alone

test-random: $(STAMP)
	GDL_TESTS=random $(PYTEST) -n $(WORKERS) -m 'hypothesis and not alone'

test-corpus: $(STAMP)
	GDL_CORPUS=all $(PYTEST) -n $(JOBS) -m slow tests/native/test_lockstep.py tests/native/test_mutants.py tests/meaning tests/conformance/test_lockstep.py

coverage: $(STAMP)
	$(PYTEST) -n $(WORKERS) -m 'not slow' --cov --cov-report=term:skip-covered

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy gdl engine tests examples

layers: $(STAMP)
	$(BIN)/lint-imports

check: lint types layers

site: export NO_MKDOCS_2_WARNING = 1
site: $(STAMP)
	@test -e $(BIN)/mkdocs || test -e $(BIN)/mkdocs.exe \
	  || { echo 'the documentation takes more packages: make site EXTRAS=docs,dev'; exit 1; }
	$(BIN)/mkdocs build

# One folder holds all versions: make site-version VERSION=0.2.0 adds one, dev is what is between two.
VERSION ?= dev
SITES ?= build/sites
site-version: site
	$(BIN)/python docs/versions.py build/site $(SITES) $(VERSION)

man: $(STAMP)
	$(BIN)/python docs/man.py build/man/man1

boards: $(STAMP)
	$(BIN)/python docs/contact_sheet.py $(GAMES)

playground: $(STAMP)
	$(BIN)/python docs/playground/build.py build/playground

# The bundle and its licences are kept in git: nobody who installs from there needs npm.
editor:
	npm --prefix gdl/web/editor ci --silent --no-audit --no-fund
	node gdl/web/editor/build.js

package: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
