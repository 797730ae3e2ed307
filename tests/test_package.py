"""What `import kernelbook` promises."""

import subprocess
import sys

import kernelbook


def test_import_loads_no_plotting_and_no_widgets():
    code = "import sys, kernelbook; print({'matplotlib', 'ipywidgets'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_every_public_name_is_there_and_documented():
    for name in kernelbook.__all__:
        assert getattr(kernelbook, name).__doc__
