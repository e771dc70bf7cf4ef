# `make` lists the targets. Everything runs in .venv, which the first target that needs it builds from requirements.lock.
# All paths are relative, so that a clone works wherever it lies, with spaces in its path too.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON := .venv/bin/python
PYTEST_ARGS ?=
RUN_ARGS ?=
SCENARIO_ARGS ?=
EVAL_ARGS ?=
BENCH_ARGS ?=
LOCOMO ?=
SHADOW ?=
PROVE_ARGS ?=
COVERAGE ?=
# Hundreds of tests start `dnam`: without compiled modules each start would take half a second longer.
export PYTHONDONTWRITEBYTECODE :=
# Which Python to build .venv with; the first that is new enough and can make one is taken.
PYTHONS ?= python3 python3.14 python3.13 python3.12 python3.11 python

# A virtual environment knows where it lies: it is built anew when the lock file's content changes (not when it is merely
# touched) or the clone moves. The old stamps go with the old environment.
LOCK_KEY := $(shell { pwd; cat requirements.lock; } | cksum | cut -d ' ' -f 1)
LOCKED := .venv/locked-$(LOCK_KEY)
READY := .venv/ready-$(LOCK_KEY)
PEERS := .venv/peers-$(shell cat requirements.lock requirements-bench.lock | cksum | cut -d ' ' -f 1)

.PHONY: help setup run test types check scenario privacy prove bench eval kills docs dist clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## build .venv from requirements.lock
	@echo "dnam: .venv is ready"

run: $(READY) ## open the chat (RUN_ARGS="--as Kim" is passed on)
	@echo "dnam: starting"
	@.venv/bin/dnam run $(RUN_ARGS)

test: $(READY) ## run the tests (PYTEST_ARGS="-k items" is passed on)
	@echo "dnam: running the tests"
	@$(PYTHON) -m pytest -n auto $(COVERAGE) $(PYTEST_ARGS)

check: $(READY) ## everything CI asks for: lint, format, types, import contracts, tests with coverage, docs
	@echo "dnam: ruff check"
	@$(PYTHON) -m ruff check .
	@echo "dnam: ruff format --check"
	@$(PYTHON) -m ruff format --check .
	@echo "dnam: import contracts"
	@.venv/bin/lint-imports --no-logo
	@echo "dnam: docs check"
	@$(PYTHON) -m dnam.reference --check
	@$(MAKE) -j 2 types test COVERAGE="--cov --cov-report=term"
	@echo "dnam: all checks passed"

# Beside the tests: alone it would leave a processor idle for half a minute.
types: $(READY)
	@echo "dnam: mypy"
	@$(PYTHON) -m mypy

scenario: $(READY) ## play the long scenario in Discord, with a transcript (SCENARIO_ARGS="--seed 7 --transcript day.txt")
	@echo "dnam: playing the scenario"
	@$(PYTHON) -m tests.scenario $(SCENARIO_ARGS)

privacy: $(READY) ## who sees what as a table, leaks, deletion, erasure and injection
	@echo "dnam: looking for what anybody could see that they may not"
	@$(PYTHON) -m tests.privacy

prove: $(READY) $(PEERS) ## try what is claimed, and write docs/SCORECARD.md (PROVE_ARGS="--only rot --seed 7" is passed on)
	@echo "dnam: trying what is claimed"
	@$(PYTHON) -m tests.proof $(PROVE_ARGS)

bench: $(READY) $(PEERS) ## measure, beside the peers' figures (BENCH_ARGS="--only recall --quick" is passed on)
	@echo "dnam: measuring"
	@$(PYTHON) -m tests.bench $(BENCH_ARGS)

eval: $(READY) ## score the offline model, or recall (LOCOMO="path of LoCoMo's file", EVAL_ARGS=--json), or a shadow (SHADOW=NAME)
	@echo "dnam: scoring $(if $(SHADOW),the shadow $(SHADOW),$(if $(LOCOMO),recall,the offline model))" >&2
	@$(PYTHON) -m tests.evaluation $(if $(LOCOMO),--locomo "$(LOCOMO)") $(if $(SHADOW),--shadow "$(SHADOW)") $(EVAL_ARGS)

kills: $(READY) ## kill `dnam rederive` a hundred times at random points, and say what that cost
	@echo "dnam: killing derivations"
	@DNAM_KILLS=100 $(PYTHON) -m pytest -q -s tests/kills/test_deriving.py

docs: $(READY) ## write the generated reference pages and .env.example
	@$(PYTHON) -m dnam.reference

dist: $(READY) ## build a wheel into dist/
	@echo "dnam: building a wheel into dist/"
	@$(PYTHON) -m build --wheel --no-isolation --outdir dist

clean: ## remove what tools made; .venv and data/ stay
	@echo "dnam: removing caches, build/ and dist/"
	@rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name .venv -prune -o -name data -prune -o -type d -name __pycache__ -exec rm -rf {} +

# pip would compile modules on one processor only. What this Python cannot compile is passed over, as pip does. The lock file
# is complete: pip need look up nothing beside it, and one older than 23.3 would take the newest release for an extra. Where
# .venv is a link, what it leads to is somebody else's, and stays as it is.
$(LOCKED):
	@set -e; found=; \
	for candidate in $(PYTHONS); do \
	  if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    found="$$candidate"; break; \
	  fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "dnam: no Python 3.11 or newer with the venv module was found (tried: $(PYTHONS))." >&2; \
	  echo "dnam: install one, or name one: make setup PYTHONS=/path/to/python3" >&2; \
	  exit 1; \
	fi; \
	echo "dnam: building .venv with $$("$$found" --version)"; \
	if [ -L .venv ]; then rm .venv; fi; \
	"$$found" -m venv --clear .venv; \
	echo "dnam: installing what requirements.lock lists (a minute or so, the first time only)"; \
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-input --no-compile --no-deps --require-hashes -r requirements.lock; \
	$(PYTHON) -m compileall -qq -j 0 .venv/lib || true
	@touch $@

# The packages themselves are linked in, not copied: a change in the source needs no new set-up.
$(READY): $(LOCKED) pyproject.toml
	@echo "dnam: linking this folder into .venv"
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --editable .
	@touch $@

$(PEERS): $(LOCKED) requirements-bench.lock
	@echo "dnam: installing the peers that requirements-bench.lock lists (160 MB, the first time only)"
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes -r requirements-bench.lock
	@touch $@
