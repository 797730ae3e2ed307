"""What a piece of code depends on, read from imports: modules of the library, and versions of other packages.

A package's own module, `__init__.py`, imports far more than any one name of it needs. So `from kernelbook import SVC`
reaches the module in which SVC is defined and what that one imports, inside functions too; it reaches nothing if the
code does not use SVC. After `from kernelbook import plotting`, only those names of `plotting` count that the code uses,
if it does nothing else with it. Of a package's own imports only those count that bind no name there, such as that of
the module which gives kernels their operators.
"""

import ast
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement


class Library:
    """The modules of a package, read once.

    Parameters
    ----------
    root : Path, the folder of the package
    """

    def __init__(self, root):
        self.root = Path(root)
        files = {path: path.relative_to(self.root.parent).with_suffix("").parts for path in self.root.rglob("*.py")}
        self.files = {".".join(part for part in parts if part != "__init__"): path for path, parts in files.items()}
        self._imports = cache(self._imports)
        self._packages = cache(self._packages)

    def reached_by(self, code):
        """The names of the modules that code reaches, sorted; after `import lib.a`, it may use any name of `lib`."""
        tree = tree_of(code)
        reached, found = set(), self._targets(tree)
        if any(isinstance(node, ast.Import) and self.root.name in packages_in(node) for node in ast.walk(tree)):
            found = self._whole(self.root.name)
        while found:
            module = found.pop()
            if module not in reached:
                reached.add(module)
                found |= self._imports(module)
        return sorted(reached)

    def versions(self, code):
        """Python, the machine, what the library requires, and what code, or a module that it reaches, imports."""
        packages = packages_in(tree_of(code)).union(*map(self._packages, self.reached_by(code)))
        known = distributions_of()
        names = {name for package in packages - {self.root.name} for name in known.get(package, ())}
        names |= required_by(self.root.name)  # the library imports some of these by a name in a variable
        python = ".".join(platform.python_version_tuple()[:2])
        return [python, platform.machine(), *(f"{name}=={version_of(name)}" for name in sorted(names))]

    def _packages(self, module):
        return packages_in(ast.parse(self.files[module].read_text(encoding="utf-8")))

    def sources(self, modules):
        """The bytes of these modules, and of the scripts and other files in their folders and below."""
        paths = {self.files[module] for module in modules}
        folders = {path.parent for path in paths}
        others = {path for path in self.root.rglob("*.*") if path.suffix != ".py" and path.parent.name != "__pycache__"}
        paths |= {path for path in others if folders & {*path.parents} - {self.root}}
        return [path.read_bytes() for path in sorted(paths)]

    def _imports(self, module):
        path = self.files[module]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return self._targets(tree) | self._side_effects(module)

    def _side_effects(self, module):
        """What the packages that hold this module import without binding a name."""
        packages = [".".join(module.split(".")[:end]) for end in range(1, module.count(".") + 2)]
        found = set()
        for package in packages:
            if self._is_package(package):
                body = ast.parse(self.files[package].read_text(encoding="utf-8")).body
                names = [alias.name for one in body if isinstance(one, ast.Import) for alias in one.names]
                found |= {name for name in names if name in self.files}
        return found

    def _targets(self, tree):
        """The modules that the import statements of a piece of code name."""
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {name for alias in node.names for name in self._whole(alias.name)}
            elif isinstance(node, ast.ImportFrom) and node.module in self.files:
                for alias in node.names:
                    package = f"{node.module}.{alias.name}"
                    used = used_of(tree, alias.asname or alias.name) if self._is_package(package) else None
                    homes = [(node.module, alias.name)] if used is None else [(package, name) for name in used]
                    found |= {module for home in homes for module in self._home(*home)}
        return found

    def _is_package(self, name):
        return name in self.files and self.files[name].name == "__init__.py"

    def _whole(self, name):
        """A module that is imported as such; of a package, all modules, since any of its names may be used."""
        if not self._is_package(name):
            return {name} & self.files.keys()
        return {module for module in self.files if module == name or module.startswith(f"{name}.")}

    def _home(self, module, name):
        """The module in which a name is defined that is imported from this one."""
        if f"{module}.{name}" in self.files:
            return self._whole(f"{module}.{name}")
        if self._is_package(module):
            for node in ast.parse(self.files[module].read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ImportFrom) and node.module in self.files:
                    for alias in node.names:
                        if (alias.asname or alias.name) == name:
                            return self._home(node.module, alias.name)
        return {module}


def tree_of(code):
    """The parsed code, where `from ... import` has only names that the code uses."""
    tree = ast.parse(code)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            node.names = [alias for alias in node.names if alias.name == "*" or (alias.asname or alias.name) in used]
    return tree


def used_of(tree, name):
    """The attributes of what a name stands for that a piece of code uses, or None if it uses the name otherwise too."""
    nodes = list(ast.walk(tree))
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    attributes = [node.attr for node in nodes if isinstance(node, ast.Attribute) and node.value in uses]
    return set(attributes) if len(attributes) == len(uses) else None


def packages_in(tree):
    """The first parts of the names that the import statements of a piece of code have."""
    nodes = list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level and node.names]
    return {name.partition(".")[0] for name in names}


@cache
def required_by(distribution):
    """The installed distributions that a distribution requires without an extra."""
    found = map(Requirement, requires(distribution) or ()) if is_installed(distribution) else ()
    names = {one.name for one in found if not one.marker or one.marker.evaluate({"extra": ""})}
    return set(filter(is_installed, names))


def is_installed(distribution):
    try:
        version_of(distribution)
    except PackageNotFoundError:
        return False
    return True


distributions_of, version_of = cache(packages_distributions), cache(version)
LIBRARY = Library(Path(find_spec("kernelbook").origin).parent)
