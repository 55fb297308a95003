# Every target sets up what it needs in .venv; nothing but python3 has to be on the machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Tests of a file share its servers, and `worksteal` leaves most files to one worker. A third worker on two cores makes
# it slower: programs in the loop are waited for by looking at them again and again.
WORKERS ?= -n 2 --dist worksteal

.PHONY: attack demo test test-all coverage lint docs generate conformance bench bench-serve soak soak-restarts bench-loop bench-compare wheel clean help

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(INSTALLED) ## Run the bundled experiment, print its table and the path of its report
	$(BIN)/wavetank run examples/demo/experiment.yaml -o out/demo

test: $(INSTALLED) ## Run the tests
	$(BIN)/pytest $(WORKERS) --durations=10

test-all: export WAVETANK_ALL = 1
test-all: test ## Run the tests with every recorded scenario, not only a sample

coverage: $(INSTALLED) ## Run the tests and say which lines of the package none of them reaches (half an hour)
	mkdir -p out/coverage
	$(BIN)/pytest $(WORKERS) --cov --cov-report=term --cov-report=html

attack: $(INSTALLED) ## Attack it for a quarter of an hour: hostile requests and files, signals, random experiments (loopback only)
	$(BIN)/python tests/attack/run.py $(ATTACKS)

lint: docs ## Check style, types, import contracts, the docs and the report's scripts (needs npm)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/join_report_scripts.py $(VENV)/report-scripts
	npm install --silent --no-audit --no-fund && npm run --silent lint

docs: $(INSTALLED) ## Build the documentation site into out/site; fails on dead links and pages missing in docs/README.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

generate: $(INSTALLED) ## Write all generated data again (needs Go, and the recordings in WAVETANK_SHARED)
	$(BIN)/python scripts/generate_kinds.py
	$(BIN)/python scripts/generate_columns.py
	$(BIN)/python scripts/generate_gotypes.py
	$(BIN)/python scripts/generate_roles.py
	$(BIN)/python scripts/generate_podtypes.py
	$(BIN)/python scripts/generate_gorandom.py
	$(BIN)/python scripts/fit_k3s.py --write
	$(BIN)/python scripts/generate_reference.py
	$(BIN)/python scripts/record_terminal.py

conformance: $(INSTALLED) ## Run the conformance tests of Kubernetes against `wavetank serve` and write docs/conformance.md (an hour; needs Go)
	$(BIN)/python scripts/run_conformance.py

bench: $(INSTALLED) ## Measure and print the benchmark table
	$(BIN)/python bench/run.py

bench-serve: $(INSTALLED) ## Measure requests and watch events of `wavetank serve`
	$(BIN)/python bench/serve.py

soak: $(INSTALLED) ## Let `wavetank serve` work for eight simulated weeks: memory and descriptors must stay flat (half an hour)
	$(BIN)/python bench/soak.py

soak-restarts: $(INSTALLED) ## Kill `wavetank serve --state` every day of four simulated weeks: nothing may be lost (a quarter of an hour)
	$(BIN)/python bench/soak_restarts.py

bench-loop: $(INSTALLED) ## Measure the real kube-scheduler in the loop (build it first: wavetank scheduler build)
	$(BIN)/python bench/loop.py

bench-compare: $(INSTALLED) ## Compare the built-in scheduler with the real one, scenario by scenario
	$(BIN)/python bench/compare_real.py

wheel: $(INSTALLED) ## Build the wheel and its bill of materials, and try it in an empty environment
	rm -rf dist $(VENV)-wheel
	$(BIN)/python -m build --wheel --outdir dist .
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/pip install --quiet dist/*.whl
	$(VENV)-wheel/bin/python scripts/write_sbom.py dist/*.whl dist/wavetank.cdx.json
	$(VENV)-wheel/bin/wavetank --version
	$(VENV)-wheel/bin/wavetank run examples/01-first-experiment/experiment.yaml -o $(VENV)-wheel/out

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(VENV)-wheel dist out node_modules

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group dev
	$(BIN)/python -m compileall -q src
	$(BIN)/wavetank warmup
	touch $@
