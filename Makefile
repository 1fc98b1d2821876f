# Every target sets itself up: a virtual environment in .venv, made with the system's Python.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEER := .venv-peer
PIP := $(BIN)/pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml README.md $(shell find src -type f -not -path '*/__pycache__/*')

.PHONY: demo docs test test-slow test-all check bench reproduce soak format clean

## demo: set up and do the main job on bundled data
demo: $(VENV)/.installed
	$(BIN)/ordlink demo --out demo

## docs: build the documentation as a site in build/docs; warnings are errors
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/docs
	@echo "open build/docs/index.html"

## test: set up and run the tests against the installed package, in under 5 minutes on 2 cores
test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" $(PYTEST_ARGS)

## test-slow: the other tests: browser, PostgreSQL, long runs, whole experiments
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow $(PYTEST_ARGS)

## test-all: all tests, with coverage
test-all: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term $(PYTEST_ARGS)

## check: lint, format, types, import rules
check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.import_rules

## reproduce: run the paper's experiments again and write a report; an interrupted run resumes.
##   LIST=1 lists them; QUICK=1 takes a few minutes; STUDY="planted car", OUT=folder, DATA=folder,
##   PROCESSES=2
reproduce: $(VENV)/.installed
	$(BIN)/python -m studies.reproduction $(STUDY) $(if $(QUICK),--quick,--full) $(if $(LIST),--list) \
		$(if $(OUT),--out "$(OUT)") $(if $(DATA),--data-home "$(DATA)") \
		$(if $(PROCESSES),--processes $(PROCESSES))

## bench: measure speed, print a table, write benchmarks/results.json; BENCH_ARGS=--slow for more
bench: $(VENV)/.test
	-@$(MAKE) --no-print-directory $(PEER)/.installed
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

## soak: long runs of the web app: start, load, kill -9, two servers, abuse, a large study, fuzz,
##   simulated people; SOAK_ARGS=--short for less, SOAK_ARGS="abuse large" for some of them
soak: $(VENV)/.test
	$(BIN)/python -m soak $(SOAK_ARGS)

## format: put all code into the house format
format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(PEER) demo build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip

# Dependencies are resolved once; later changes of the source only reinstall the package itself.
$(VENV)/.dependencies: pyproject.toml | $(BIN)/python
	$(PIP) install .
	touch $@

$(VENV)/.installed: $(VENV)/.dependencies $(SOURCES)
	$(PIP) install --no-deps --force-reinstall .
	touch $@

$(VENV)/.test: $(VENV)/.installed
	$(PIP) install '.[test]'
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) install '.[docs]'
	touch $@

$(VENV)/.check: $(VENV)/.installed
	$(PIP) install '.[test,check]'
	touch $@

# cblearn, which the benchmarks compare with, needs an older NumPy: an environment of its own.
$(PEER)/.installed:
	$(PYTHON) -m venv $(PEER)
	echo '*' > $(PEER)/.gitignore
	$(PEER)/bin/pip --disable-pip-version-check --quiet install cblearn
	-$(PEER)/bin/pip --disable-pip-version-check --quiet install torch==2.13.0  # for its FORTE
	touch $@
