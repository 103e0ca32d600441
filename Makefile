# The only list of commands; `make` prints them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONTRACT := service/sessiond/rpc/contract.binpb

.DEFAULT_GOAL := help
.PHONY: help setup run demo test check lint fmt types proto verify breaking torture reliability fuzz bench bench-peers lock audit clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Two stamps: what the server needs, and what developing it needs beside.
$(VENV)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q service/sessiond clients/python/sessiontools  # as pip does with what it installs
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "installing what tests need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.dev ## make .venv with everything that developing needs

run: $(VENV)/.runtime ## start the server on its embedded default (SQLite, echo) and say how to call it
	@exec $(BIN)/sessiontools serve --hints

test: $(VENV)/.dev ## run every test: the server's on SQLite and PostgreSQL, and each client's
	$(BIN)/pytest -n auto --dist loadfile
	clients/test

check: lint types verify test ## exactly what CI runs

lint: $(VENV)/.dev ## protos and Python: rules and format
	$(BIN)/buf lint
	$(BIN)/buf format -d --exit-code
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.dev ## the strict type checker
	$(BIN)/mypy

fmt: $(VENV)/.dev ## put protos and Python into their format
	$(BIN)/buf format -w
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

proto: $(VENV)/.dev ## generate the code of every language from proto/
	clients/generate
	$(BIN)/buf build --as-file-descriptor-set -o $(CONTRACT)

verify: $(VENV)/.dev ## fail when generated code is not what proto/ gives
	clients/verify
	$(BIN)/buf build --as-file-descriptor-set -o build/verify/contract.binpb
	cmp build/verify/contract.binpb $(CONTRACT)

BREAKING_BASE ?= .git\#branch=main
breaking: $(VENV)/.dev ## compare proto/ with another state of it (BREAKING_BASE, default branch main)
	$(BIN)/buf breaking --against '$(BREAKING_BASE)'

demo: $(VENV)/.runtime ## watch a scripted story: a reply loop, a sub-agent, a denied channel, a cancel
	@$(BIN)/sessiontools demo

torture: $(VENV)/.dev ## kill, cut and restart for longer than CI does (TORTURE_SECONDS for each kind)
	TORTURE_SECONDS=$${TORTURE_SECONDS:-150} $(BIN)/pytest -s tests/system

RELIABILITY_SECONDS ?= 600
reliability: $(VENV)/.dev ## the whole fault suite with a checker, written to docs/reliability.md
	$(BIN)/python -m tests.system --seconds $(RELIABILITY_SECONDS) --out docs/reliability.md

fuzz: $(VENV)/.dev ## hostile requests and bytes for longer than CI does (FUZZ_SECONDS on each database)
	FUZZ_SECONDS=$${FUZZ_SECONDS:-120} $(BIN)/pytest -s tests/fuzz

bench: $(VENV)/.dev ## measure, and write docs/performance.md
	$(BIN)/python -m bench

bench-peers: $(VENV)/.dev ## the same work on the a2a-sdk server beside ours, for docs/performance.md
	$(BIN)/python -m bench.peers

lock: $(VENV)/.dev ## renew both lock files from pyproject.toml
	$(BIN)/uv pip compile -q --upgrade --universal --no-emit-index-url --no-header --generate-hashes pyproject.toml --group build -o requirements.lock
	$(BIN)/uv pip compile -q --upgrade --universal --no-emit-index-url --no-header --generate-hashes pyproject.toml --all-extras --group build --group dev -o requirements-dev.lock

audit: $(VENV)/.dev ## look the pinned packages up in the advisory database (needs its network)
	$(BIN)/pip-audit -r requirements.lock

clean: ## remove what was built and installed
	rm -rf build dist .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf clients/typescript/{node_modules,dist,build} clients/java/target clients/rust/target
	rm -rf examples/*/{node_modules,dist,target} tests/clients/drivers/*/{node_modules,dist,target}
