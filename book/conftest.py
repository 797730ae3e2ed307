"""nbval: kernels as in a build, and what the cells of a page have shown is kept for the next build.

A slow cell whose values are stored, and were computed with the library and the packages as they are, binds these and is
taken as passed. With NIGHTLY=1, tests/notebooks/test_notebooks.py executes it.
"""

from collections import Counter

import pytest
from nbval.plugin import IPyNbFile

from tools.bookbuild import executed, kept

executed.set_environment()
BOUND = "bound to its stored values"
NOT_COMPARED = ("image/svg+xml", "text/html")  # besides PNG: a stored notebook has no figure and no explorer


def pytest_collection_modifyitems(items):
    for notebook in {item.parent for item in items if isinstance(item.parent, IPyNbFile)}:
        notebook.skip_compare += NOT_COMPARED
        notebook.stored = kept.current_values(notebook.nb, notebook.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    values = item.parent.stored.get(item.cell.get("id")) if isinstance(item.parent, IPyNbFile) else None
    if values is None:
        return (yield)
    item.user_properties.append((BOUND, True))
    item.options["check"] = False  # nothing is printed
    source = item.cell.source
    item.cell.source = kept.binding(item.cell, values)
    try:
        yield
    finally:
        item.cell.source, item.test_outputs = source, item.cell.outputs


def pytest_terminal_summary(terminalreporter):
    passed = [report for report in terminalreporter.stats.get("passed", []) if (BOUND, True) in report.user_properties]
    pages = Counter(report.nodeid.partition("::")[0] for report in passed)
    said = ", ".join(f"{count} of {page}" for page, count in pages.items()) or "none"
    terminalreporter.write_line(f"Slow cells that were bound to their stored values, and not run: {said}.")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" and report.passed and isinstance(item.parent, IPyNbFile):
        passed = vars(item.parent).setdefault("passed", [])
        passed.append((item.cell, item.test_outputs, report.duration))
    return report


def pytest_runtest_teardown(item, nextitem):
    """Keep the outputs of a notebook all of whose cells have passed."""
    notebook = item.parent
    if isinstance(notebook, IPyNbFile) and (nextitem is None or nextitem.parent is not notebook):
        cells, passed = kept.code_of(notebook.nb), vars(notebook).get("passed", [])
        if [cell for cell, _, _ in passed] == cells:
            values = kept.valid_values(notebook.nb, notebook.path)
            mark = executed.mark(cells, values)
            root, seconds = notebook.config.rootpath, sum(duration for _, _, duration in passed)
            page = notebook.path.relative_to(root).with_suffix("").as_posix()
            file = executed.file_of(page, root / "_build")
            executed.store(file, mark, seconds, [outputs for _, outputs, _ in passed])
