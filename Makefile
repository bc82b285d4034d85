# Two commands do all their own set-up: `make release` and `make test`.
# Nothing is needed but Python 3.10 or newer, make, and a package registry that pip can reach.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RELEASE := build/ROSE-v0.1
DEMO := build/ROSE-demo
SOURCES := $(shell find rosegen assets schemas -type f -not -name '*.pyc' 2>/dev/null)

# The constraints hold for the environment that builds the package, too.
# pip takes a space for the end of a path here; a URL has none.
space := $(subst ,, )
export PIP_CONSTRAINT := file://$(subst $(space),%20,$(CURDIR))/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: release demo test lint bench clean help

help:
	@echo "make release   build and verify the whole benchmark in $(RELEASE)"
	@echo "make demo      25 scenes in seconds, in $(DEMO)"
	@echo "make test      run the tests"
	@echo "make lint      ruff and mypy"
	@echo "make bench     measure speed and memory"
	@echo "make clean     remove $(VENV) and build"

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("rosegen needs Python 3.10 or newer: make PYTHON=python3.12 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-for-tests: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

release: build/.ROSE-v0.1.verified

build/.ROSE-v0.1.verified: $(RELEASE)/export_summary.json
	$(BIN)/rosegen verify $(RELEASE)
	touch $@

$(RELEASE)/export_summary.json: $(VENV)/.installed pipelines/rose-v0.1.yaml $(SOURCES)
	$(BIN)/rosegen build pipelines/rose-v0.1.yaml --out $(RELEASE) --force

demo: build/.ROSE-demo.verified

build/.ROSE-demo.verified: $(DEMO)/export_summary.json
	$(BIN)/rosegen verify $(DEMO)
	touch $@

$(DEMO)/export_summary.json: $(VENV)/.installed pipelines/demo.yaml $(SOURCES)
	$(BIN)/rosegen build pipelines/demo.yaml --out $(DEMO) --force

test: $(VENV)/.installed-for-tests
	-$(BIN)/rosegen assets fetch --quiet
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-for-tests
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build
