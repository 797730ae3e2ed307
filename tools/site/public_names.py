"""List the public names of the library, and register where the book documents them."""

import inspect
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import kernelbook


@cache
def public_names():
    """Each public object with the full names by which a user may import it, the shortest first."""
    found = {}
    modules = [module.name for module in walk_packages(kernelbook.__path__, "kernelbook.")]
    for module in map(import_module, ["kernelbook", *modules]):
        for name in getattr(module, "__all__", ()):
            found.setdefault(getattr(module, name), []).append(f"{module.__name__}.{name}")
    return {thing: sorted(names, key=len) for thing, names in found.items()}


def names_of(thing):
    """The public names of an object, and the name under which it is defined."""
    defined = f"{thing.__module__}.{thing.__qualname__}"
    return list(dict.fromkeys([*public_names().get(thing, ()), defined]))


def note_source(env, thing):
    """Rebuild the page being read whenever the file of a class or a function changes."""
    for ancestor in getattr(thing, "__mro__", [thing]):
        if ancestor.__module__.startswith("kernelbook"):
            env.note_dependency(inspect.getsourcefile(ancestor))


def note_object(env, thing, anchor):
    """Register a class or a function for roles and links in code, at this anchor of the page being read."""
    note_source(env, thing)
    domain, kind = env.get_domain("py"), "class" if inspect.isclass(thing) else "function"
    for number, name in enumerate(names_of(thing)):
        domain.note_object(name, kind, anchor, aliased=number > 0)
