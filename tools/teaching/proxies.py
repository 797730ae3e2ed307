"""Proxies that a test sees in place of objects living in the process of a student's answers."""


class RemoteFunction:
    """A function in that process: a student's, or a given one that has to run beside the answer."""

    def __init__(self, answers, sent, name, generation=None):
        self.answers, self.sent, self.generation, self.__name__ = answers, sent, generation, name

    def __call__(self, *arguments, **keywords):
        return self.answers.request("call", self, arguments, keywords)

    def __reduce__(self):
        raise TypeError("a student's function cannot be pickled")

    def __repr__(self):
        return f"<function {self.__name__} of the answers>"


class UngradableValue:
    """A value that is neither data nor a function: any use of it in a test fails with `message`.

    A test may pass it back to the answers, which then receive their own object.
    """

    def __init__(self, message, sent=None, generation=None):
        self.message, self.sent, self.generation = message, sent, generation

    def _fail(self, *_, **__):
        raise TypeError(self.message)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise TypeError(self.message)

    __reduce__ = __array__ = __len__ = __iter__ = __float__ = __int__ = __bool__ = __call__ = _fail
    __getitem__ = __contains__ = __eq__ = __lt__ = __gt__ = __le__ = __ge__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = _fail
    __hash__ = None
