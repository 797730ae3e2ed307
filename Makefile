# Everything runs in .venv, which the first command makes; no environment needs to be activated.

ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
PY := $(BIN)/python
INSTALLED := .venv/installed
CANDIDATES := $(if $(PYTHON),"$(PYTHON)",python3.13 python3.12 python3.11 python3 python)
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# Settings of the caller's shell that would change what a kernel or the virtual environment does.
unexport KERNELBOOK_QUICK KERNELBOOK_STATIC MPLBACKEND PYTHONHOME PYTHONPATH

# make book SOLUTIONS=0: a site without the exercises' solutions and hidden tests.
SOLUTIONS := 1
# make book PYODIDE=1: live pages take Python from the site itself, which grows by 80 MB, and ask no other host.
PYODIDE :=
# make test THOROUGH=1: what takes long too. nbval beside the outputs of the build, every page in a browser and not one
# of each kind, every submission, the slow tests of grading; laws on more units and more random objects.
# make test NIGHTLY=1: everything. Slow cells are run again, and their values compared with those that are stored; pages
# do less, as in make lab; more pages run live in a browser; coverage; claims are tried on seeds of their own.
override NIGHTLY := $(filter-out 0,$(NIGHTLY))
override THOROUGH := $(filter-out 0,$(THOROUGH)$(NIGHTLY))
export THOROUGH NIGHTLY
TEACHING_TESTS := $(if $(THOROUGH),tests/teaching,$(addprefix tests/teaching/test_,exercises.py answers.py serialization.py))

# make assignment COURSE=2028: a course beside the first, with its own data, students and scores; so for make grade.
COURSE :=

.PHONY: help book pdf epub serve lab test browser bench mutations notebooks claims assignment collect check grade feedback formgrader solutions exercise wheel clean

help:
	@echo "make book       build the book and print the address of its first page; SOLUTIONS=0 keeps the solutions out;"
	@echo "                PYODIDE=1 puts a copy of Python for browsers beside it, and live pages ask no other host"
	@echo "make pdf        the same, and the whole book as one PDF beside the pages"
	@echo "make epub       the same as an EPUB, for reading systems; 'make pdf epub' makes both"
	@echo "make test       check style, library, notebooks, exercises, built site; THOROUGH=1 also what takes long"
	@echo "make lab        open the notebooks in JupyterLab; WHOLE=1 takes as many draws as the pages, which takes minutes"
	@echo "make serve      serve the built book at http://127.0.0.1:8000"
	@echo "make bench      measure speed against scikit-learn, and when pages show on a slow phone"
	@echo "make mutations  change the library in 200 small ways, one after another: how many do its tests notice? N=50 SEED=2"
	@echo "make notebooks  execute the notebooks again and store their outputs; NAME=krr takes those with krr in their name"
	@echo "make claims     try what the pages claim on new seeds; NAME=krr chooses pages or claims;"
	@echo "                with SEEDS=100 or FROM=5000 (the first seed) it is a closer look, of which nothing is stored"
	@echo "make assignment NAME=krr SEED=2027   make the notebook that students get, with data of its own;"
	@echo "                                     PROBLEMS='1 3' chooses, DUE='2027-05-01 23:59 +0200' is the deadline"
	@echo "                                     PER_STUDENT=1 STUDENTS=list.csv: data of each student's own"
	@echo "make collect NAME=krr FILE=all.zip   take the archive of submissions from Canvas or Moodle"
	@echo "make check NAME=krr                  run the visible tests before the deadline, CHECKS=3 times a student"
	@echo "make grade NAME=krr                  score what they handed in; STUDENT=ada alone;"
	@echo "                                     COURSE=2028, here too, is a course of its own"
	@echo "make formgrader                      read answers, give points and comments by hand, in nbgrader's own pages"
	@echo "make feedback NAME=krr               a page for each student: which tests fail and why, points, comments"
	@echo "make solutions NAME=krr              the exercises' page with its solutions as a PDF, from the built book"
	@echo "make exercise NAME=kernel-means      a notebook of exercises to be filled, whose checks fail until it is"
	@echo "make wheel                           the library as a file that pip installs, without the book"
	@echo "make clean      remove what was built; .venv stays, and so does what students handed in"
	@echo
	@echo "The first command installs what the book needs into .venv. PYTHON=/path/to/python chooses the Python."

# pip's own messages go to the log; on the screen, the name of each package as pip comes to it.
$(INSTALLED): pyproject.toml requirements.txt
	@if ! $(PY) -c "import pip; $(NEW_ENOUGH)" > /dev/null 2>&1; then \
	    python=; \
	    for candidate in $(CANDIDATES); do \
	        if "$$candidate" -c "$(NEW_ENOUGH)" > /dev/null 2>&1; then python=$$candidate; break; fi; \
	    done; \
	    if [ -z "$$python" ]; then \
	        echo "Kernelbook needs Python 3.11 or newer, which none of these is:" $(CANDIDATES); exit 1; \
	    fi; \
	    echo "Making .venv with $$python"; \
	    if ! "$$python" -m venv --clear .venv > /dev/null 2>&1; then \
	        echo "$$python cannot make a virtual environment; on Debian and Ubuntu, install python3-venv first."; exit 1; \
	    fi; \
	fi
	@echo "Installing into .venv (a few minutes the first time); details in .venv/install.log"
	@rm -f .venv/failed
	@{ $(PY) -m pip install --disable-pip-version-check -r requirements.txt 2>&1 || touch .venv/failed; } \
	    | tee .venv/install.log | while read -r word rest; do \
	        case "$$word $$rest" in \
	            "Collecting "*) printf '%s ' "$${rest%%[!A-Za-z0-9_.-]*}" ;; \
	            "Installing collected"*) echo; echo "Unpacking" ;; \
	        esac; \
	    done
	@if [ -f .venv/failed ]; then \
	    echo; \
	    if grep -q -i "connection\|from versions: none" .venv/install.log; then \
	        echo "pip cannot reach the package index: is there a network? What it said is in .venv/install.log."; \
	    else \
	        echo "pip could not install the packages; what it said is in .venv/install.log and ends:"; \
	        tail -n 5 .venv/install.log; \
	    fi; \
	    exit 1; \
	fi
	@touch $@

# Pages are executed, and tests run, as many side by side as there are processors: a thread each. Boosting with two
# threads, which wait for each other in a loop, takes five times as long beside another page.
book test: export OMP_NUM_THREADS := 1
book test: export OPENBLAS_NUM_THREADS := 1
book: $(INSTALLED)
	KERNELBOOK_SOLUTIONS="$(SOLUTIONS)" KERNELBOOK_COURSE="$(COURSE)" KERNELBOOK_PYODIDE="$(if $(filter-out 0,$(PYODIDE)),1)" \
	    $(BIN)/jupyter-book build . -W -n --keep-going
	@$(PY) -c "from pathlib import Path; print('The book is at', Path('_build/html/index.html').resolve().as_uri())"

# The pages of this build have a button for each of the two that is made with them.
pdf epub: export KERNELBOOK_WHOLE := $(filter pdf epub,$(MAKECMDGOALS))
pdf: browser book
	@$(PY) -m tools.bookbuild.pdf

epub: book
	@$(PY) -m tools.bookbuild.epub

serve: $(INSTALLED)
	@test -f _build/html/index.html || { echo "There is no built book yet: run 'make book' first."; exit 1; }
	$(PY) -m http.server 8000 --bind 127.0.0.1 --directory _build/html

# Cells that take minutes do less here, and say so; make lab WHOLE=1 does as much as the built pages.
WHOLE :=
lab: export KERNELBOOK_QUICK := $(if $(filter-out 0,$(WHOLE)),,1)
lab: $(INSTALLED)
	$(PY) -m jupyterlab book

# The site is tested in the machine's own Chromium, or else in the one that Playwright downloads once.
browser: $(INSTALLED)
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null \
	    || $(PY) -m playwright install chromium > .venv/browser.log 2>&1 \
	    || { echo "There is no Chromium, and none can be downloaded: see .venv/browser.log."; \
	         test -z "$$CI" && echo "The tests in a browser will be skipped."; }

# A step that fails stops no other; the last line fails if one did.
STEP := $(PY) -m tests.steps
test: $(INSTALLED) browser
	@rm -rf _build/times
	@$(STEP) "style" $(PY) -m ruff check .
	@$(STEP) "library, with the examples in its docstrings" $(PY) -m pytest tests/library kernelbook --doctest-modules -n 2 \
	    $(if $(NIGHTLY),--cov=kernelbook --cov-report=term-missing:skip-covered --cov-fail-under=95)
	@$(STEP) "notebooks keep their contract, and claims have been tried" \
	    $(PY) -m pytest tests/notebooks tests/claims -n 2 --dist worksteal
	@# Without THOROUGH=1 the last step compares the outputs of the build.
	@$(if $(THOROUGH),$(STEP) "notebooks give the outputs stored in them" \
	    $(PY) -m pytest book --nbval --nbval-current-env -n 2 --dist loadfile)
	@$(STEP) "exercises and their grading" $(PY) -m pytest $(TEACHING_TESTS) -n 2 --dist loadscope
	@$(STEP) "the book builds without a warning" $(MAKE) --no-print-directory book
	@REQUIRE_SITE=1 $(STEP) "the site's links, and its pages in a browser" $(PY) -m pytest tests/site -n 2 --reruns 2
	@$(if $(NIGHTLY),$(STEP) "claims on seeds that nobody has seen" $(MAKE) --no-print-directory claims FROM=$$(date +%s))
	@$(STEP)
	@echo "Everything passed."

bench: $(INSTALLED)
	$(PY) tests/benchmarks/run.py
	$(PY) tests/benchmarks/growth.py
	$(PY) tests/benchmarks/large.py
	@if test -f _build/html/index.html; then $(PY) -m tests.benchmarks.phone; \
	    else echo "How fast the pages show on a phone: run 'make book' first."; fi

# make mutations N=50 SEED=2: how many of so many small changes to the library its tests notice.
mutations: $(INSTALLED)
	$(PY) -m tests.mutations --n "$(or $(N),200)" --seed "$(or $(SEED),1)"

notebooks: $(INSTALLED)
	$(PY) -m tools.bookbuild.notebooks $(NAME)

# A thread each, as many claims side by side as there are processors.
claims: export OMP_NUM_THREADS := 1
claims: export OPENBLAS_NUM_THREADS := 1
claims: $(INSTALLED)
	@$(PY) -m tools.claims.trials --name "$(NAME)" $(if $(SEEDS),--seeds "$(SEEDS)") $(if $(FROM),--from "$(FROM)")

assignment: $(INSTALLED)
	@$(PY) -m tools.teaching.teach assignment "$(NAME)" --course "$(COURSE)" --seed="$(SEED)" --problems="$(PROBLEMS)" --due="$(DUE)" \
	    --per-student="$(PER_STUDENT)" --students="$(STUDENTS)" --checks="$(CHECKS)"

collect: $(INSTALLED)
	@$(PY) -m tools.teaching.teach collect "$(NAME)" --course "$(COURSE)" --file="$(FILE)" --students="$(STUDENTS)"

check: $(INSTALLED)
	@$(PY) -m tools.teaching.teach check "$(NAME)" --course "$(COURSE)" --student="$(STUDENT)"

grade: $(INSTALLED)
	@$(PY) -m tools.teaching.teach grade "$(NAME)" --course "$(COURSE)" --student="$(STUDENT)"

feedback: $(INSTALLED)
	@$(PY) -m tools.teaching.teach feedback "$(NAME)" --course "$(COURSE)" --student="$(STUDENT)"

formgrader: $(INSTALLED)
	@$(PY) -m tools.teaching.teach formgrader --course "$(COURSE)"

solutions: $(INSTALLED) browser
	@$(PY) -m tools.teaching.teach solutions "$(NAME)" --course "$(COURSE)"

exercise: $(INSTALLED)
	@$(PY) -m tools.teaching.teach exercise "$(NAME)"

wheel: $(INSTALLED)
	@rm -rf _build/wheel-source && mkdir -p _build/wheel-source
	@cp -R pyproject.toml README.md LICENSE kernelbook _build/wheel-source
	@$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir _build/wheel ./_build/wheel-source
	@rm -rf _build/wheel-source
	@echo "The library, without the book: $$(ls -t _build/wheel/*.whl | head -n 1)"

clean:
	test ! -d _build || find _build -mindepth 1 -maxdepth 1 -not -name "nbgrader*" -exec rm -rf {} +
	rm -rf .coverage .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path "./.venv/*" -prune -exec rm -rf {} +
	@echo "Removed what was built. Two things stay: .venv, and courses in _build/nbgrader*. Delete them yourself."
