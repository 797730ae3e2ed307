"""Work that either succeeds as a whole or leaves objects as they were."""

from contextlib import contextmanager


@contextmanager
def restored_on_error(*objects):
    """A context that gives the objects their former attributes back if an error or an interruption leaves it."""
    before = [(one, vars(one).copy()) for one in objects]
    try:
        yield
    except BaseException:
        for one, attributes in before:
            vars(one).clear()
            vars(one).update(attributes)
        raise
