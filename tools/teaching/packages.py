"""The installed packages that an answer can reach, with their versions: a score depends on these and no others."""

import re
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", flags=re.MULTILINE)


@cache
def of_the_library():
    """The packages that the library and its figures need, and what these need in turn, as NAME==VERSION."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return with_their_needs(project["dependencies"] + project["optional-dependencies"]["figures"])


def imported_by(code):
    """The packages whose modules the code imports by name, and what these need; a missing module is named too."""
    owners, found = _owners(), set()
    for module in set(IMPORT.findall(code)):
        found |= with_their_needs(owners.get(module, ())) or {f"{module} is not installed"}
    return found


_owners = cache(packages_distributions)


def with_their_needs(requirements):
    found, waiting = set(), list(requirements)
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            package = distribution(requirement.name)
        except PackageNotFoundError:
            continue
        line = f"{package.metadata['Name']}=={package.version}"
        if line not in found:
            found.add(line)
            waiting += package.requires or []
    return found
