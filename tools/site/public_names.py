"""The public names of the library: what they are, and where the book says what they do."""

import inspect
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import kernelbook


@cache
def public_names():
    """Each public thing, with the full names by which a user may import it, the shortest first."""
    found = {}
    modules = [one.name for one in walk_packages(kernelbook.__path__, "kernelbook.")]
    for module in map(import_module, ["kernelbook", *modules]):
        for name in getattr(module, "__all__", ()):
            found.setdefault(getattr(module, name), []).append(f"{module.__name__}.{name}")
    return {thing: sorted(names, key=len) for thing, names in found.items()}


def names_of(thing):
    """Its public names, and that under which it is defined."""
    defined = f"{thing.__module__}.{thing.__qualname__}"
    return list(dict.fromkeys([*public_names().get(thing, ()), defined]))


def note_source(env, thing):
    """Have the page that is read made anew when the file of a class or a function changes."""
    for made in getattr(thing, "__mro__", [thing]):
        if made.__module__.startswith("kernelbook"):
            env.note_dependency(inspect.getsourcefile(made))


def note_object(env, thing, anchor):
    """Let roles and code find a class or a function at this anchor of the page that is read."""
    note_source(env, thing)
    domain, kind = env.get_domain("py"), "class" if inspect.isclass(thing) else "function"
    for number, name in enumerate(names_of(thing)):
        domain.note_object(name, kind, anchor, aliased=number > 0)
